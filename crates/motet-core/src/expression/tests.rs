//! One table for what expressions mean, one for what they refuse.

mod against_cel;
mod hostile;
mod texts;
mod workflows;

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{Expression, Scope, Variables};
use crate::diagnostic::{Diagnostic, Span};

struct Object(Value);

impl Variables for Object {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.0.get(name).map(Cow::Borrowed)
    }
}

fn start() -> Span {
    Span { file: "workflow.yaml".into(), line: 7, column: 11, length: 1 }
}

fn parse(source: &str) -> Result<Expression, Diagnostic> {
    Expression::parse(source, &start())
}

fn data() -> Object {
    Object(json!({
        "data": {
            "facts": [{ "id": "a", "score": 3 }, { "id": "b", "score": 7.5 }, { "id": "c", "score": 7.5 }],
            "name": "Ada", "count": 3, "big": 9_223_372_036_854_775_807_i64, "none": null, "flag": true, "map": { "x": 1, "y": 2 },
            "questions": [{ "id": "q1", "question": "Why?", "default": "so" }, { "id": "q2", "question": "How?", "answer": "thus" }],
        },
        "input": { "max": 5 },
    }))
}

#[track_caller]
fn check(source: &str, expected: Value) {
    let expression = parse(source).unwrap_or_else(|diagnostic| panic!("{source}\n{}", diagnostic.render(|_| None)));
    let variables = data();
    assert_eq!(expression.evaluate(&Scope::new(&variables)), expected, "{source}");
}

#[track_caller]
fn refuse(source: &str, expected: &str) {
    let diagnostic = parse(source).expect_err(source);
    let text = format!("{}:{} {}", diagnostic.span.clone().unwrap_or_default().column, diagnostic.message, diagnostic.help.join(" "));
    assert_eq!(text.trim(), expected, "{source}");
}

#[test]
fn literals_are_as_in_cel() {
    check("1", json!(1));
    check("0x1F", json!(31));
    check("7u", json!(7));
    check("-9223372036854775808", json!(i64::MIN));
    check("1.5e2", json!(150.0));
    check(".5", json!(0.5));
    check("'a\\n\\x41\\u00e9\\U0001F600\\101\\''", json!("a\nAé😀A'"));
    check("r'a\\n'", json!("a\\n"));
    check("'''it's \"all\"\nright'''", json!("it's \"all\"\nright"));
    check("\"\"", json!(""));
    check("[1, 'a', null, true,]", json!([1, "a", null, true]));
    check("{'a': 1, \"b\": [2], 3: {}}", json!({ "a": 1, "b": [2], "3": {} }));
    check("1 // one\n + 2", json!(3));
}

#[test]
fn what_is_missing_is_null() {
    check("nobody", json!(null));
    check("nobody.home.at[3].all", json!(null));
    check("data.name.first", json!(null));
    check("data.facts[7]", json!(null));
    check("data.facts[-1]", json!(null));
    check("data.none.x", json!(null));
    check("data.missing + data.facts.map(f, f.id)", json!(["a", "b", "c"]));
    check("data.facts.map(f, f.id) + data.missing", json!(["a", "b", "c"]));
    check("null + 1", json!(null));
    check("'a' + null", json!(null));
    check("null + null", json!(null));
    check("size(null)", json!(0));
    check("1 in null", json!(false));
    check("nobody.exists(x, true)", json!(false));
    check("nobody.all(x, false)", json!(true));
    check("nobody.map(x, x)", json!([]));
    check("nobody < 3 || nobody >= 3", json!(false));
    check("nobody.contains('a')", json!(false));
    check("nobody.trim()", json!(null));
    check("has(data.name) && !has(data.missing) && !has(data.none)", json!(true));
}

#[test]
fn only_true_is_true() {
    check("1 && true", json!(false));
    check("'yes' || false", json!(false));
    check("!data.none", json!(true));
    check("!data.name", json!(true));
    check("data.name ? 1 : 2", json!(2));
    check("data.flag ? 1 : 2", json!(1));
    check("false ? 1 : true ? 2 : 3", json!(2));
}

