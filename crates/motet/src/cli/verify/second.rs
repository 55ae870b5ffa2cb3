//! What a model thinks of a report: asked where the words alone decide, shown as its opinion.

use std::collections::BTreeMap;

use motet_evidence::claim::{Opinion, Question};
use motet_evidence::report::{Unsure, Verification};
use serde_json::{Value, json};

use crate::cli::{Context, Tone, output};
use crate::judging::Judge;
use crate::progress::words;

/// What a model thinks of the sentences that the words alone decide, by their place. It closes the report if it objects; it opens nothing that the
/// rules have closed.
pub struct Second {
    model: String,
    pub opinions: BTreeMap<usize, Opinion>,
    /// Why there is no opinion on the others.
    pub unheard: Vec<String>,
}

impl Second {
    pub fn of(judge: &Judge, asked: Vec<Unsure>) -> Self {
        let (places, questions): (Vec<usize>, Vec<Question>) = asked.into_iter().map(|unsure| (unsure.place, unsure.question)).unzip();
        let mut second = Self { model: judge.name.clone(), opinions: BTreeMap::new(), unheard: Vec::new() };
        for (place, heard) in places.into_iter().zip(judge.ask(questions)) {
            match heard {
                Ok(opinion) => drop(second.opinions.insert(place, opinion)),
                Err(why) => second.unheard.push(why),
            }
        }
        second
    }

    /// Whether it was heard on every sentence and objects to none.
    pub fn is_content(&self) -> bool {
        self.objections() == 0 && self.unheard.is_empty()
    }

    fn objections(&self) -> usize {
        self.opinions.values().filter(|opinion| opinion.objects()).count()
    }

    pub fn show(&self, context: &Context) {
        let asked = words::count((self.opinions.len() + self.unheard.len()) as u64, "cited sentence");
        let objections = self.objections();
        let line =
            format!("{} was asked about {asked} that the words alone decide; in its opinion {objections} of them do not hold", self.model);
        output::line(context.paint.text(if objections == 0 { Tone::Quiet } else { Tone::Bad }, &line));
        if let Some(why) = self.unheard.first() {
            output::line(format!(
                "{} it gave no usable answer on {} of them: {why}",
                context.paint.text(Tone::Bad, "✗"),
                self.unheard.len()
            ));
        }
    }

    pub fn listed(&self, verification: &Verification) -> Vec<Value> {
        let listed = self.opinions.iter();
        listed.map(|(place, opinion)| json!({ "sentence": verification.sentences[*place].sentence.text, "opinion": opinion })).collect()
    }
}
