//! The table of requirements: the list as people read it, every carrier a link, every gap at the top.

use std::fmt::Write as _;

use super::Documents;
use crate::requirements::{Carrier, Entry, FILE, Inside, Requirement, TABLE, cases, ids, parse, requirements};
use crate::tree::Tree;

const TOP: &str = "\
# Requirements

<!-- Written by `cargo xtask docs` from docs/requirements.txt and the titles of the cases. -->

What is asked of Motet, and what carries it. A case whose title names a requirement is listed with it.
";

pub fn table(tree: &Tree) -> Result<Documents, String> {
    let list = tree.text(FILE).ok_or_else(|| format!("{FILE} is missing"))?;
    let (entries, problems) = parse(list);
    if let Some((line, why)) = problems.first() {
        return Err(format!("{FILE}:{line}: {why}"));
    }
    let mut text = format!("{TOP}\n{}", summary(&entries));
    for entry in &entries {
        match entry {
            Entry::Section(title) => {
                let _ = write!(text, "\n## {title}\n\n| id | what | carried by |\n|---|---|---|\n");
            }
            Entry::Requirement(requirement) => text.push_str(&row(tree, requirement)),
        }
    }
    Ok([(TABLE.to_string(), text)].into())
}

/// One line for each requirement that something is missing of.
pub fn missing(list: &str) -> Vec<String> {
    let (entries, _) = parse(list);
    let mut lines = Vec::new();
    for requirement in requirements(&entries) {
        let gaps = requirement.carriers.iter().filter_map(|carrier| match carrier {
            Carrier::Missing("") => Some(requirement.words),
            Carrier::Missing(what) => Some(*what),
            _ => None,
        });
        lines.extend(gaps.map(|gap| format!("{}: {gap}", requirement.id)));
    }
    lines
}

fn summary(entries: &[Entry]) -> String {
    let [mut carried, mut partly, mut later, mut missing, mut information] = [0; 5];
    let mut gaps = String::new();
    for requirement in requirements(entries) {
        let has = |kind: fn(&Carrier) -> bool| requirement.carriers.iter().any(kind);
        let is_carried = has(|carrier| !matches!(carrier, Carrier::Later(_) | Carrier::Missing(_) | Carrier::Information));
        let is_later = has(|carrier| matches!(carrier, Carrier::Later(_)));
        if has(|carrier| matches!(carrier, Carrier::Missing(_))) {
            missing += 1;
            let what = requirement.carriers.iter().map(|carrier| shown(carrier)).collect::<Vec<_>>().join("; ");
            let _ = writeln!(gaps, "- {} {}: {what}", requirement.id, requirement.words);
        } else if is_carried && is_later {
            partly += 1;
        } else if is_carried {
            carried += 1;
        } else if is_later {
            later += 1;
        } else {
            information += 1;
        }
    }
    let all = carried + partly + later + missing + information;
    let counts = format!(
        "{all} requirements: {carried} carried, {partly} carried with a part still to come, {later} still to come, \
         {missing} with something missing, {information} merely informative.\n"
    );
    if gaps.is_empty() { counts } else { format!("{counts}\n## Missing\n\n{gaps}") }
}

fn row(tree: &Tree, requirement: &Requirement) -> String {
    let mut carriers = requirement.carriers.clone();
    let naming = cases(tree).filter(|(_, _, title)| ids(title).any(|id| id == requirement.id)).map(|(_, case, _)| Carrier::Case(case));
    let more: Vec<Carrier> = naming.filter(|case| !carriers.contains(case)).collect();
    carriers.extend(more);
    let carriers: Vec<String> = carriers.iter().map(shown).collect();
    format!("| {} | {} | {} |\n", requirement.id, requirement.words, carriers.join("<br>"))
}

/// As Markdown, seen from the folder of the table.
fn shown(carrier: &Carrier) -> String {
    let place = |kind: &str, Inside { workflow, name }: &Inside| format!("{kind} [{workflow}/{name}](places.md#{workflow})");
    let word = |word: &Option<&str>| word.map_or(String::new(), |word| format!(", `{word}`"));
    match carrier {
        Carrier::State(inside) => place("state", inside),
        Carrier::Transition(inside) => place("transition", inside),
        Carrier::Property(inside) => place("property", inside),
        Carrier::Case(Inside { workflow, name }) => format!("case [{workflow}/{name}](../../workflows/{workflow}/cases/{name}.yaml)"),
        Carrier::File(Inside { workflow, name }, found) => {
            format!("file [{workflow}/{name}](../../workflows/{workflow}/{name}){}", word(found))
        }
        Carrier::Code(path, found) => format!("code [{}](../../{path}){}", path.strip_prefix("crates/").unwrap_or(path), word(found)),
        Carrier::Document(path) => format!("page [{path}](../../{path})"),
        Carrier::Command(name) => format!("command [motet {name}](cli.md#motet-{name})"),
        Carrier::Builtin(name) => format!("built-in `{name}`"),
        Carrier::Variable(name) => format!("variable `{name}`"),
        Carrier::Later(part) => format!("later: {part}"),
        Carrier::Missing("") => "**missing**".to_string(),
        Carrier::Missing(what) => format!("**missing**: {what}"),
        Carrier::Information => "for information".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last line of the table for one line of the list.
    fn check(list: &str, expected: &str) {
        let list = format!("## A\n{list}\n");
        let case = ("workflows/a/cases/one.yaml", format!("case: goes well (X{}, X-2)\n", "-1"));
        let documents = table(&Tree::of(&[(FILE, &list), (case.0, &case.1)])).unwrap_or_default();
        assert_eq!(documents[TABLE].lines().last(), Some(expected));
    }

    #[test]
    fn a_row_links_what_carries_it_and_the_cases_that_name_it() {
        check("X-3 | it goes | state a/going", "| X-3 | it goes | state [a/going](places.md#a) |");
        check(
            "X-1 | it goes | code crates/a/src/b.rs#go",
            "| X-1 | it goes | code [a/src/b.rs](../../crates/a/src/b.rs), `go`<br>case [a/one](../../workflows/a/cases/one.yaml) |",
        );
        check("X-2 | it goes | case a/one", "| X-2 | it goes | case [a/one](../../workflows/a/cases/one.yaml) |");
        check("X-4 | it flies | missing wings; later server", "| X-4 | it flies | **missing**: wings<br>later: server |");
    }

    #[test]
    fn gaps_stand_at_the_top_and_everything_is_counted() {
        let list = "X-1 | a | info\nX-2 | b | state a/b\nX-3 | c | state a/b; later server\nX-4 | d | later server\nX-5 | e | missing; state a/b\n";
        let text = summary(&parse(list).0);
        assert!(text.starts_with("5 requirements: 1 carried, 1 carried with a part still to come, 1 still to come, 1 with"), "{text}");
        assert!(text.ends_with("## Missing\n\n- X-5 e: **missing**; state [a/b](places.md#a)\n"), "{text}");
        assert_eq!(missing(list), ["X-5: e"]);
    }
}