#[test]
fn arithmetic_is_total() {
    check("1 + 2 * 3 - 4 / 2 % 3", json!(5));
    check("7 / 2", json!(3));
    check("-7 / 2", json!(-3));
    check("-7 % 3", json!(-1));
    check("7 / 2.0", json!(3.5));
    check("1 / 0", json!(null));
    check("1 % 0", json!(null));
    check("1.0 / 0", json!(null));
    check("data.big + 1", json!(null));
    check("-(-9223372036854775808)", json!(null));
    check("'a' * 2", json!(null));
    check("10 - 3 - 2", json!(5));
    check("10 - (3 - 2)", json!(9));
    check("-data.count", json!(-3));
    check("- -1", json!(1));
    check("'a' + 'b' + \"c\"", json!("abc"));
    check("[1] + [2] + [3]", json!([1, 2, 3]));
    check("[1] + 2", json!(null));
    check("'a' + 1", json!(null));
}

#[test]
fn values_compare_by_what_they_are() {
    check("1 == 1.0", json!(true));
    check("[1, {'a': 2.0}] == [1.0, {'a': 2}]", json!(true));
    check("1 == '1'", json!(false));
    check("null == nobody", json!(true));
    check("1 < 1.5 && 2 >= 2.0", json!(true));
    check("'a' < 'b' && 'Z' < 'a' && 'z' < 'é'", json!(true));
    check("1 < 'a'", json!(false));
    check("1 < 'a' == false", json!(true));
    check("2.0 in [1, 2]", json!(true));
    check("'x' in data.map && !('z' in data.map)", json!(true));
    check("!(data.name in ['Bob']) && 1 + 1 in [2]", json!(true));
    check("true && false || true", json!(true));
}

#[test]
fn macros_loop_over_lists_and_keys() {
    check("data.facts.filter(f, f.score > 5).map(f, f.id)", json!(["b", "c"]));
    check("data.facts.map(f, f.score > 5, f.id)", json!(["b", "c"]));
    check("data.facts.exists_one(f, f.id == 'a')", json!(true));
    check("data.facts.exists_one(f, f.score == 7.5)", json!(false));
    check("data.map.map(k, k + '!')", json!(["x!", "y!"]));
    check("[1, 2].map(x, [10, 20].map(y, x * y))", json!([[10, 20], [20, 40]]));
    check("[1].map(data, data)", json!([1]));
    check("data.facts.filter(f, f.score > 5)[0].id", json!("b"));
    check("data.facts.all(f, f.id.size() == 1)", json!(true));
}

#[test]
fn functions_on_values() {
    check("size('héé') + size([1]) + size({'a': 1})", json!(5));
    check("string(1.5) + string(true) + string(null) + string([1, 'a'])", json!("1.5true[1,\"a\"]"));
    check("[int('42'), int(-2.9), int('x'), int(1e30)]", json!([42, -2, null, null]));
    check("[double('1.5'), double(2)]", json!([1.5, 2.0]));
    check("[bool('TRUE'), bool(1)]", json!([true, null]));
    check("range(3)", json!([0, 1, 2]));
    check("range(-1)", json!([]));
    check("range(10001)", json!(null));
    check("either(nobody, 3) + either(1, nobody)", json!(4));
    check("similar(' Hello', 'hellO ')", json!(1.0));
    check("similar('abcd', 'abcx')", json!(0.75));
    check("similar(nobody, '')", json!(1.0));
    check("similar('a', 'b')", json!(0.0));
    check("tokens('12345')", json!(2));
    check("tokens({'a': 1})", json!(2));
    check("tokens(null)", json!(0));
    check("[min(3, 1, 2), max([1, 9, 4]), min([]), max(null, 2)]", json!([1, 9, null, 2]));
    check("[sum([1, 2, 'x']), sum([1, 0.5]), sum(null), sum([data.big, 1])]", json!([3, 1.5, 0, null]));
    check("[round(2.5), round(-1.25, 1), round(7, 2), round('x')]", json!([3, -1.3, 7, null]));
    check("keys(data.map) + values(data.map)", json!(["x", "y", 1, 2]));
}

#[test]
fn functions_on_lists() {
    check("best(data.facts, 'score').id", json!("b"));
    check("best([], 'score')", json!(null));
    check("best([{'outcome': 'needs_revision'}, {'outcome': 'approved'}], 'score').outcome", json!("approved"));
    check("best([{'id': 1}, {'id': 2}], 'score').id", json!(1));
    check("first(data.facts).id + latest(data.facts).id", json!("ac"));
    check("[first([]), latest(null)]", json!([null, null]));
    check(
        "merge([{'k': 1, 'v': 1, 'w': 1}, {'k': 2}], [{'k': 3}, {'k': 1.0, 'v': 9}], 'k')",
        json!([{ "k": 1.0, "v": 9, "w": 1 }, { "k": 2 }, { "k": 3 }]),
    );
    check("merge(null, [{'k': 1}], 'k') + merge([{'k': 2}], null, 'k')", json!([{ "k": 1 }, { "k": 2 }]));
    check("merge([], [{'k': 1}, {'k': 1, 'v': 2}], 'k')", json!([{ "k": 1, "v": 2 }]));
    check("unanswered(data.questions)", json!([{ "id": "q1", "question": "Why?", "assumed": "so" }]));
    check("sort_by([{'n': 2}, {'x': 0}, {'n': 'a'}, {'n': 1.5}], 'n')", json!([{ "n": 1.5 }, { "n": 2 }, { "n": "a" }, { "x": 0 }]));
    check("unique([1, 'a', 1.0, [2], [2.0], 'a'])", json!([1, "a", [2]]));
    check("unique([{'a': 1, 'b': 2}, {'b': 2, 'a': 1}])", json!([{ "a": 1, "b": 2 }]));
}

