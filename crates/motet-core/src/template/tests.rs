//! What templates show, and how they fail.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::*;

struct Object(Value);

impl Variables for Object {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.0.get(name).map(Cow::Borrowed)
    }
}

fn variables() -> Object {
    Object(json!({
        "data": { "title": "A & B", "list": ["one", "two\nlines", { "a": 1 }], "nothing": null, "cost": 1.5, "share": 0.205, "ms": 5_400_000 },
        "product": "tea",
    }))
}

fn start() -> Span {
    Span { file: "workflow.yaml".into(), line: 3, column: 10, length: 1 }
}

#[track_caller]
fn check_text(source: &str, expected: &str) {
    let mut templates = Templates::default();
    let text = templates.text(source, &start()).unwrap_or_else(|diagnostic| panic!("{}", diagnostic.render(|_| None)));
    assert_eq!(templates.render_text(&text, &variables()), expected, "{source}");
}

fn render(files: &[(&str, &str)]) -> Result<String, String> {
    let mut templates = Templates::default();
    for (path, source) in files {
        templates.file(path, source).map_err(|diagnostic| diagnostic.message)?;
    }
    templates.render_file(files[0].0, &variables())
}

#[track_caller]
fn refuse(source: &str, expected: &str) {
    let diagnostic = Templates::default().file("p.md", source).expect_err(source);
    let span = diagnostic.span.clone().unwrap_or_default();
    let text = format!("{}:{}:{} {} {}", span.file, span.line, span.column, diagnostic.message, diagnostic.help.join(" "));
    assert_eq!(text.trim(), expected, "{source}");
}

#[test]
fn a_short_text_shows_what_there_is_and_nothing_for_the_rest() {
    check_text("plain $5 | text", "plain $5 | text");
    check_text("{{ data.title }} for {{ product }}", "A & B for tea");
    check_text("[{{ data.nothing }}{{ data.missing.deeper }}{{ nobody.at.all }}]", "[]");
    check_text("{{ data.list | length }}, {{ data.missing | length }}, {{ data.nothing | length }}", "3, 0, 0");
    check_text("{{ data.nothing | default('none yet') }}", "none yet");
    check_text("{{ 1 + data.title }}", "{{ 1 + data.title }}");
}

#[test]
fn filters_show_values_to_people() {
    check_text(
        "{{ data.cost | money }} {{ data.share | percent }} {{ data.ms | duration }} {{ 0 | time }}",
        "$1.50 20.5% 1h 30m 1970-01-01T00:00:00Z",
    );
    check_text("{{ '<script>x</script> [a](http://e.x) | b_c _d_' | literal }}", r"\<script\>x\</script\> \[a\](http://e.x) \| b_c \_d\_");
    check_text("{{ '# one\ntwo &lt; #3, R&D' | literal }}{{ data.nothing | literal }}", r"\# one two \&lt; #3, R&D");
    check_text("{{ data.list | bullet }}", "- one\n- two\n  lines\n- {\"a\":1}");
    check_text("{{ data.list | json }}", "[\"one\",\"two\\nlines\",{\"a\":1}]");
    check_text("{{ {'a': 1} | pretty }}", "{\n  \"a\": 1\n}");
    check_text("{{ 'x' | money }}{{ nobody | duration }}", "x");
}

#[test]
fn every_filter_in_the_list_exists() {
    let environment = environment(UndefinedBehavior::Chainable);
    for name in filters::NAMES {
        let result = environment.render_str(&format!("{{{{ x | {name} }}}}"), ());
        let is_unknown = result.is_err_and(|error| error.kind() == minijinja::ErrorKind::UnknownFilter);
        assert!(!is_unknown, "{name}");
    }
}

#[test]
fn a_file_is_strict_and_keeps_its_lines() {
    let check = |source: &str, expected: Result<&str, &str>| {
        assert_eq!(render(&[("p.md", source)]), expected.map(str::to_owned).map_err(str::to_owned), "{source}");
    };
    check("# {{ data.title }}\n{% for x in data.list[:1] %}\n  {{ x }}\n{% endfor %}\nend\n", Ok("# A & B\n  one\nend\n"));
    check("[{{ data.nothing }}]\n", Ok("[]\n"));
    check("a\n{{ data.missing }}", Err("p.md, line 2: undefined value, `data.missing` is undefined"));
    check("{{ nobody.x.y }}", Err("p.md, line 1: undefined value, `nobody.x` is undefined"));
    check("{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}", Err("p.md, line 1: engine ran out of fuel"));
}

