//! Which of several sources bear out one sentence: each of them by itself, or its own part of what they say together.
//! A good source does not carry a bad one. What becomes of a citation that bears nothing is the caller's choice.

use std::collections::BTreeSet;

use super::literal::{as_marked, as_said};
use super::raised::{has_word, with_plain_numbers};
use super::verify::{Standing, standing};
use crate::claim::{Claim, Label, Page, Verdict, cite, no_source};
use crate::text::{Kind, fold, numbers, tokens, words};

/// How a sentence stands on its sources.
#[derive(Debug)]
pub(crate) struct Bearing {
    /// The best verdict over all of them.
    pub verdict: Verdict,
    /// The place of the page that it was reached on, if it was one.
    pub page: Option<usize>,
    /// Sources that bear no part of a sentence which the others bear.
    pub idle: Vec<usize>,
}

/// Pages with the number of the source that each of them is of.
pub(crate) fn bearing(claim: &Claim, pages: &[(usize, &Page)]) -> Bearing {
    let said = with_plain_numbers(claim.text, |word| pages.iter().any(|(_, page)| has_word(&page.text, word)));
    let claim = &Claim { text: &said, context: claim.context };
    let all: Vec<&Page> = pages.iter().map(|(_, page)| *page).collect();
    let (verdict, page) = best_verdict(claim, &all);
    let sources: BTreeSet<usize> = pages.iter().map(|(source, _)| *source).collect();
    if sources.len() < 2 || !is_sound(&verdict) {
        return Bearing { verdict, page, idle: Vec::new() };
    }
    let idle = idle(claim, pages, &sources, &verdict);
    Bearing { verdict, page, idle }
}

/// Sources are taken away one after another, for of two that say the same neither is missed alone, and without both of them a part of the
/// sentence is borne by nobody. What says the same as one that is missed bears as much as that one.
fn idle(claim: &Claim, pages: &[(usize, &Page)], sources: &BTreeSet<usize>, verdict: &Verdict) -> Vec<usize> {
    let of = |wanted: &dyn Fn(&usize) -> bool| -> Vec<&Page> {
        pages.iter().filter(|(source, _)| wanted(source)).map(|(_, page)| *page).collect()
    };
    let holds_without = |gone: &BTreeSet<usize>| !is_worse(&best_verdict(claim, &of(&|source| !gone.contains(source))).0, verdict);
    let parts = parts(claim.text);
    let (mut gone, mut doubtful) = (BTreeSet::new(), Vec::new());
    for source in sources {
        let own = of(&|other| other == source);
        let alone = best_verdict(claim, &own).0;
        match () {
            () if is_sound(&alone) || bears_a_part(claim, &parts, &own) => {}
            () if alone.is_opposed() => gone.extend([*source]),
            () => doubtful.push(*source),
        }
    }
    let with = |gone: &BTreeSet<usize>, source: usize| gone.iter().copied().chain([source]).collect::<BTreeSet<usize>>();
    for source in &doubtful {
        let without = with(&gone, *source);
        if holds_without(&without) {
            gone = without;
        }
    }
    let (left, taken): (Vec<usize>, Vec<usize>) = doubtful.into_iter().partition(|source| !gone.contains(source));
    let stands_in = |source: &usize| {
        let instead = |missed: &usize| {
            let without = with(&gone, *missed);
            let exchanged = without.iter().copied().filter(|other| other != source).collect();
            !holds_without(&without) && holds_without(&exchanged)
        };
        left.iter().any(instead)
    };
    let bearing: Vec<usize> = taken.into_iter().filter(stands_in).collect();
    gone.into_iter().filter(|source| !bearing.contains(source)).collect()
}

pub(super) fn is_sound(verdict: &Verdict) -> bool {
    matches!(standing(verdict), Standing::Supported | Standing::Plausible)
}

/// A sentence that joins several facts may have each of them from another source, as long as none of these denies the rest.
fn bears_a_part(claim: &Claim, parts: &[&str], pages: &[&Page]) -> bool {
    let verdicts: Vec<Verdict> = parts.iter().map(|part| best_verdict(&Claim { text: part, context: claim.context }, pages).0).collect();
    let bears = |verdict: &Verdict| verdict.label == Label::Supported && !verdict.is_opposed();
    verdicts.iter().any(bears) && !verdicts.iter().any(Verdict::is_opposed)
}

/// Whether something is lost without a source: a number, a name, or enough words to tell.
fn is_worse(without: &Verdict, with: &Verdict) -> bool {
    (standing(without), without.missing.len()) > (standing(with), with.missing.len())
}

