//! The scorecard as one plain table, for a terminal and for the end of a report.
//! Shares are percentages; what could not be measured is a dash.

use std::fmt;

use super::Scorecard;

impl fmt::Display for Scorecard {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let rows = rows(self);
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (place, (name, value)) in rows.iter().enumerate() {
            let line = if value.is_empty() { name.clone() } else { format!("  {name:<width$}  {value}") };
            write!(out, "{}{line}", if place == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

/// Names and values; a row without a value is the head of a group.
fn rows(card: &Scorecard) -> Vec<(String, String)> {
    let (grounding, breadth, writing, novelty) = (&card.grounding, &card.breadth, &card.writing, &card.novelty);
    let percent = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{:.0} %", value * 100.0));
    let number = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.1}"));
    let mix = &breadth.mix;
    let kinds: Vec<String> = mix.types.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let kinds = if kinds.is_empty() { "–".to_string() } else { kinds.join(", ") };
    let yes = |value: bool| if value { "yes" } else { "no" }.to_string();
    let rows = [
        ("Grounding", String::new()),
        ("passes the publish gate", yes(grounding.passes_gate)),
        ("sentences", grounding.sentences.to_string()),
        ("cited", percent(grounding.cited)),
        ("cited, with a number", percent(grounding.cited_with_number)),
        ("cited, with a superlative", percent(grounding.cited_with_superlative)),
        ("cited, with a quotation", percent(grounding.cited_with_quotation)),
        ("cited and supported", percent(grounding.supported)),
        ("cited and plausible", percent(grounding.plausible)),
        ("numbers sound or marked", percent(grounding.numbers_sound)),
        ("unsound sentences", grounding.unsound.to_string()),
        ("not found in these words", grounding.unsupported.to_string()),
        ("misquoted", grounding.misquoted.to_string()),
        ("unsound citations", grounding.unsound_citations.to_string()),
        ("marked unverified", grounding.marked_unverified.to_string()),
        ("undefined references", grounding.undefined_references.to_string()),
        ("outside the archive", grounding.outside_archive.to_string()),
        ("unused references", grounding.unused_references.to_string()),
        ("duplicate references", grounding.duplicate_references.to_string()),
        ("Breadth", String::new()),
        ("sources", breadth.sources.to_string()),
        ("domains", breadth.domains.to_string()),
        ("independent sources", breadth.independent.to_string()),
        ("effective sources", number(breadth.effective_sources)),
        ("share of the top domain", percent(breadth.top_domain_share)),
        ("questions answered", percent(breadth.questions_answered)),
        ("kinds of sources", kinds),
        ("official sources", percent(mix.official)),
        ("papers", percent(mix.papers)),
        ("credibility", percent(mix.credibility)),
        ("sources with a date", percent(mix.dated)),
        ("dates", mix.oldest.iter().zip(&mix.newest).map(|(oldest, newest)| format!("{oldest} to {newest}")).next().unwrap_or("–".into())),
        ("median age in years", number(mix.median_age_years)),
        ("Writing", String::new()),
        ("words", writing.words.to_string()),
        ("grade", number(writing.grade)),
        ("words per sentence", number(writing.sentence_length)),
        ("deviation of it", number(writing.sentence_length_deviation)),
        ("variety of words", percent(writing.variety)),
        ("passive sentences", percent(writing.passive)),
        ("hedged sentences", percent(writing.hedged)),
        ("clichés", writing.cliches.to_string()),
        ("depth of headings", writing.heading_depth.to_string()),
        ("contents match headings", writing.contents_match.map_or("–".to_string(), yes)),
        ("length to target", percent(writing.length_to_target)),
        ("Novelty", String::new()),
        ("repeated sentences", percent(novelty.repeated)),
        ("repeated headings", novelty.repeated_headings.to_string()),
        ("copied from one source", percent(novelty.copied)),
        ("longest copied run", format!("{} words", novelty.longest_copied_run)),
    ];
    rows.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}