#[test]
fn templates_include_each_other_but_not_without_end() {
    let inner = "{% macro show(x) %}<{{ x }}>{% endmacro %}";
    assert_eq!(
        render(&[
            ("p.md", "{% from 'm.md' import show %}{{ show(product) }}{% include 'i.md' %}"),
            ("m.md", inner),
            ("i.md", "{{ data.title }}")
        ]),
        Ok("<tea>A & B".into())
    );
    let endless = render(&[("p.md", "{% include 'p.md' %}")]).expect_err("endless");
    assert!(endless.starts_with("p.md, line 1: invalid operation, recursion limit exceeded"), "{endless}");
    let macros = render(&[("p.md", "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}")]).expect_err("endless");
    assert!(macros.contains("recursion limit exceeded"), "{macros}");
    let inside = render(&[("p.md", "{% include 'i.md' %}"), ("i.md", "\n{{ data.missing }}")]).expect_err("undefined");
    assert_eq!(inside, "i.md, line 2: undefined value, `data.missing` is undefined");
}

#[test]
fn includes_that_lead_nowhere_are_found_early() {
    let mut templates = Templates::default();
    templates.file("prompts/a.md", "x\n{% include \"prompts/bb.md\" %}").expect("compiles");
    templates.file("prompts/b.md", "{# {% include 'no' %} #}{% raw %}{% include 'no' %}{% endraw %}").expect("compiles");
    let found = templates.unresolved();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "there is no file `prompts/bb.md` to include");
    assert_eq!(found[0].help, ["did you mean `prompts/b.md`?"]);
    let span = found[0].span.clone().unwrap_or_default();
    assert_eq!((span.line, span.column, span.length), (2, 13, 13));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    refuse("héllo\n  {% for x in %}", "p.md:2:15 unexpected end of block");
    refuse("a {{ 'a|b' | upper | jsonn }}", "p.md:1:22 unknown filter `jsonn` did you mean `json`?");
    refuse("{% include data.x %}", "p.md:1:1 what is included must be written out as a path in quotes");
    let diagnostic = Templates::default().text("é {{ a b }}", &start()).expect_err("wrong");
    assert_eq!(diagnostic.span.unwrap_or_default().column, 17);
}

#[test]
fn references_are_paths_and_reach_through_includes() {
    let mut templates = Templates::default();
    templates.file("p.md", "{% include 'i.md' %}{% for t in data.tasks %}{{ t.id }}{% endfor %}").expect("compiles");
    templates.file("i.md", "{{ last.testing.summary }}{% include 'p.md' %}").expect("compiles");
    let paths: Vec<String> = templates.references("p.md").iter().map(|path| path.join(".")).collect();
    assert_eq!(paths, ["data.tasks", "last.testing.summary"]);
    let source = "{% for a, b in all.x[1:] if a %}{{ a.y[:2] }}{% endfor %}{% set c = 1 %}{{ c[0] }}{{ 'no[1]' }}";
    templates.file("s.md", source).expect("compiles");
    let paths: Vec<String> = templates.references("s.md").iter().map(|path| path.join(".")).collect();
    assert_eq!(paths, ["all.x"]);
}

#[test]
fn only_what_a_template_reads_is_built() {
    struct Picky;
    impl Variables for Picky {
        fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
            assert_eq!(name, "run", "the whole of `{name}` was asked for");
            Some(Cow::Owned(json!({ "now": 3 })))
        }
        fn member(&self, name: &str, field: &str) -> Option<Cow<'_, Value>> {
            assert_eq!((name, field), ("last", "a"));
            Some(Cow::Owned(json!("b")))
        }
    }
    let mut templates = Templates::default();
    let text = templates.text("{{ last.a }}{{ run['now'] }}", &start()).expect("compiles");
    assert_eq!(templates.render_text(&text, &Picky), "b3");
}

#[test]
fn a_line_that_is_too_long_to_be_counted_is_refused() {
    for source in
        ["x".repeat(70_000), format!("{{# {} #}}", "x".repeat(70_000)), format!("{{{{ '{}' }}}}", "x".repeat(70_000)), "\n".repeat(70_000)]
    {
        let diagnostic = Templates::default().file("p.md", &source).expect_err("it is too long");
        assert!(diagnostic.message.contains("at most 30000 lines"), "{}", diagnostic.message);
    }
}

#[test]
fn in_a_web_page_values_are_text_and_macros_are_markup() {
    let page = "{% macro bold(value) %}<b>{{ value }}</b>{% endmacro %}{{ bold(data.title) }} {{ data.nothing }}{{ data.cost | money }}";
    assert_eq!(render(&[("files/report.html.j2", page)]), Ok("<b>A &amp; B</b> $1.50".into()));
    assert_eq!(render(&[("report.html", page)]), Ok("<b>A &amp; B</b> $1.50".into()));
    assert_eq!(render(&[("files/html.md.j2", page)]), Ok("<b>A & B</b> $1.50".into()));
}
