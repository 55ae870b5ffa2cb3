//! The look of the SVG: one accent for "now", one for "needs you", everything else quiet.
//! Colours are variables; every use also names the light value, for viewers that know no variables.

use super::text_width::{DETAIL_SIZE, GROUP_SIZE, LABEL_SIZE, NAME_SIZE};

/// Name, light, dark.
const COLOURS: [(&str, &str, &str); 12] = [
    ("page", "#ffffff", "#14171c"),
    ("group", "#f3f5f8", "#1b2027"),
    ("surface", "#ffffff", "#232a33"),
    ("outline", "#c5ccd6", "#465160"),
    ("ink", "#1b2330", "#e7ebf1"),
    ("quiet", "#5f6b7b", "#9aa6b6"),
    ("line", "#8590a0", "#76828f"),
    ("trouble", "#a8503f", "#d98d7c"),
    ("now", "#1f5fd6", "#5b93ff"),
    ("on-now", "#ffffff", "#0b1220"),
    ("needs-you", "#b26a00", "#f0b04a"),
    ("needs-you-surface", "#fff6e3", "#33290f"),
];

/// `@name` stands for a colour.
const RULES: &str = "\
.page{fill:@page}
.area{fill:@group}
.heading{fill:@quiet;font-weight:600;stroke:@group;stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
.box{fill:@surface;stroke:@outline;stroke-width:1.25px}
.inner{fill:none;stroke:@outline;stroke-width:1px}
.name{fill:@ink;font-weight:600}
.detail{fill:@quiet}
.icon{fill:none;stroke:@quiet;stroke-width:1.6px;stroke-linejoin:round;stroke-linecap:round}
.agent .icon,.final .icon{fill:@quiet}
.gate .box{fill:@needs-you-surface;stroke:@needs-you;stroke-width:1.5px}
.gate .icon{fill:@needs-you;stroke:@needs-you}
.note .box{fill:@page;stroke:@outline;stroke-dasharray:3 3}
.note .name{fill:@quiet;font-weight:500;text-anchor:middle}
.visited .box{stroke:@now}
.current .box{fill:@now;stroke:@now}
.current .inner{stroke:@on-now}
.current .name,.current .detail{fill:@on-now}
.current .icon{stroke:@on-now}
.current.agent .icon,.current.gate .icon,.current.final .icon{fill:@on-now}
.glow{fill:@now;opacity:.22}
.current.gate .glow{fill:@needs-you;opacity:.5}
.start{fill:@ink}
.line{fill:none;stroke:@line;stroke-width:1.5px;stroke-linecap:round}
.line.exceeded,.line.task_failed{stroke:@trouble;stroke-dasharray:6 4}
.line.trouble{stroke:@trouble;stroke-dasharray:.1 4.5;stroke-width:2px}
.line.back{stroke-dasharray:6 4}
.arrow path{fill:@line}
.arrow.trouble path{fill:@trouble}
.label{fill:@ink;text-anchor:middle}
.label.trouble{fill:@trouble}
";

pub fn style() -> String {
    let mut out = String::from(".motet-graph{");
    COLOURS.iter().for_each(|(name, light, _)| out.push_str(&format!("--motet-{name}:{light};")));
    out.push_str("font-family:system-ui,-apple-system,\"Segoe UI\",Inter,Roboto,\"Helvetica Neue\",Arial,sans-serif}\n");
    out.push_str("@media (prefers-color-scheme:dark){.motet-graph{");
    COLOURS.iter().for_each(|(name, _, dark)| out.push_str(&format!("--motet-{name}:{dark};")));
    out.push_str("}}\n");
    for (selector, size) in [(".name", NAME_SIZE), (".detail", DETAIL_SIZE), (".label", LABEL_SIZE), (".heading", GROUP_SIZE)] {
        out.push_str(&format!("{selector}{{font-size:{size}px}}\n"));
    }
    // Selectors are kept to the drawing, because a page may hold it beside other things.
    for rule in RULES.lines() {
        let (selectors, body) = rule.split_once('{').unwrap_or((rule, "}"));
        let scoped: Vec<String> = selectors.split(',').map(|selector| format!(".motet-graph {selector}")).collect();
        let declarations: String = body.trim_end_matches('}').split(';').map(declaration).collect();
        out.push_str(&format!("{}{{{declarations}}}\n", scoped.join(",")));
    }
    out
}

fn declaration(text: &str) -> String {
    let found = text.split_once(":@").and_then(|(property, name)| Some((property, COLOURS.iter().find(|(colour, _, _)| *colour == name)?)));
    match found {
        Some((property, (name, light, _))) => format!("{property}:{light};{property}:var(--motet-{name});"),
        None => format!("{text};"),
    }
}
