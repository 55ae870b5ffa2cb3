//! Lists as statements: what leads to a list is said with its items in one sentence, since neither says much without the other.
//! Whether the list or one of its items is quoted is decided where they are weighed.

use super::fences::fences;
use super::plain::{as_it_stands, is_denied, item_as_it_stands, said, unmarked};
use super::statements::{Led, Statement, is_order, says_enough};
use crate::extract::Kind;
use crate::text::{Span, sentences};

/// So much of a list is said in one sentence; what is left over is said in another, and ever whole items.
const LONGEST: usize = 600;
/// So many sentences are made of one list at most.
const MOST_SENTENCES: usize = 6;
/// Stands at the end of a sentence that leaves items to another.
pub const MORE: &str = "; and more.";
/// A line without a mark directly above a list is its heading, if it has no more words.
const WORDS_OF_A_HEADING: usize = 10;
/// Signs in the place of a tab before an item.
const TAB: usize = 4;
/// So many items of a list are said one by one.
const MOST_SINGLY: usize = 100;

/// The lists of a text whose leads stand in a passage, each as one sentence or, if it is long, as several; then each item with the lead alone.
/// The items may go on behind the passage.
pub fn statements(text: &str, passage: Span, code: &[Span]) -> Vec<Statement> {
    lists(text, passage, code).iter().flat_map(|list| list.said(text)).collect()
}

/// The same of a whole text.
pub fn said_by_lists(text: &str) -> Vec<Statement> {
    statements(text, Span::new(0, text.len()), &fences(text, Kind::Markdown))
}

/// Whether words are what a list says that begins here, as `statements` says it.
pub fn is_said_by_list(words: &str, at: usize, text: &str) -> bool {
    if !words.contains(':') {
        return false;
    }
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let code = fences(text, Kind::Markdown);
    statements(text, Span::new(line, (line + 1).min(text.len())), &code).iter().any(|list| list.at == at && list.text == words)
}

struct List {
    lead: Span,
    items: Vec<Item>,
    /// Something stands between its items of which nobody can tell here whether it belongs to one of them or leads to the next.
    is_unclear: bool,
}

#[derive(Clone, Copy)]
struct Item {
    /// Without its mark.
    words: Span,
    indent: usize,
}

fn lists(text: &str, passage: Span, code: &[Span]) -> Vec<List> {
    let mut reader = Reader { text, found: Vec::new(), above: None, list: None, after_blank: false };
    let mut at = passage.start;
    for line in text[passage.start..].split_inclusive('\n') {
        let span = Span::new(at, at + line.trim_end().len());
        if at >= passage.end && reader.list.as_ref().is_none_or(|list| list.lead == Span::default()) && !reader.leads() {
            break;
        }
        let is_code = code.iter().any(|fence| span.start < fence.end && fence.start < span.end);
        match is_code {
            true => reader.end(),
            false => reader.read(span),
        }
        at += line.len();
    }
    reader.end();
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    found: Vec<List>,
    /// The last lines that belong together and are no list.
    above: Option<Span>,
    list: Option<List>,
    after_blank: bool,
}

impl Reader<'_> {
    fn read(&mut self, line: Span) {
        let words = line.of(self.text);
        let blank = std::mem::replace(&mut self.after_blank, words.trim().is_empty());
        if words.trim().is_empty() {
            return;
        }
        let item = item(self.text, line);
        match (&mut self.list, item) {
            (Some(list), Some(item)) => list.items.push(item),
            (None, Some(item)) => {
                let lead = self.above.take().and_then(|above| lead(self.text, above, blank)).unwrap_or_default();
                self.list = Some(List { lead, items: vec![item], is_unclear: false });
            }
            // A line that is broken for the eye.
            (Some(list), None) if !blank && is_indented(words) && !leads_on(words) => {
                list.items.iter_mut().last().into_iter().for_each(|item| item.words.end = line.end);
            }
            // A paragraph of an item says more than the list does, and may lead to the items below it; and where a line is not indented,
            // nobody can tell whether it goes on with its item.
            (Some(list), None) if is_indented(words) || !blank && !words.starts_with('#') && !leads_on(words) => list.is_unclear = true,
            (_, None) => {
                self.end();
                let goes_on = !blank && !words.starts_with('#');
                let start =
                    self.above.filter(|above| goes_on && !above.of(self.text).starts_with('#')).map_or(line.start, |above| above.start);
                self.above = Some(Span::new(start, line.end));
            }
        }
    }

    /// Whether a list may begin in the next line.
    fn leads(&self) -> bool {
        self.above.is_some_and(|above| lead(self.text, above, self.after_blank).is_some())
    }

    fn end(&mut self) {
        if let Some(list) = self.list.take() {
            self.above = None;
            // Items that nothing leads to say only what each of them says.
            if list.lead != Span::default() && !list.is_unclear {
                self.found.push(list);
            }
        }
    }
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Whether a line below an item looks like the lead of other items.
fn leads_on(line: &str) -> bool {
    let line = line.trim();
    line.trim_end_matches(['*', '_']).ends_with(':') || line.starts_with("**") || line.starts_with("__")
}