#[test]
fn methods_on_texts() {
    check("'Hello'.contains('ell') && 'Hello'.startsWith('He') && 'Hello'.endsWith('lo')", json!(true));
    check("'v1.20'.matches('^v[0-9]+')", json!(true));
    check("'v1'.matches(nobody)", json!(false));
    check("'aXb'.matches('a' + 'X')", json!(true));
    check("' Ab '.trim().lowerAscii() + 'x'.upperAscii()", json!("abX"));
    check("'a,b,,c'.split(',')", json!(["a", "b", "", "c"]));
    check("'héy'.split('')", json!(["h", "é", "y"]));
    check("['a', 1, null, true].join('-')", json!("a-1-true"));
    check("['a', 'b'].join()", json!("ab"));
    check("'a-b-c'.replace('-', '+')", json!("a+b+c"));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    refuse("data.x = 3", "18:`=` has no meaning in an expression write `==` to compare; an expression cannot assign");
    refuse("a and b", "13:expected the end of the expression, or an operator, found `and` write `&&`");
    refuse("besst(data.x, 'score')", "11:unknown function `besst` did you mean `best`?");
    refuse("'é' + data.name.startswith('A')", "27:unknown method `startswith` did you mean `startsWith`?");
    refuse("first(data.x, 2)", "11:`first` takes one argument, not 2");
    refuse("data.x.filter(3, true)", "25:expected a name for the element write `list.filter(x, …)`");
    refuse("'abc", "11:this text is never closed end it with '");
    refuse("'a\\q'", "13:unknown escape write `\\\\` for a backslash, or put `r` before the text");
    refuse("(1 + 2", "17:expected `)`, found the end");
    refuse("1 +", "14:expected a value, found the end");
    refuse("  ", "11:the expression is empty");
    refuse("9223372036854775808", "11:`9223372036854775808` is not a whole number of 64 bits");
    refuse("if x", "11:`if` is a reserved word as a field it can be written after a dot or as [\"if\"]");
    refuse("has(data)", "15:`has` asks for a field: `has(data.plan)`");
    refuse("x.matches('(')", "21:not a usable regular expression: unclosed group");
    refuse("b'x'", "11:bytes are not known here write plain text without the prefix");
    refuse("1 +\n  besst()", "11:unknown function `besst` did you mean `best`?");
}

#[test]
fn references_are_free_variables_as_long_as_they_are_fixed() {
    let check = |source: &str, expected: &[&str]| {
        let paths: Vec<String> = parse(source).expect(source).references().iter().map(|path| path.join(".")).collect();
        assert_eq!(paths, expected, "{source}");
    };
    check("last.testing.summary", &["last.testing.summary"]);
    check("data.a[\"b\"].c[0].d + data.x[input.y]", &["data.a.b.c", "data.x", "input.y"]);
    check("data.l.filter(f, f.id in data.closed && g.x)", &["data.l", "data.closed", "g.x"]);
    check("[1].map(data, data.x) + data.x", &["data.x"]);
    check("best(result, 'score').item.slogan", &["result"]);
    check("{'a': x}.a ? y : -z", &["x", "y", "z"]);
    check("a.b + a.b", &["a.b"]);
    let located = parse("1 + last.testing.ok").expect("parses").located_references();
    assert_eq!((located[0].span.column, located[0].span.length), (15, 15));
}

#[test]
fn a_constant_needs_no_variables() {
    let check = |source: &str, expected: Option<Value>| assert_eq!(parse(source).expect(source).constant(), expected, "{source}");
    check("1 + 2", Some(json!(3)));
    check("[1, 2].map(x, x * 2)", Some(json!([2, 4])));
    check("input.max", None);
    check("false && input.max", None);
}