/// The clauses of a sentence that say something by themselves; none if it is only one.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for between in ["; ", ": ", ", ", " and ", " while ", " but ", " whereas ", " (", " – ", " — "] {
        parts = parts.into_iter().flat_map(|part| part.split(between)).collect();
    }
    let says_something = |part: &&str| {
        let tokens = tokens(part);
        let is_content = |word: &str| !words::is_stop(&fold(word));
        let content = tokens.iter().filter(|token| token.kind == Kind::Word && is_content(token.of(part))).count();
        content + numbers(part, &tokens).iter().filter(|number| !number.spelled).count() >= 2
    };
    parts.retain(says_something);
    if parts.len() < 2 { Vec::new() } else { parts }
}

/// Each page alone, and all of them together if none is enough: a sentence may put two sources together. With the place of the page
/// that the verdict was reached on, if it was one.
fn best_verdict(claim: &Claim, pages: &[&Page]) -> (Verdict, Option<usize>) {
    let alone = pages.iter().enumerate().map(|(place, page)| {
        let verdict = as_marked(cite(claim, page), page, claim.text);
        let is_enough = standing(&verdict) == Standing::Supported;
        (if is_enough { verdict } else { as_said(verdict, page, claim.text) }, Some(place))
    });
    let better = |one: (Verdict, Option<usize>), other: (Verdict, Option<usize>)| {
        let worth = |verdict: &Verdict| std::cmp::Reverse((standing(verdict), verdict.label, verdict.missing.len()));
        if (worth(&other.0), other.0.score) > (worth(&one.0), one.0.score) { other } else { one }
    };
    let best = alone.reduce(better).unwrap_or((no_source(), None));
    if standing(&best.0) == Standing::Supported || pages.len() < 2 {
        return best;
    }
    let texts: Vec<&str> = pages.iter().map(|page| page.body.of(&page.text)).collect();
    let joined = Page::of(&texts.join("\n\n"));
    let mut together = as_marked(cite(claim, &joined), &joined, claim.text);
    // Places in a text that was only put together for this are of no use to anybody.
    together.span = None;
    together.sentences.clear();
    better(best, (together, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(claim: &str, sources: &[&str], idle: &[usize]) {
        let read: Vec<Page> = sources.iter().map(|text| Page::of(text)).collect();
        let pages: Vec<(usize, &Page)> = read.iter().enumerate().collect();
        let found = bearing(&Claim::new(claim), &pages);
        assert!(is_sound(&found.verdict), "{claim}: {:?}", found.verdict);
        assert_eq!(found.idle, idle, "{claim}");
        let left: Vec<&Page> = pages.iter().filter(|(source, _)| !idle.contains(source)).map(|(_, page)| *page).collect();
        assert!(!is_worse(&best_verdict(&Claim::new(claim), &left).0, &found.verdict), "{claim}: worse without {idle:?}");
    }

    const FREE: &str = "The Kestrel Bridge was opened in 1958 and is free.";
    const OLD: &str = "The Kestrel Bridge is old. It was opened in 1958.";
    const EARLY: &str = "The Kestrel Bridge was opened in 1932.";
    const EITHER: &str = "1932 or 1958: The Kestrel Bridge was opened in 1932.";

    #[test]
    fn two_sources_that_say_the_same_are_not_both_taken_away() {
        check(EITHER, &[EARLY, FREE], &[]);
        check(EITHER, &[EARLY, FREE, OLD], &[]);
        check(EITHER, &[FREE, OLD, EARLY], &[]);
        check(EITHER, &[OLD, EARLY, FREE, FREE], &[]);
        check(
            "1990 or 1992: The Sern museum opened in 1992.",
            &[
                "The Sern museum is in Dorna. It opened in 1990 and has many rooms.",
                "The Sern museum opened in 1992.",
                "The Sern museum is a brick house. It opened in 1990 and is free.",
            ],
            &[],
        );
    }

    #[test]
    fn a_power_of_ten_bears_itself_out_in_any_spelling() {
        let spelled = ["3x10^8", "3x10⁸", "3 × 10^8", "3×10⁸", "$3 \\times 10^{8}$"];
        for (source, claim) in spelled.iter().flat_map(|source| spelled.iter().map(move |claim| (source, claim))) {
            let said = |number: &str| format!("The Sern tank holds {number} cells of yeast.");
            check(&said(claim), &[&said(source)], &[]);
            let page = Page::of(&said("3x10^7"));
            assert!(!is_sound(&bearing(&Claim::new(&said(claim)), &[(0, &page)]).verdict), "{claim}");
        }
    }

    #[test]
    fn a_source_that_nobody_misses_is_idle_however_many_there_are() {
        let (mill, ferry) = ("The mill has a red roof.", "The ferry was sold to a baker.");
        check(EITHER, &[EARLY, mill, FREE, OLD, ferry], &[1, 4]);
        check(EARLY, &[EARLY, mill, ferry], &[1, 2]);
        check(EARLY, &[EARLY, "The Kestrel Bridge was not opened in 1932.", mill], &[1, 2]);
    }
}
