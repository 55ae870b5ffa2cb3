//! Every requirement is accounted for, and whatever is said to carry one exists.
//! Whether it really does what the requirement asks is for cases and readers to say.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use crate::requirements::{Carrier, FILE, Inside, PARTS, PLACES, Requirement, cases, ids, parse, requirements};
use crate::tree::Tree;

/// Where the requirements themselves are kept, seen from the root of the repository.
pub const SOURCE: &str = "../shared/requirements.md";
const MOST_WORDS: usize = 12;

pub fn carried(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(FILE) else { return vec![Finding::new(FILE, 1, "the list of requirements is missing")] };
    let (entries, problems) = parse(text);
    let mut findings: Vec<Finding> = problems.into_iter().map(|(line, why)| Finding::new(FILE, line, why)).collect();
    let places = Places::of(tree.text(PLACES).unwrap_or_default());
    let mut last: BTreeMap<&str, u32> = BTreeMap::new();
    for requirement in requirements(&entries) {
        let mut find = |why: String| findings.push(Finding::new(FILE, requirement.line, format!("{}: {why}", requirement.id)));
        if let Some(why) = out_of_order(requirement, &mut last) {
            find(why);
        }
        if !(1..=MOST_WORDS).contains(&requirement.words.split_whitespace().count()) {
            find(format!("say it in 1 to {MOST_WORDS} words"));
        }
        requirement.carriers.iter().filter_map(|carrier| nowhere(tree, &places, carrier)).for_each(&mut find);
    }
    let known: BTreeSet<&str> = requirements(&entries).map(|requirement| requirement.id).collect();
    for (path, _, title) in cases(tree) {
        findings.extend(ids(title).filter(|id| !known.contains(id)).map(|id| Finding::new(path, 1, format!("`{id}` is not in {FILE}"))));
    }
    findings
}

/// The requirements of the source that the list leaves out, and those that it has made up.
pub fn unaccounted(tree: &Tree, source: &str) -> Vec<Finding> {
    let (entries, _) = parse(tree.text(FILE).unwrap_or_default());
    let listed: BTreeMap<&str, usize> = requirements(&entries).map(|requirement| (requirement.id, requirement.line)).collect();
    let wanted: BTreeSet<&str> =
        source.lines().filter_map(|line| ids(line.strip_prefix("- ")?.split_whitespace().next()?).next()).collect();
    let left_out =
        wanted.iter().filter(|id| !listed.contains_key(*id)).map(|id| Finding::new(FILE, 1, format!("{id} is not accounted for")));
    let made_up = listed.iter().filter(|(id, _)| !wanted.contains(*id));
    left_out.chain(made_up.map(|(id, line)| Finding::new(FILE, *line, format!("{id} is no requirement")))).collect()
}

/// Ids of one series count up from one, so that none is lost or said twice even where the source is not at hand.
fn out_of_order<'a>(requirement: &Requirement<'a>, last: &mut BTreeMap<&'a str, u32>) -> Option<String> {
    let (series, number) = requirement.id.split_once('-')?;
    let number: u32 = number.parse().ok()?;
    let before = last.insert(series, number).unwrap_or(0);
    (number != before + 1).then(|| format!("it comes after number {before} of its series"))
}

/// Why the carrier is not where it is said to be, if it is not.
fn nowhere(tree: &Tree, places: &Places, carrier: &Carrier) -> Option<String> {
    let exists = match carrier {
        Carrier::State(place) => places.has("States", place),
        Carrier::Transition(place) => places.has("Transitions", place),
        Carrier::Property(place) => places.has("Properties", place),
        Carrier::Case(Inside { workflow, name }) => tree.text(&format!("workflows/{workflow}/cases/{name}.yaml")).is_some(),
        Carrier::File(Inside { workflow, name }, word) => has_word(tree, &format!("workflows/{workflow}/{name}"), *word),
        Carrier::Code(path, word) => path.ends_with(".rs") && has_word(tree, path, *word),
        Carrier::Document(path) => path.ends_with(".md") && tree.text(path).is_some(),
        Carrier::Command(name) => tree.text("docs/reference/cli.md").is_some_and(|text| text.contains(&format!("## `motet {name}`\n"))),
        Carrier::Builtin(name) => tree.text("docs/reference/builtins.md").is_some_and(|text| text.contains(&format!("## `{name}`\n"))),
        Carrier::Variable(name) => {
            let mut read =
                tree.under("crates/", ".rs").chain(tree.under("workflows/", ".json")).chain(tree.under("workflows/", "workflow.yaml"));
            read.any(|(_, text)| stands_in(name, text))
        }
        Carrier::Later(part) => PARTS.contains(part),
        Carrier::Missing(_) | Carrier::Information => true,
    };
    (!exists).then(|| format!("there is no such {}", spelled(carrier)))
}

fn spelled(carrier: &Carrier) -> String {
    let of = |kind: &str, Inside { workflow, name }: &Inside| format!("{kind} `{workflow}/{name}`");
    let with = |place: String, word: &Option<&str>| word.map_or(place.clone(), |word| format!("{place} with `{word}` in it"));
    match carrier {
        Carrier::State(place) => of("state", place),
        Carrier::Transition(place) => of("transition", place),
        Carrier::Property(place) => of("property", place),
        Carrier::Case(place) => of("case", place),
        Carrier::File(place, word) => with(of("file", place), word),
        Carrier::Code(path, word) => with(format!("code `{path}`"), word),
        Carrier::Document(path) => format!("document `{path}`"),
        Carrier::Command(name) => format!("command `{name}`"),
        Carrier::Builtin(name) => format!("built-in `{name}`"),
        Carrier::Variable(name) => format!("variable `{name}`"),
        Carrier::Later(part) => format!("part `{part}`; there are {}", PARTS.join(", ")),
        Carrier::Missing(_) | Carrier::Information => String::new(),
    }
}

fn has_word(tree: &Tree, path: &str, word: Option<&str>) -> bool {
    tree.text(path).is_some_and(|text| word.is_none_or(|word| stands_in(word, text)))
}

/// As a word of its own, not as a part of a longer one.
fn stands_in(word: &str, text: &str) -> bool {
    let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(joins) && !text[at + word.len()..].starts_with(joins))
}

/// The names of the built-in workflows' places, as the generated page lists them: kind, workflow, name.
struct Places<'a>(BTreeSet<(&'a str, &'a str, &'a str)>);

impl<'a> Places<'a> {
    fn of(page: &'a str) -> Self {
        let mut places = BTreeSet::new();
        let mut workflow = "";
        for line in page.lines() {
            if let Some(name) = line.strip_prefix("## ") {
                workflow = name;
            } else if let Some((name, _)) = line.strip_prefix("- ").and_then(|property| property.split_once(": ")) {
                places.insert(("Properties", workflow, name));
            } else if let Some((kind, names)) = line.split_once(": ") {
                places.extend(names.split('`').skip(1).step_by(2).map(|name| (kind, workflow, name)));
            }
        }
        Self(places)
    }

    fn has(&self, kind: &str, place: &Inside) -> bool {
        self.0.contains(&(kind, place.workflow, place.name))
    }
}