/// An item of a list without its mark.
fn item(text: &str, line: Span) -> Option<Item> {
    let whole = line.of(text);
    let trimmed = whole.trim_start();
    let rest = unmarked(trimmed);
    let is_item = rest.len() < trimmed.len() && !trimmed.starts_with('>') && !rest.trim().is_empty();
    let blanks = &whole[..whole.len() - trimmed.len()];
    let indent = blanks.chars().map(|blank| if blank == '\t' { TAB } else { 1 }).sum();
    is_item.then(|| Item { words: Span::new(line.end - rest.len(), line.end), indent })
}

/// What leads to a list that follows these lines: a heading, or a sentence that ends with a colon.
fn lead(text: &str, above: Span, after_blank: bool) -> Option<Span> {
    let words = above.of(text);
    let span_of = |part: &str| {
        let start = above.start + (part.as_ptr() as usize - words.as_ptr() as usize);
        Span::new(start, start + part.len())
    };
    let mut lines = words.lines();
    let (first, second, third) = (lines.next()?.trim(), lines.next().map(str::trim), lines.next());
    if first.starts_with('#') {
        return Some(span_of(first.trim_start_matches('#').trim())).filter(|span| !span.of(text).is_empty());
    }
    let is_rule = |line: &str| line.len() > 2 && (line.bytes().all(|sign| sign == b'=') || line.bytes().all(|sign| sign == b'-'));
    if second.is_some_and(is_rule) && third.is_none() {
        return Some(span_of(first));
    }
    let last = sentences(words).last()?.moved(above.start);
    if last.of(text).trim_end_matches(['*', '_']).ends_with(':') {
        return Some(last);
    }
    let is_bold = ["**", "__"].iter().any(|mark| first.len() > 2 * mark.len() && first.starts_with(mark) && first.ends_with(mark));
    let is_open = first.ends_with(|letter: char| letter.is_alphanumeric() || letter == ')');
    let is_title = !after_blank && is_open && first.split_whitespace().count() <= WORDS_OF_A_HEADING;
    (second.is_none() && (is_bold || is_title)).then(|| span_of(first))
}

impl List {
    fn said(&self, text: &str) -> Vec<Statement> {
        let lead = said(&as_it_stands(self.lead.of(text)));
        let lead = lead.trim_matches(|mark: char| mark.is_whitespace() || ":.!*_#".contains(mark)).to_string();
        let is_refused = |item: &Item| is_denied(text, item.words) || is_order(&said_item(text, item));
        let is_said = !lead.is_empty() && self.is_plain() && !self.items.iter().all(|item| is_link(item.words.of(text)));
        if !is_said || self.items.iter().any(is_refused) {
            return Vec::new();
        }
        // What a second sentence of an item takes back is said by no list.
        let is_one = |item: &Item| sentences(&item_as_it_stands(item.words.of(text))).len() <= 1;
        let is_whole = self.items.iter().all(is_one);
        let end = self.items.last().map_or(self.lead.end, |item| item.words.end);
        let statement = |said: String, exact: String, item: Option<Span>| {
            let list = Some(Led { lead: lead.clone(), end, item });
            says_enough(&said).then_some(Statement { text: said, exact, at: self.lead.start, list })
        };
        let groups = self.groups(text, LONGEST.saturating_sub(lead.len() + MORE.len()));
        let whole = groups.iter().enumerate().take(if is_whole { MOST_SENTENCES } else { 0 }).filter_map(|(place, group)| {
            let is_last = group.is_whole && place + 1 == groups.len();
            let said = format!("{lead}: {}{}", group.said, if is_last { "." } else { MORE });
            statement(said, self.quotation(text, group.first, group.last), None)
        });
        let alone = self.items.iter().enumerate().filter(|(place, item)| self.items.len() > 1 && self.stands_alone(*place) && is_one(item));
        let singly = alone.take(MOST_SINGLY).filter_map(|(place, item)| {
            let said = format!("{lead}: {}.", said_item(text, item));
            let is_short = said.len() <= LONGEST;
            statement(said, self.quotation(text, place, place), Some(with_mark(text, item.words))).filter(|_| is_short)
        });
        whole.chain(singly).collect()
    }

