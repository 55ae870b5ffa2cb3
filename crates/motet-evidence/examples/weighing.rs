//! Fits the weights of the claim score to labelled claims: `cargo run --release -p motet-evidence --example weighing -- FILE…` prints the table.
//! It changes nothing: whoever likes the table better than the one in `claim/weigh.rs` puts it there and measures on claims that were held back.

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};

use motet_evidence::claim::{BASE, Claim, Page, Verdict, WEIGHTS, check};
use serde_json::Value;

/// What was measured of one claim, whether it is supported, and how much the claim counts.
struct Example {
    features: Vec<f64>,
    supported: bool,
    counts: f64,
    /// Made here from a labelled claim and another page.
    made: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut sets = Vec::new();
    for file in &files {
        let lines = fs::read_to_string(file)?.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>()?;
        sets.push(examples(&lines));
    }
    if sets.iter().all(Vec::is_empty) {
        return Err("no labelled claims: name files with lines of `source` and `claims`, or of `source`, `claim` and `label`".into());
    }
    let mut out = io::stdout().lock();
    let today: Vec<f64> = WEIGHTS.iter().map(|weight| weight.weight).collect();
    let (base, weights) = fit(&sets.iter().flatten().collect::<Vec<_>>());
    writeln!(out, "AUROC      now   fitted   fitted to the other files")?;
    for (place, (file, set)) in files.iter().zip(&sets).enumerate() {
        let others: Vec<&Example> = sets.iter().enumerate().filter(|(other, _)| *other != place).flat_map(|(_, set)| set).collect();
        let (other_base, other_weights) = fit(&others);
        let (now, fitted, foreign) = (auroc(set, BASE, &today), auroc(set, base, &weights), auroc(set, other_base, &other_weights));
        writeln!(out, "         {now:.3}    {fitted:.3}    {foreign:.3}   {file}")?;
    }
    writeln!(out, "BASE {base:.2}")?;
    for (weight, fitted) in WEIGHTS.iter().zip(weights) {
        writeln!(out, "{:16} {fitted:6.2}   {}", weight.name, weight.why)?;
    }
    Ok(())
}

/// Every claim on its own page. If the page is more than an excerpt, also on a long one, and supported claims where what supports them was taken
/// out. Every claim on a page about something else.
fn examples(lines: &[Value]) -> Vec<Example> {
    let texts: Vec<&str> = lines.iter().filter_map(|line| line["source"].as_str()).collect();
    let mut examples = Vec::new();
    for (place, (line, text)) in lines.iter().zip(&texts).enumerate() {
        let other = |offset: usize| texts[(place + offset) % texts.len()];
        let mut pages = vec![(Page::of(text), 1.0)];
        let is_excerpt = pages[0].0.sentences.len() < SHORTEST_PAGE;
        if !is_excerpt {
            let long = [other(1), other(2), *text, other(3), other(4), other(5), other(6)].join("\n\n");
            pages.push((Page::of(&long), 0.7));
        }
        let stranger = Page::of(other(1));
        for record in line["claims"].as_array().map_or(std::slice::from_ref(line), Vec::as_slice) {
            let Some(text) = record["claim"].as_str() else { continue };
            let claim = Claim { text, context: record["meta"]["claim_title"].as_str().unwrap_or_default() };
            let supported = record["label"] == "supported";
            let counts = family_counts(record["kind"].as_str().unwrap_or_default());
            for (number, (page, factor)) in pages.iter().enumerate() {
                let verdict = check(&claim, page);
                if supported && !is_excerpt {
                    let rest = Page::of(&without(&page.text, &verdict));
                    let features = features(&check(&claim, &rest));
                    examples.push(Example { features, supported: false, counts: 1.2 * counts * factor, made: true });
                }
                examples.push(Example { features: features(&verdict), supported, counts: counts * factor, made: number > 0 });
            }
            examples.push(Example { features: features(&check(&claim, &stranger)), supported: false, counts: 0.1, made: true });
        }
    }
    // A file of ten times as many claims counts three times as much, so that the largest does not decide alone.
    let own = || examples.iter().filter(|example| !example.made);
    let factor = (own().count() as f64).sqrt() / own().map(|example| example.counts).sum::<f64>();
    examples.iter_mut().for_each(|example| example.counts *= factor);
    examples
}

