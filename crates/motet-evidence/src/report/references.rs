//! The reference list of a report: entries by what stands in their brackets, with the address each of them gives.
//! Only entries are read here; whether anything cites them is found when the report is verified.

use std::collections::btree_map::Entry;

use super::addresses::addresses;
use super::blocks::{BRACKET, Block, Kind};
use super::columns;
use super::markers::{called, marker_ids};
use super::{Citation, Reference, Report};

/// In the languages that reports were seen in; other lists are known by their entries.
const HEADINGS: &str = "references|sources|bibliography|works cited|citations|source list|reference list|footnotes|endnotes|literature|\
    sources cited|sources used|sources consulted|literature cited|quellen|quellenverzeichnis|quellenangaben|literatur|literaturverzeichnis|\
    einzelnachweise|nachweise|références|bibliographie|notes et références|fuentes|referencias|bibliografía|bibliografia|fonti|riferimenti|\
    fontes|referências|bronnen|referenties|källor|referenser|kilder|referanser|lähteet|źródła|literatura|zdroje|források|kaynaklar|kaynakça|\
    источники|литература|список литературы|джерела|література|المراجع|المصادر|מקורות|参考文献|参考资料|參考文獻|参考|引用文献|出典|来源|참고문헌|출처";

/// What may follow such a word in a heading.
const FOLLOWING: [&str; 4] = [" and further reading", " and notes", " & further reading", " & notes"];

/// Whether a heading, or a line that stands for one, opens the reference list.
pub fn is_heading(text: &str) -> bool {
    let plain = text.trim_matches(|character: char| !character.is_alphabetic()).to_lowercase();
    let plain = FOLLOWING.iter().find_map(|more| plain.strip_suffix(more)).unwrap_or(&plain);
    HEADINGS.split('|').any(|heading| heading == plain)
}

/// Whether a block outside of every reference list is entries of one: it begins with a marker, and an address is the first or the last
/// thing that it says. Prose that begins with a marker goes on after its address.
pub fn is_entries(block: &Block) -> bool {
    let is_address = |place: usize| matches!(block.citations.get(place), Some(Citation::Link(_)));
    let Some(first) = block.text.lines().find(|line| !line.trim().is_empty()) else { return false };
    let (marker, rest) = leading_marker(first, block);
    let ends = block.text.trim_end_matches(|letter: char| letter.is_whitespace() || ".,;)>".contains(letter));
    let last = ends.strip_suffix(']').and_then(|text| text.rsplit_once("[^")).and_then(|(_, place)| place.parse().ok());
    marker.is_some() && (last.is_some_and(is_address) || rest.trim_start().starts_with("http"))
}

/// What a block begins by citing.
pub fn first_id(block: &Block) -> Option<String> {
    leading_marker(block.text.lines().find(|line| !line.trim().is_empty())?, block).0
}

/// Reads the entries of one block of the reference list.
pub fn read(block: &Block, report: &mut Report, last: &mut Option<String>) {
    for line in block.text.split('\n').filter(|line| !line.trim().is_empty()) {
        let (ids, rest) = leading_marker(line, block);
        let number = match block.kind {
            Kind::Item(number) => number,
            _ => None,
        };
        let id = ids.or_else(|| number.map(|number| number.to_string())).or_else(|| leading_number(line));
        match id {
            Some(id) => {
                *last = Some(id.clone());
                define(report, id, entry(rest, block));
            }
            // A second line of the entry before, often its address.
            None => carry_on(report, last.as_ref(), rest, block),
        }
    }
}

pub fn define(report: &mut Report, id: String, reference: Reference) {
    match report.references.entry(id) {
        Entry::Vacant(free) => {
            free.insert(reference);
        }
        Entry::Occupied(taken) => report.doubly_defined.push(taken.key().clone()),
    }
}

pub fn entry(text: &str, block: &Block) -> Reference {
    let linked = placeholders(text).into_iter().find_map(|place| match block.citations.get(place) {
        Some(Citation::Link(address)) if !block.bare.contains(&place) => Some(address.clone()),
        _ => None,
    });
    let text = without_placeholders(text);
    Reference { address: linked.or_else(|| bare_address(&text)), text }
}

fn carry_on(report: &mut Report, last: Option<&String>, text: &str, block: &Block) {
    let more = entry(text, block);
    if let Some(last) = last.and_then(|id| report.references.get_mut(id)) {
        last.address = last.address.take().or(more.address);
        last.text = format!("{} {}", last.text, more.text).trim().to_string();
    } else if let Some(address) = &more.address {
        report.references.insert(address.clone(), more);
    }
}

/// `[3]` at the beginning of an entry was read as a citation of itself.
fn leading_marker<'a>(line: &'a str, block: &Block) -> (Option<String>, &'a str) {
    let trimmed = line.trim_start_matches([' ', '*', '-']);
    let Some((inside, rest)) = trimmed.strip_prefix("[^").and_then(|inside| inside.split_once(']')) else { return (None, line) };
    match inside.parse::<usize>().ok().and_then(|place| block.citations.get(place)) {
        Some(Citation::Marker(id)) => (Some(id.clone()), rest.trim_start_matches([':', ' '])),
        _ => (None, line),
    }
}

/// `3. Title` where Markdown did not see a list, `³ Title`, or `Source 3: Title`.
fn leading_number(line: &str) -> Option<String> {
    let number = line.trim_start().split_once(['.', ')', ':']).and_then(|(number, _)| marker_ids(number));
    number.filter(|ids| ids.len() == 1).and_then(|mut ids| ids.pop()).or_else(|| called(line))
}

/// One with a scheme goes first; what begins with `www.` is an address as well.
fn bare_address(text: &str) -> Option<String> {
    let found = addresses(text);
    let mut named = found.iter().map(|span| span.of(text));
    named.clone().find(|address| address.contains("://")).or_else(|| named.next()).map(str::to_string)
}

/// The numbers of all citations in a text.
pub fn placeholders(text: &str) -> Vec<usize> {
    text.match_indices("[^").filter_map(|(place, _)| placeholder(&text[place + 2..])).map(|(place, _)| place).collect()
}

/// The number of a citation, after its `[^`, and what follows it.
fn placeholder(inside: &str) -> Option<(usize, &str)> {
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    Some((inside[..digits].parse().ok()?, inside[digits..].strip_prefix(']')?))
}

/// The text with its citations taken out, and what code has in brackets put back.
pub fn without_placeholders(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[^") {
        kept.push_str(before);
        match placeholder(after) {
            Some((_, following)) => {
                if following.starts_with(['.', ',', ';', ':', '!', '?', ')']) || following.is_empty() {
                    kept.truncate(kept.trim_end().len());
                }
                rest = following;
            }
            None => {
                kept.push_str("[^");
                rest = after;
            }
        }
    }
    kept.push_str(rest);
    columns::unread(&kept).replace(BRACKET, "[").split_whitespace().collect::<Vec<_>>().join(" ")
}