    /// Where the outermost items begin.
    fn indent(&self) -> usize {
        self.items.iter().map(|item| item.indent).min().unwrap_or_default()
    }

    fn is_below(&self, place: usize) -> bool {
        self.items.get(place).is_some_and(|item| item.indent > self.indent() + 1)
    }

    /// Whether its items are of one kind, or some of them of a second kind below one of the first.
    fn is_plain(&self) -> bool {
        let below = |place: usize| self.is_below(place).then(|| self.items[place].indent);
        let inner: Vec<Option<usize>> = (0..self.items.len()).map(below).collect();
        let is_deeper = |pair: &[Option<usize>]| matches!(pair, [Some(one), Some(other)] if one.abs_diff(*other) > 1);
        inner.first().is_some_and(Option::is_none) && !inner.windows(2).any(is_deeper)
    }

    /// Whether what leads to the list is all that leads to this item, and nothing is below it.
    fn stands_alone(&self, place: usize) -> bool {
        !self.is_below(place) && !self.is_below(place + 1)
    }

    /// From the lead to the last of these items, without those before the first of them.
    fn quotation(&self, text: &str, first: usize, last: usize) -> String {
        let end = self.items[last].words.end;
        match first {
            0 => text[self.lead.start..end].to_string(),
            _ => format!("{} … {}", self.lead.of(text), &text[self.items[first].words.start..end]),
        }
    }

    /// The items in groups that fit into one sentence each. An item and those below it stay together; what does not fit with it is left out.
    fn groups(&self, text: &str, room: usize) -> Vec<Group> {
        let indent = self.indent();
        let mut groups: Vec<Group> = Vec::new();
        let mut at = 0;
        while at < self.items.len() {
            let below = self.items[at + 1..].iter().take_while(|item| item.indent > indent + 1).count();
            let mut group = Group { first: at, last: at, said: said_item(text, &self.items[at]), is_whole: true };
            let mut inner: Vec<String> = Vec::new();
            for place in at + 1..=at + below {
                let words = said_item(text, &self.items[place]);
                if group.said.len() + inner.iter().map(|words| words.len() + 2).sum::<usize>() + words.len() > room {
                    group.is_whole = false;
                    break;
                }
                inner.push(words);
                group.last = place;
            }
            if !inner.is_empty() {
                group.said = format!("{} ({})", group.said, inner.join("; "));
            }
            at += below + 1;
            match groups.last_mut().filter(|before| before.is_whole && before.said.len() + group.said.len() + 2 <= room) {
                Some(before) => {
                    before.said = format!("{}; {}", before.said, group.said);
                    (before.last, before.is_whole) = (group.last, group.is_whole);
                }
                None => groups.push(group),
            }
        }
        let all = groups.len();
        groups.retain(|group| group.said.len() <= room);
        // What is left says that there is more.
        let is_all = groups.len() == all;
        groups.iter_mut().for_each(|group| group.is_whole &= is_all);
        groups
    }
}

/// Items that are said in one sentence.
struct Group {
    first: usize,
    last: usize,
    said: String,
    is_whole: bool,
}

