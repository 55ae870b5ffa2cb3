//! What surrounds one attempt: where it may work, whom it tells of its progress, what it puts on record, and how it is told to stop.
//! Only what is put on record is journaled, and the machine does not look at it: nothing here may decide anything.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use motet_core::event::Price;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::delay::Delay;
use crate::exchange::Exchange;
use crate::redaction::{Redactor, Stream};
use crate::spool::Spool;
use crate::tools::Toolbox;

/// What a person watching the run may like to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The next piece of the answer, as it is being written.
    Text(String),
    /// A line for the log: what a program printed, what a backend noticed.
    Log(String),
    /// Nothing moves until this has happened.
    Waiting(String),
    /// A provider takes no calls just now, and the attempt's clock stands until it does.
    HeldUp {
        by: String,
        line: String,
        /// As far as it is known.
        lasts: Option<Duration>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    TimedOut,
    Cancelled,
}

/// Ends an attempt. Dropping it stops nothing.
#[derive(Debug)]
pub struct Stop(watch::Sender<Option<StopReason>>);

impl Stop {
    /// The first reason stays.
    pub fn stop(&self, reason: StopReason) {
        self.0.send_if_modified(|current| {
            let first = current.is_none();
            current.get_or_insert(reason);
            first
        });
    }
}

#[derive(Clone)]
pub struct Context {
    run_directory: Option<PathBuf>,
    /// Where all runs and their journal are.
    home: Option<PathBuf>,
    working_directory: Option<PathBuf>,
    /// Where the project is, for who works in a tree of its own.
    project: Option<PathBuf>,
    progress: Arc<dyn Fn(Progress) + Send + Sync>,
    record: Arc<Mutex<Vec<Exchange>>>,
    spool: Option<Arc<Spool>>,
    price: Option<Price>,
    delay: Delay,
    /// How much of the attempt's time had passed before its backend is asked.
    used: Duration,
    /// When somebody else is asked instead of waiting any longer.
    waits_until: Option<Instant>,
    toolbox: Option<Arc<dyn Toolbox>>,
    redactor: Redactor,
    /// What was written so far and may be the beginning of a secret.
    stream: Arc<Mutex<Stream>>,
    stop: watch::Receiver<Option<StopReason>>,
}

impl Context {
    /// Silent and without directories, until told otherwise.
    pub fn new() -> (Self, Stop) {
        let (sender, receiver) = watch::channel(None);
        let redactor = Redactor::default();
        let context = Self {
            run_directory: None,
            home: None,
            working_directory: None,
            project: None,
            progress: Arc::new(|_| {}),
            record: Arc::default(),
            spool: None,
            price: None,
            delay: Delay::default(),
            used: Duration::ZERO,
            waits_until: None,
            toolbox: None,
            stream: Arc::new(Mutex::new(redactor.stream())),
            redactor,
            stop: receiver,
        };
        (context, Stop(sender))
    }

