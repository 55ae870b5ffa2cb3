//! Fits the weights of the claim score to labelled claims: `cargo run --release -p motet-evidence --example weighing -- FILE…` prints the table.
//! It changes nothing: whoever likes the table better than the one in `claim/weigh.rs` puts it there and measures on claims that were held back.

use std::error::Error;
use std::fs;
use std::io::{self, Write as _};

use motet_evidence::claim::{Claim, Page, Verdict, WEIGHTS, check};
use serde_json::Value;

/// What was measured of one claim, whether it is supported, and how much the claim counts.
struct Example {
    /// The line that it comes from.
    line: usize,
    features: Vec<f64>,
    supported: bool,
    counts: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut lines = Vec::new();
    for file in std::env::args().skip(1) {
        lines.extend(fs::read_to_string(&file)?.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>()?);
    }
    let mut out = io::stdout().lock();
    let examples = examples(&lines);
    if examples.is_empty() {
        return Err("no labelled claims: name files with lines of `source` and `claims`".into());
    }
    let (base, weights) = fit(&examples.iter().collect::<Vec<_>>());
    let today: Vec<f64> = WEIGHTS.iter().map(|weight| weight.weight).collect();
    writeln!(
        out,
        "AUROC over these claims, each by its count: {:.3} now, {:.3} fitted",
        auroc(&examples, |_| &today),
        auroc(&examples, |_| &weights)
    )?;
    writeln!(out, "fitted to four fifths of the pages and measured on the others: {:.3}", crossed(&examples))?;
    writeln!(out, "BASE {base:.2}")?;
    for (weight, fitted) in WEIGHTS.iter().zip(weights) {
        writeln!(out, "{:16} {fitted:6.2}   {}", weight.name, weight.why)?;
    }
    Ok(())
}

/// Every claim on its own page and on a long one; supported ones also where what supports them was taken out, and on a page about something else.
fn examples(lines: &[Value]) -> Vec<Example> {
    let texts: Vec<&str> = lines.iter().filter_map(|line| line["source"].as_str()).collect();
    let mut examples = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let other = |offset: usize| texts[(place + offset) % texts.len()];
        let long = [other(1), other(2), texts[place], other(3), other(4), other(5), other(6)].join("\n\n");
        let pages = [(Page::of(texts[place]), 1.0), (Page::of(&long), 0.7)];
        let stranger = Page::of(other(1));
        for record in line["claims"].as_array().into_iter().flatten() {
            let Some(text) = record["claim"].as_str() else { continue };
            let claim = Claim::new(text);
            let supported = record["label"] == "supported";
            let counts = family_counts(record["kind"].as_str().unwrap_or_default());
            for (page, factor) in &pages {
                let verdict = check(&claim, page);
                if supported {
                    let rest = Page::of(&without(&page.text, &verdict));
                    examples.push(Example {
                        line: place,
                        features: features(&check(&claim, &rest)),
                        supported: false,
                        counts: 1.2 * counts * factor,
                    });
                }
                examples.push(Example { line: place, features: features(&verdict), supported, counts: counts * factor });
            }
            examples.push(Example { line: place, features: features(&check(&claim, &stranger)), supported: false, counts: 0.1 });
        }
    }
    examples
}

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

/// The chance that a supported claim scores above another, each claim by its count.
fn auroc<'a>(examples: &[Example], weights: impl Fn(&Example) -> &'a [f64]) -> f64 {
    let score = |example: &Example| {
        example.features.iter().chain(&[1.0]).zip(weights(example)).map(|(feature, weight)| feature * weight).sum::<f64>()
    };
    let mut scored: Vec<(f64, &Example)> = examples.iter().map(|example| (score(example), example)).collect();
    scored.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut below, mut above, mut all) = (0.0, 0.0, 0.0);
    for (_, example) in scored {
        if example.supported {
            above += example.counts * below;
            all += example.counts;
        } else {
            below += example.counts;
        }
    }
    above / (below * all)
}

fn features(verdict: &Verdict) -> Vec<f64> {
    WEIGHTS.iter().map(|weight| (weight.of)(&verdict.measures)).collect()
}

/// What the fit is worth on pages that it was not made for.
fn crossed(examples: &[Example]) -> f64 {
    let parts: Vec<Vec<f64>> = (0..PARTS)
        .map(|part| {
            let (base, mut weights) = fit(&examples.iter().filter(|example| example.line % PARTS != part).collect::<Vec<_>>());
            weights.push(base);
            weights
        })
        .collect();
    auroc(examples, |example| &parts[example.line % PARTS])
}

const PARTS: usize = 5;

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