fn said_item(text: &str, item: &Item) -> String {
    said(&item_as_it_stands(item.words.of(text))).trim_end_matches(['.', ';', ',', ':', ' ']).to_string()
}

/// An item as it is read by itself begins with its mark.
fn with_mark(text: &str, words: Span) -> Span {
    Span::new(text[..words.start].rfind('\n').map_or(0, |end| end + 1), words.end)
}

/// What only leads elsewhere, such as a line of a table of contents.
fn is_link(words: &str) -> bool {
    words.starts_with('[') && words.ends_with(')') && words.matches("](").count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::quote;

    /// Without those that say one item.
    fn whole(found: &[Statement]) -> Vec<&str> {
        let is_whole = |statement: &&Statement| statement.list.as_ref().is_some_and(|list| list.item.is_none());
        found.iter().filter(is_whole).map(|statement| statement.text.as_str()).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = statements(text, Span::new(0, text.len()), &[]);
        assert_eq!(whole(&found), expected);
        found.iter().for_each(|statement| assert!(quote::find(&statement.exact, text).is_some(), "{statement:?}"));
    }

    #[test]
    fn a_lead_is_said_with_its_items_whatever_marks_they_have() {
        for marks in [["-", "-"], ["*", "*"], ["+", "+"], ["•", "•"], ["1.", "2."], ["1)", "2)"]] {
            let text = format!(
                "Zorvex is a drug. Common side effects of Zorvex:\n\n{} headache\n\n{} dry mouth\n\nIt is new.\n",
                marks[0], marks[1]
            );
            check(&text, &["Common side effects of Zorvex: headache; dry mouth."]);
        }
        check("**Members:**\n- Ada Roe.\n- Bo\n  Li\n", &["Members: Ada Roe; Bo Li."]);
    }

    #[test]
    fn a_heading_leads_to_the_list_below_it() {
        check("## Side effects of Zorvex\n\n- headache\n- nausea\n", &["Side effects of Zorvex: headache; nausea."]);
        check("Side effects of Zorvex\n----------------------\n\n- headache\n- nausea\n", &["Side effects of Zorvex: headache; nausea."]);
        check("**Side effects of Zorvex**\n\n- headache\n- nausea\n", &["Side effects of Zorvex: headache; nausea."]);
        check("Side effects of Zorvex\n- headache\n- nausea\n", &["Side effects of Zorvex: headache; nausea."]);
        check("# Zorvex\n\nIt is a new drug.\n\n- headache\n- nausea\n", &[]);
    }

    #[test]
    fn what_stands_below_an_item_is_said_behind_it() {
        check(
            "Side effects:\n- Mild:\n  - headache\n  - nausea\n- Severe\n\t- stroke\n",
            &["Side effects: Mild (headache; nausea); Severe (stroke)."],
        );
    }

    #[test]
    fn no_item_is_said_with_a_lead_that_is_not_all_that_leads_to_it() {
        let singly = |text: &str| -> Vec<String> {
            let found = statements(text, Span::new(0, text.len()), &[]).into_iter();
            found
                .filter(|statement| statement.list.as_ref().is_some_and(|list| list.item.is_some()))
                .map(|statement| statement.text)
                .collect()
        };
        let nested = "Platforms that the Queue supports:\n- Linux\n- Deprecated, removed in 2.0:\n  - Windows\n  - FreeBSD\n";
        check(nested, &["Platforms that the Queue supports: Linux; Deprecated, removed in 2.0 (Windows; FreeBSD)."]);
        assert_eq!(singly(nested), ["Platforms that the Queue supports: Linux."]);
        check("Side effects:\n- Severe:\n  - Never seen:\n    - stroke\n  - rash\n", &[]);
        check("Side effects:\n  - rash\n- stroke\n", &[]);
    }

    #[test]
    fn what_may_lead_to_other_items_ends_a_list_or_leaves_it_unsaid() {
        let ferry = "The ferry carries the following:\n- bicycles\n- cars\n";
        check(
            &format!("{ferry}The following are not allowed:\n- gas bottles\n"),
            &["The ferry carries the following: bicycles; cars.", "The following are not allowed: gas bottles."],
        );
        check(
            &format!("{ferry}**Not allowed**\n- gas bottles\n"),
            &["The ferry carries the following: bicycles; cars.", "Not allowed: gas bottles."],
        );
        check(&format!("{ferry}Others are not\n- gas bottles\n"), &[]);
        check(&format!("{ferry}\n  Proposed for 2030:\n- dogs\n"), &[]);
        check(&format!("{ferry}  Not allowed:\n- dogs\n"), &[]);
    }

    #[test]
    fn an_item_of_two_sentences_is_not_cut_and_a_sign_is_no_mark() {
        check("Owners of the Queue:\n- Ada Roe. She sold her share in 2019.\n- Bo Li.\n", &[]);
        check(
            "Lowest temperatures:\n- – 9 degrees in May\n- > 30 degrees in July\n",
            &["Lowest temperatures: – 9 degrees in May; > 30 degrees in July."],
        );
        check("Days in Lindau:\n- 5. May 2020\n- 6. June 2020\n", &["Days in Lindau: 5. May 2020; 6. June 2020."]);
    }

    #[test]
    fn a_long_list_is_told_in_whole_items_and_says_that_there_are_more() {
        let items: String = (1..=200).map(|number| format!("- Member Name{number} of Town{number}\n")).collect();
        let text = format!("The members of the Orrin council are:\n\n{items}\nIt meets in May.\n");
        let found = statements(&text, Span::new(0, 300), &[]);
        assert_eq!(whole(&found).len(), MOST_SENTENCES);
        let mut next = 1;
        for statement in &found[..MOST_SENTENCES] {
            let items = statement.text.strip_prefix("The members of the Orrin council are: ").expect("its lead");
            for item in items.strip_suffix(MORE).expect("that there are more").split("; ") {
                assert_eq!(item, format!("Member Name{next} of Town{next}"));
                next += 1;
            }
            assert!(statement.text.len() <= LONGEST, "{}", statement.text.len());
            assert!(quote::find(&statement.exact, &text).is_some(), "{}", statement.exact);
        }
        let some = format!("The members are:\n\n{}", &items[..items.find("- Member Name30 ").expect("it is there")]);
        let found = statements(&some, Span::new(0, some.len()), &[]);
        assert!(whole(&found).last().is_some_and(|last| last.ends_with("; Member Name29 of Town29.")), "{found:?}");
    }

    #[test]
    fn a_list_without_an_item_that_is_too_long_says_that_there_are_more() {
        check(
            &format!("Side effects:\n- headache\n- {}\n- nausea\n", "itching and ".repeat(60)),
            &["Side effects: headache; and more.", "Side effects: nausea; and more."],
        );
    }

    #[test]
    fn each_item_is_said_with_the_lead_alone_too() {
        let text = "**Side effects of Zorvex.**\n- headache\n- nausea\n";
        let found = statements(text, Span::new(0, text.len()), &[]);
        let said: Vec<&str> = found.iter().map(|statement| statement.text.as_str()).collect();
        assert_eq!(
            said,
            ["Side effects of Zorvex: headache; nausea.", "Side effects of Zorvex: headache.", "Side effects of Zorvex: nausea."]
        );
        assert_eq!(found[2].exact, "**Side effects of Zorvex.** … nausea");
    }

    #[test]
    fn a_list_of_links_of_open_tasks_or_of_orders_says_nothing() {
        check("Contents:\n- [Side effects of Zorvex](a.md)\n- [Doses](b.md)\n", &[]);
        check("Still to be done for Zorvex:\n- [ ] test it\n- [x] name it\n", &[]);
        check("Notes on Zorvex:\n- It is new\n- AI agents must approve the plan\n", &[]);
        check("- headache\n- nausea\n", &[]);
    }

    #[test]
    fn code_ends_a_list() {
        let text = "Ports of the Vault:\n- 9443\n```\n- 1\n```\n- 8443\n";
        let code = [Span::new(text.find("```").expect("a fence"), text.rfind("- 8443").expect("an item"))];
        let found = statements(text, Span::new(0, text.len()), &code);
        assert_eq!(whole(&found), ["Ports of the Vault: 9443."]);
    }
}