    /// Where the run's files are; logs go below it.
    pub fn in_run_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.run_directory = Some(directory.into());
        self
    }

    /// Where Motet keeps its runs and their journal: nothing there is read or written for an agent, but for what its own run shows.
    pub fn keeping_runs_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.home = Some(directory.into());
        self
    }

    /// Where programs run: the project, or the task's own worktree. By default where this process runs.
    pub fn working_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.working_directory = Some(directory.into());
        self
    }

    /// The same surroundings, but for a tree of the project in which programs run instead.
    pub(crate) fn in_tree(&self, directory: impl Into<PathBuf>) -> Self {
        Self { project: self.working_directory.clone(), working_directory: Some(directory.into()), ..self.clone() }
    }

    /// A program that is named by its place in the project is that one, though another of the same name may stand in the tree.
    pub(crate) fn program(&self, named: &str) -> PathBuf {
        let there = self.project.as_ref().filter(|_| named.contains('/')).map(|project| project.join(named));
        there.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(named))
    }

    pub fn telling(mut self, progress: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress = Arc::new(progress);
        self
    }

    /// Tools for this one attempt, for a backend that can use any.
    pub fn offering(mut self, toolbox: Arc<dyn Toolbox>) -> Self {
        self.toolbox = Some(toolbox);
        self
    }

    /// So much of the attempt's time went into what had to be done before its backend could be asked.
    pub fn having_used(mut self, time: Duration) -> Self {
        self.used = time;
        self
    }

    pub(crate) fn used(&self) -> Duration {
        self.used
    }

    /// Nothing that is told or put on record holds one of these secrets.
    pub fn redacting(mut self, redactor: Redactor) -> Self {
        self.stream = Arc::new(Mutex::new(redactor.stream()));
        self.redactor = redactor;
        self
    }

    /// What is put on record is kept there as well while the attempt goes on.
    pub fn spooling_to(mut self, spool: Spool) -> Self {
        self.spool = Some(Arc::new(spool));
        self
    }

    /// The same surroundings, in which exchanges cost this much.
    pub(crate) fn at_price(&self, price: Price) -> Self {
        Self { price: Some(price), ..self.clone() }
    }

    /// What exchanges cost here, where they cost anything.
    pub(crate) fn price(&self) -> Option<Price> {
        self.price
    }

    /// How long the attempt was held up, for whoever limits its time.
    pub fn delay(&self) -> &Delay {
        &self.delay
    }

    /// The same surroundings, in which a provider that takes no calls is waited for only until then.
    pub(crate) fn waiting_until(&self, moment: Option<Instant>) -> Self {
        Self { waits_until: moment, ..self.clone() }
    }

    pub(crate) fn waits_until(&self) -> Option<Instant> {
        self.waits_until
    }

    pub(crate) fn toolbox(&self) -> Option<&Arc<dyn Toolbox>> {
        self.toolbox.as_ref()
    }

    /// For what a backend writes anywhere else, such as a log.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub fn run_directory(&self) -> Option<&Path> {
        self.run_directory.as_deref()
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    pub fn working_directory(&self) -> Option<&Path> {
        self.working_directory.as_deref()
    }

    pub fn tell(&self, progress: Progress) {
        if self.redactor.is_idle() {
            return (self.progress)(progress);
        }
        match progress {
            Progress::Text(piece) => {
                let shown = self.stream.lock().unwrap_or_else(PoisonError::into_inner).push(&piece);
                self.tell_text(shown);
            }
            // What is held back of an answer stays so: its next piece may complete a secret, whatever is told in between.
            Progress::Log(line) => (self.progress)(Progress::Log(self.redactor.string(line))),
            Progress::Waiting(line) => (self.progress)(Progress::Waiting(self.redactor.string(line))),
            Progress::HeldUp { by, line, lasts } => (self.progress)(Progress::HeldUp { by, line: self.redactor.string(line), lasts }),
        }
    }

    /// What was held back because it might have been a secret. Only for the end of the attempt, after which nothing completes it.
    pub(crate) fn tell_rest(&self) {
        let rest = self.stream.lock().unwrap_or_else(PoisonError::into_inner).rest();
        self.tell_text(rest);
    }

    fn tell_text(&self, text: String) {
        if !text.is_empty() {
            (self.progress)(Progress::Text(text));
        }
    }

    /// Puts an exchange on record. It is journaled with what the attempt came to, even if that is a failure.
    pub fn record(&self, exchange: Exchange) {
        let exchange = match self.price {
            Some(price) => exchange.priced(&price),
            None => exchange,
        };
        let exchange = self.redactor.record(exchange);
        if let Some(spool) = &self.spool {
            spool.add(&exchange);
        }
        self.record.lock().unwrap_or_else(PoisonError::into_inner).push(exchange);
    }

    /// All that was put on record so far, taken away.
    pub fn recorded(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Resolves when nobody waits for this attempt any more; never, if that does not happen.
    pub async fn stopped(&self) -> StopReason {
        let mut stop = self.stop.clone();
        let reason = stop.wait_for(Option::is_some).await.ok().and_then(|reason| *reason);
        match reason {
            Some(reason) => reason,
            None => std::future::pending().await,
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.borrow().is_some()
    }

    /// Why nobody waits for this attempt any more, if so.
    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        *self.stop.borrow()
    }

    /// The same surroundings with a stop of their own; the caller passes the outer one on.
    pub(crate) fn inner(&self) -> (Self, Stop) {
        let (sender, receiver) = watch::channel(None);
        (Self { stop: receiver, ..self.clone() }, Stop(sender))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Context")
            .field("run_directory", &self.run_directory)
            .field("working_directory", &self.working_directory)
            .field("stop", &*self.stop.borrow())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    /// Everything that is shown of a secret whose halves come with this between them.
    fn check(between: Progress) {
        let shown = Arc::new(Mutex::new(String::new()));
        let all = shown.clone();
        let told = move |progress: Progress| all.lock().unwrap().push_str(&format!("{progress:?}\n"));
        let redactor = Redactor::new([Secret::new("sk-live-0123456789abcdefghij")]);
        let context = Context::new().0.telling(told).redacting(redactor);
        context.tell(Progress::Text("the key is sk-live-01234567".into()));
        context.tell(between.clone());
        context.tell(Progress::Text("89abcdefghij, and sk-live".into()));
        context.tell_rest();
        let expected = ["Text(\"the key is \")", &format!("{between:?}"), "Text(\"[redacted], and \")", "Text(\"sk-live\")", ""];
        assert_eq!(*shown.lock().unwrap(), expected.join("\n"));
    }

    #[test]
    fn a_secret_is_not_shown_in_halves_by_what_is_told_between_them() {
        check(Progress::Log("a line".into()));
        check(Progress::Waiting("for the build".into()));
        check(Progress::HeldUp { by: "openai".into(), line: "waiting".into(), lasts: None });
    }
}