/// Sources of fewer sentences are excerpts: nothing can be taken out of them.
const SHORTEST_PAGE: usize = 4;

/// Made claims are of all kinds alike; those of reports are not. They stay close to their source, a wrong detail is common, an exchanged role is
/// rare. Without this the fit would learn from our hardest claims that words in common mean nothing.
fn family_counts(kind: &str) -> f64 {
    match kind {
        "near" | "wiki" => 1.5,
        "paraphrase" | "multi" | "binding" | "relation" => 0.5,
        "opposite" | "negation" => 0.4,
        "swap" | "comparison" | "quantifier" | "modality" | "cause" => 0.25,
        _ => 1.0,
    }
}

/// The page without the two sentences that say most of the claim.
fn without(text: &str, verdict: &Verdict) -> String {
    let mut kept = text.to_string();
    let mut spans: Vec<_> = verdict.sentences.iter().take(2).collect();
    spans.sort();
    for span in spans.into_iter().rev() {
        kept.replace_range(span.start..span.end, "");
    }
    kept
}

fn features(verdict: &Verdict) -> Vec<f64> {
    WEIGHTS.iter().map(|weight| (weight.of)(&verdict.measures)).collect()
}

/// The chance that a supported claim of a file scores above another of it, each claim once.
fn auroc(examples: &[Example], base: f64, weights: &[f64]) -> f64 {
    let score = |example: &Example| base + example.features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum::<f64>();
    let own = |supported: bool| examples.iter().filter(move |example| !example.made && example.supported == supported).map(score);
    let (above, below): (Vec<f64>, Vec<f64>) = (own(true).collect(), own(false).collect());
    let wins = |one: &f64| below.iter().map(|other| if one > other { 1.0 } else { f64::from(u8::from(one == other)) / 2.0 }).sum::<f64>();
    above.iter().map(wins).sum::<f64>() / (above.len() * below.len()) as f64
}

/// Logistic regression by gradient descent. A weight keeps the sign that its meaning gives it: what is there speaks for a claim, what is missing or
/// turned round against it, whatever the claims of one set happen to say.
fn fit(examples: &[&Example]) -> (f64, Vec<f64>) {
    const ROUNDS: usize = 4000;
    const RATE: f64 = 0.5;
    /// On the weights as they are printed, so that a measure that few claims have is trusted less than one that all have.
    const SHRINK: f64 = 0.0003;
    let size = WEIGHTS.len();
    let all: f64 = examples.iter().map(|example| example.counts).sum();
    let scale: Vec<f64> = (0..size)
        .map(|place| (examples.iter().map(|example| example.counts * example.features[place].powi(2)).sum::<f64>() / all).sqrt().max(0.05))
        .collect();
    let mut base = 0.0;
    let mut weights = vec![0.0; size];
    for _ in 0..ROUNDS {
        let mut slope = vec![0.0; size];
        let mut base_slope = 0.0;
        for example in examples {
            let evidence: f64 = base
                + example.features.iter().zip(&weights).zip(&scale).map(|((feature, weight), scale)| feature / scale * weight).sum::<f64>();
            let error = (f64::from(u8::from(example.supported)) - 1.0 / (1.0 + (-evidence).exp())) * example.counts / all;
            base_slope += error;
            for (place, feature) in example.features.iter().enumerate() {
                slope[place] += error * feature / scale[place];
            }
        }
        base += RATE * base_slope;
        for place in 0..size {
            let moved = weights[place] + RATE * (slope[place] - SHRINK * weights[place] / scale[place].powi(2));
            weights[place] = if WEIGHTS[place].speaks_for { moved.max(0.0) } else { moved.min(0.0) };
        }
    }
    (base, weights.iter().zip(&scale).map(|(weight, scale)| weight / scale).collect())
}
