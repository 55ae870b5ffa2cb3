//! Where CEL has a meaning, ours is the same: compared with another implementation of it.
//! What is left out here is what we changed on purpose: missing values, mixed types, overflow, errors.

use std::sync::Arc;

use cel::extensions::strings;
use cel::objects::{Key, Map};
use cel::{Context, Env};

use super::*;

const AGREED: &[&str] = &[
    "1 + 2 * 3",
    "(1 + 2) * 3",
    "7 / 2",
    "-7 / 2",
    "-7 % 3",
    "7 - 2 - 1",
    "2 * 3 % 4",
    "0x1F + 1",
    "1.5 + 2.25",
    "3.0 / 2.0",
    "-data.count",
    "- -data.count",
    "1e3",
    "'a' + \"b\"",
    "'\\u00e9\\x41\\101\\n'",
    "r'\\d'",
    "'''it's'''",
    "\"tab\\tquote\\\"\"",
    "[1, 2] + [3]",
    "[1, 'a', null, true]",
    "[[], {}]",
    "{'a': 1, 'b': [2]}",
    "{'a': {'b': 2}}.a.b",
    "{'a': 1}['a']",
    "[10, 20, 30][1]",
    "data.facts[1].id",
    "data['name']",
    "data.map['x'] + data.map.y",
    "1 == 1",
    "1 != 2",
    "'a' == 'b'",
    "[1, 2] == [1, 2]",
    "{'a': 1} == {'a': 1}",
    "null == null",
    "data.none == null",
    "1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3",
    "1.5 < 2.5",
    "'a' < 'b'",
    "'Z' < 'a'",
    "false < true",
    "1 < 1.5",
    "true || false && false",
    "!(true && false)",
    "!true || true",
    "true ? 1 : 2",
    "false ? 1 : true ? 2 : 3",
    "data.count > 2 ? 'many' : 'few'",
    "2 in [1, 2, 3]",
    "'z' in data.map",
    "'x' in data.map",
    "!('a' in ['b'])",
    "data.facts.all(f, f.score > 2)",
    "data.facts.exists(f, f.id == 'b')",
    "data.facts.exists_one(f, f.id == 'b')",
    "data.facts.map(f, f.id)",
    "data.facts.map(f, f.id != 'a', f.id)",
    "data.facts.filter(f, f.id != 'a').map(f, f.id)",
    "[1, 2, 3].map(x, [4, 5].map(y, x * y))",
    "[1, 2].all(x, [2, 3].exists(y, y > x))",
    "data.map.all(k, k.size() == 1)",
    "size('héé')",
    "size([1, 2]) + size({'a': 1})",
    "'abc'.size()",
    "'hello'.contains('ell')",
    "'hello'.startsWith('he') && 'hello'.endsWith('lo')",
    "'v1.20'.matches('^v[0-9.]+$')",
    "'abc'.matches('b')",
    "string(12) + string('x')",
    "int('42') + int(2.9)",
    "double('1.5') + double(2)",
    "has(data.name)",
    "has(data.missing)",
    "' Ab '.trim()",
    "'AbC'.lowerAscii() + 'x'.upperAscii()",
    "'a,b,c'.split(',')",
    "['a', 'b'].join('-')",
    "'a-b'.replace('-', '+')",
];

#[test]
fn both_say_the_same() {
    let variables = data();
    let mut environment = Env::stdlib();
    environment.add_extension(strings).expect("extends");
    let environment = Arc::new(environment);
    let mut context = Context::with_env(environment.clone());
    for (name, value) in variables.0.as_object().expect("an object") {
        context.add_variable_from_value(name.as_str(), converted(value));
    }
    for source in AGREED {
        let theirs = environment.compile(source).unwrap_or_else(|error| panic!("{source}: {error}")).execute(&context);
        let theirs = theirs.unwrap_or_else(|error| panic!("{source}: {error}")).json().expect("is JSON");
        let ours = parse(source).expect(source).evaluate(&Scope::new(&variables));
        assert_eq!(ours, theirs, "{source}");
    }
}

#[test]
fn both_refuse_the_same() {
    let refused = [
        "1 +",
        "(1",
        "[1",
        "{'a'}",
        "a b",
        "'abc",
        "1..2",
        "for",
        "a.in",
        "in x",
        "[1].map(1, x)",
        "9223372036854775808",
        "a ? b",
        "'\\q'",
        "a[",
        "has(a)",
    ];
    for source in refused {
        assert!(Env::stdlib().compile(source).is_err(), "CEL accepts {source}");
        assert!(parse(source).is_err(), "we accept {source}");
    }
}

/// Every whole number as a signed one: left to itself the crate makes unsigned ones of those above zero, which do not mix.
fn converted(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => number.as_i64().map_or_else(|| cel::Value::Float(number.as_f64().unwrap_or_default()), cel::Value::Int),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => cel::Value::List(Arc::new(items.iter().map(converted).collect())),
        Value::Object(fields) => {
            let map = fields.iter().map(|(name, field)| (Key::String(Arc::new(name.clone())), converted(field))).collect();
            cel::Value::Map(Map { map: Arc::new(map) })
        }
    }
}
