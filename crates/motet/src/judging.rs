//! Asks a model for its opinion on claims outside of any run. Nothing is journaled here and no money is reserved, so only a model that costs
//! nothing is asked; runs may ask any.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;

use motet_agents::{Context as Attempt, Outcome, Performer, Request, hide};
use motet_core::definition::{Class, ModelSettings};
use motet_core::event::Price;
use motet_core::units::Usd;
use motet_core::{Call, CallWork};
use motet_evidence::claim::{Opinion, Question};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::casting::{Backend, Casting, Part, Workshop, obstacle, parts};
use crate::cli::{Context, Failure, output};
use crate::config::{Config, EVERYBODY, Overrides, Surroundings};

/// For one question; a small machine takes its time.
const PATIENCE: Duration = Duration::from_secs(300);
/// An opinion is a sentence with a quotation.
const LONGEST_ANSWER: u64 = 1000;
/// So many questions are asked at once; the provider's own limits hold besides.
const AT_ONCE: usize = 4;
const WORTH_TELLING: usize = 5;

pub struct Judge {
    performer: Performer,
    runtime: Runtime,
    /// As the settings call it: `provider/model`.
    pub name: String,
}

impl Judge {
    /// The model of that name, if it can be reached and costs nothing.
    pub fn of(model: &str, context: &Context) -> Result<Self, Failure> {
        let overrides = Overrides { model: Some(model.into()), ..Overrides::default() };
        let config = Config::load(&Surroundings::of_process(&context.directory), &overrides)?;
        let part = parts(&config).remove(EVERYBODY).map(alone);
        let Some((part, Backend::Model(binding))) = part.as_ref().map(|part| (part, &part.link.backend)) else {
            return Err(Failure::invalid(format!("`{model}` is no model")).help("name one as `provider/model`"));
        };
        let name = part.link.backend.title();
        if part.link.price != Some(Price::default()) {
            return Err(Failure::invalid(format!("{name} is not free, and money is spent by runs only, where it is reserved and booked"))
                .help("choose a local model, or one that the settings declare free (`free = true` of its provider)")
                .help("a run may ask any model: see `second_opinion` among the inputs of a workflow that has it"));
        }
        let casting = Casting { roles: [(EVERYBODY.to_string(), part.clone())].into(), ..Casting::default() };
        let redactor = hide(casting.secrets());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| Failure::failed(format!("the threads for the model could not be started: {error}")))?;
        if let Some(failure) = runtime.block_on(obstacle(binding)) {
            return Err(Failure::failed(failure.message));
        }
        let performer = casting.performer(&Workshop::new(&casting.tools), redactor);
        Ok(Self { performer, runtime, name })
    }

    /// One opinion for each question, in their order, or why there is none. Whoever waits at a terminal is told how far it is.
    pub fn ask(&self, questions: Vec<Question>) -> Vec<Result<Opinion, String>> {
        let count = questions.len();
        let is_watched = std::io::stderr().is_terminal();
        let mut heard = BTreeMap::new();
        self.runtime.block_on(async {
            let room = Arc::new(Semaphore::new(AT_ONCE));
            let mut asking = JoinSet::new();
            for (place, question) in questions.into_iter().enumerate() {
                let (performer, name, room) = (self.performer.clone(), self.name.clone(), room.clone());
                asking.spawn(async move {
                    let _room = room.acquire().await;
                    (place, opinion(&performer, &name, &question, place).await)
                });
            }
            while let Some(Ok((place, opinion))) = asking.join_next().await {
                heard.insert(place, opinion);
                if is_watched && heard.len() % WORTH_TELLING == 0 {
                    output::error(&format!("{}: {} of {count} claims judged\n", self.name, heard.len()));
                }
            }
        });
        (0..count).map(|place| heard.remove(&place).unwrap_or_else(|| Err("it was not heard".into()))).collect()
    }
}

async fn opinion(performer: &Performer, name: &str, question: &Question, place: usize) -> Result<Opinion, String> {
    let request = Request { prompt: Some(question.prompt.clone()), schema: Some(Question::schema()), ..Request::new(call(place)) };
    let (context, _stop) = Attempt::new();
    match performer.perform(request, &context).await {
        Outcome::Returned { result, .. } => Ok(question.read(&result, name)),
        Outcome::Failed { failure, .. } => Err(failure.message),
        Outcome::Asked { question, .. } => Err(format!("it asked back: {}", question.question)),
    }
}

/// Whoever would stand in for a model that was chosen by its name was not chosen, and is given no tools.
fn alone(part: Part) -> Part {
    Part { fallback: Vec::new(), tools: Vec::new(), ..part }
}

fn call(place: usize) -> Call {
    let name = format!("opinion.{}", place + 1);
    Call {
        run: "opinion".into(),
        task: name.as_str().into(),
        attempt: 1,
        key: name,
        agent: "judge".into(),
        role: "judge".into(),
        work: CallWork::Prompt,
        input: Value::Null,
        correction: None,
        answers: Vec::new(),
        timeout_ms: PATIENCE.as_millis() as u64,
        class: Class::default(),
        works_in: None,
        model: ModelSettings { temperature: Some(0.0), max_tokens: Some(LONGEST_ANSWER), ..Default::default() },
        reserved: Usd::ZERO,
        unattended: true,
    }
}
