//! Which facts an agent is shown when not all of them fit into its context, and how much room they take.
//! Counting is careful rather than exact: what is called full may have room left, and never the other way round.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::fact::Confidence;
use crate::text;

/// A fact as it is weighed.
#[derive(Clone, Debug)]
pub struct Item {
    /// In tokens, without its sources.
    pub cost: usize,
    /// Indices into the costs of sources: a source is told once, with the first fact that needs it.
    pub sources: Vec<usize>,
    /// It stands against another one.
    pub disputed: bool,
    /// What it answers.
    pub question: String,
    /// Who found it.
    pub task: String,
    pub confidence: Confidence,
    /// How many sources say so.
    pub voices: usize,
}

/// Why a fact was taken in, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Disputed,
    /// The first answer to its question, or the first of what its task found.
    Answers,
    Useful,
}

/// The facts that fit, each with why it was chosen, and the tokens they take. Disputed facts go first, since a side that is left out
/// would be a lie; then one fact for every question and one of every task; then the best of the rest. Of those that are equally good every
/// task has its turn, the newest first: what was found last is not what is lost.
pub fn pack(items: &[Item], sources: &[usize], room: usize) -> (Vec<(usize, Why)>, usize) {
    let mut packing = Packing { items, sources, room, used: 0, told: BTreeSet::new(), chosen: Vec::new() };
    let order = order(items);
    for place in order.iter().filter(|place| items[**place].disputed) {
        packing.take(*place, Why::Disputed);
    }
    for place in &order {
        if !packing.has(|item| item.question == items[*place].question) {
            packing.take(*place, Why::Answers);
        }
    }
    for place in &order {
        if !packing.has(|item| item.task == items[*place].task) {
            packing.take(*place, Why::Answers);
        }
    }
    for place in &order {
        packing.take(*place, Why::Useful);
    }
    packing.chosen.sort_unstable_by_key(|(place, _)| *place);
    (packing.chosen, packing.used)
}

/// The best first, and those that are equally good by turns of their tasks.
fn order(items: &[Item]) -> Vec<usize> {
    let worth = |place: usize| (Reverse(items[place].confidence), Reverse(items[place].voices));
    let mut so_far: BTreeMap<_, usize> = BTreeMap::new();
    let turns: Vec<usize> = (0..items.len())
        .map(|place| {
            let found = so_far.entry((worth(place), items[place].task.as_str())).or_default();
            *found += 1;
            *found
        })
        .collect();
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|place| (worth(*place), turns[*place], Reverse(*place)));
    order
}

/// More than the usual tokenisers make of prose: one token for three letters of ASCII, one for two bytes of any other script, and at
/// least one for every word and mark.
pub fn tokens(text: &str) -> usize {
    let plain = text.bytes().filter(u8::is_ascii).count();
    (plain.div_ceil(3) + (text.len() - plain).div_ceil(2)).max(text::tokens(text).len())
}

struct Packing<'a> {
    items: &'a [Item],
    sources: &'a [usize],
    room: usize,
    used: usize,
    told: BTreeSet<usize>,
    chosen: Vec<(usize, Why)>,
}

impl Packing<'_> {
    fn take(&mut self, place: usize, why: Why) {
        let item = &self.items[place];
        let new: BTreeSet<usize> = item.sources.iter().copied().filter(|source| !self.told.contains(source)).collect();
        let cost = item.cost + new.iter().filter_map(|source| self.sources.get(*source)).sum::<usize>();
        let is_in = self.chosen.iter().any(|(other, _)| *other == place);
        if !is_in && self.used + cost <= self.room {
            self.used += cost;
            self.told.extend(new);
            self.chosen.push((place, why));
        }
    }

    fn has(&self, is_such: impl Fn(&Item) -> bool) -> bool {
        self.chosen.iter().any(|(place, _)| is_such(&self.items[*place]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(cost: usize, question: &str, disputed: bool) -> Item {
        Item {
            cost,
            sources: Vec::new(),
            disputed,
            question: question.into(),
            task: "E1".into(),
            confidence: Confidence::Medium,
            voices: 1,
        }
    }

    fn check(items: &[Item], sources: &[usize], room: usize, expected: &[(usize, Why)], used: usize) {
        assert_eq!(pack(items, sources, room), (expected.to_vec(), used));
    }

    #[test]
    fn disputes_come_first_then_every_question_then_the_best() {
        use Why::{Answers, Disputed, Useful};
        let mut items = vec![item(10, "a", false), item(10, "a", false), item(10, "b", false), item(10, "c", true), item(10, "c", true)];
        items[1].confidence = Confidence::High;
        check(&items, &[], 20, &[(3, Disputed), (4, Disputed)], 20);
        check(&items, &[], 30, &[(1, Answers), (3, Disputed), (4, Disputed)], 30);
        check(&items, &[], 40, &[(1, Answers), (2, Answers), (3, Disputed), (4, Disputed)], 40);
        check(&items, &[], 50, &[(0, Useful), (1, Answers), (2, Answers), (3, Disputed), (4, Disputed)], 50);
    }

    #[test]
    fn every_task_keeps_its_share_and_the_newest_is_not_lost() {
        let of = |task: &str| Item { task: task.into(), ..item(10, "a", false) };
        let mut items: Vec<Item> = (0..30).map(|_| of("E1")).chain((0..5).map(|_| of("E2"))).collect();
        let chosen = |items: &[Item], room: usize| pack(items, &[], room).0.into_iter().map(|(place, _)| place).collect::<Vec<_>>();
        assert_eq!(chosen(&items, 10), [30]);
        assert_eq!(chosen(&items, 60), [0, 1, 2, 30, 31, 32]);
        assert_eq!(chosen(&items, 140), [0, 1, 2, 3, 4, 5, 6, 7, 8, 30, 31, 32, 33, 34]);
        // However much better the others are, one of every task is shown.
        items[..30].iter_mut().for_each(|item| item.confidence = Confidence::High);
        assert_eq!(chosen(&items, 50), [0, 1, 2, 3, 30]);
    }

    #[test]
    fn a_source_is_paid_for_once() {
        let with = |sources: Vec<usize>| Item { sources, ..item(10, "a", false) };
        check(&[with(vec![0]), with(vec![0]), with(vec![1])], &[5, 50], 40, &[(0, Why::Answers), (1, Why::Useful)], 25);
    }

    #[test]
    fn tokens_are_never_counted_too_low() {
        // What a common tokeniser makes of them, counted beforehand.
        for (text, at_least) in [("The bridge was opened in 1932.", 8), ("橋は1932年に開通した。", 12), ("a, b; c: d!", 8), ("", 0)]
        {
            assert!(tokens(text) >= at_least, "{text}: {}", tokens(text));
        }
    }

    fn items() -> impl Strategy<Value = Vec<Item>> {
        let sources = proptest::collection::vec(0..4usize, 0..3);
        let one = (1..60usize, sources, proptest::bool::weighted(0.2), 0..5u8, 0..3u8, 1..4usize, 0..4u8);
        proptest::collection::vec(one, 0..25).prop_map(|all| {
            let item = |(cost, sources, disputed, question, confidence, voices, task)| Item {
                cost,
                sources,
                disputed,
                question: format!("question {question}"),
                task: format!("E{task}"),
                confidence: [Confidence::Low, Confidence::Medium, Confidence::High][usize::from(confidence)],
                voices,
            };
            all.into_iter().map(item).collect()
        })
    }

    proptest! {
        #[test]
        fn the_limit_holds_and_no_question_or_task_is_lost_while_there_is_room(items in items(), costs in proptest::collection::vec(0..30usize, 4), room in 0..600usize) {
            let (chosen, used) = pack(&items, &costs, room);
            let told: BTreeSet<usize> = chosen.iter().flat_map(|(place, _)| items[*place].sources.iter().copied()).collect();
            let spent: usize = chosen.iter().map(|(place, _)| items[*place].cost).sum::<usize>() + told.iter().map(|source| costs[*source]).sum::<usize>();
            prop_assert_eq!(spent, used);
            prop_assert!(used <= room);
            // What was urgent before the rest was filled in; a lost question had no fact that fitted beside it.
            let urgent: Vec<usize> = chosen.iter().filter(|(_, why)| *why != Why::Useful).map(|(place, _)| *place).collect();
            let with: BTreeSet<usize> = urgent.iter().flat_map(|place| items[*place].sources.iter().copied()).collect();
            let taken: usize = urgent.iter().map(|place| items[*place].cost).sum::<usize>() + with.iter().map(|source| costs[*source]).sum::<usize>();
            for (place, lost) in items.iter().enumerate() {
                let answered = chosen.iter().any(|(other, _)| items[*other].question == lost.question);
                let whole: usize = lost.cost + lost.sources.iter().collect::<BTreeSet<_>>().into_iter().map(|source| costs[*source]).sum::<usize>();
                prop_assert!(answered || taken + whole > room, "{} of {}", place, lost.question);
                let shared = chosen.iter().any(|(other, _)| items[*other].task == lost.task);
                prop_assert!(shared || taken + whole > room, "{} of {}", place, lost.task);
            }
        }
    }
}
