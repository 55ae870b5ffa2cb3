//! What the fake model says and how the fake server breaks, in words that belong to no provider.
//! How each provider puts it on the wire is told in the provider's own file.

use std::time::Duration;

use serde_json::Value;

/// What happens to one call.
#[derive(Clone, Debug)]
pub enum Line {
    Says(Said),
    /// Refuses the call with a status, in the provider's own words.
    Fails(Fault),
    /// A status, headers and a body, as they are.
    Answers(u16, Vec<(String, String)>, String),
    /// Begins to answer, and then sends something that is not in the provider's format.
    Garbles,
    /// Begins to answer and closes the connection in the middle.
    Cuts,
    /// Begins to answer, and ends the stream properly but before the answer is done.
    EndsEarly,
    /// Begins to answer and says nothing more.
    Stalls,
    /// Takes the call and never answers.
    Silent,
    /// Begins to answer, and then says within the stream that it cannot go on.
    GivesUp,
    /// The same beside a piece of the answer, and then ends the stream as if all were well.
    GivesUpBeside,
    /// Fails with the status of success, and says so in plain JSON.
    HidesFault(Fault),
    /// Streams these bytes as the body of a successful answer.
    Raw(String),
}

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Said {
    pub pieces: Vec<String>,
    /// In the field that the provider has for it.
    pub thoughts: Option<String>,
    pub calls: Vec<Use>,
    pub ending: Ended,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Whether the server counts tokens at all.
    pub counts: bool,
    /// The pause before each piece.
    pub pause: Duration,
    pub manner: Manner,
}

/// Whose way of speaking OpenAI's format it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    #[default]
    OpenAi,
    /// Begins with an answer that is null, and ends with times that it measured.
    LlamaCpp,
}

/// The use of a tool that the fake model asks for.
#[derive(Clone, Debug)]
pub struct Use {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Done,
    /// At the limit of tokens.
    CutOff,
    /// The provider withheld the rest.
    Filtered,
    /// The model declined in so many words.
    Declined,
    /// With this word, whatever it means.
    Saying(&'static str),
}

/// What a server refuses a call with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Unauthorised,
    Forbidden,
    NoSuchModel,
    TookTooLong,
    /// With the value of `Retry-After`, if it has one.
    TooMany(Option<String>),
    /// Anthropic's own status, with the value of `Retry-After`, if it has one.
    Overloaded(Option<String>),
    Broken,
    /// With the value of `Retry-After`, if it has one.
    Busy(Option<String>),
    /// The server has started and its model has not.
    Loading,
    TooLong,
    Filtered,
    OutOfMoney,
}

impl Line {
    pub fn says(text: impl Into<String>) -> Self {
        Line::Says(Said::new(text))
    }
}

impl Said {
    pub fn new(text: impl Into<String>) -> Self {
        Self::in_pieces([text])
    }

    pub fn in_pieces<Piece: Into<String>>(pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self {
            pieces: pieces.into_iter().map(Into::into).collect(),
            thoughts: None,
            calls: Vec::new(),
            ending: Ended::Done,
            tokens_in: 26,
            tokens_out: 9,
            counts: true,
            pause: Duration::ZERO,
            manner: Manner::OpenAi,
        }
    }

    pub fn counted(self, tokens_in: u64, tokens_out: u64) -> Self {
        Self { tokens_in, tokens_out, ..self }
    }

    pub fn uncounted(self) -> Self {
        Self { counts: false, ..self }
    }

    pub fn thinking(self, thoughts: impl Into<String>) -> Self {
        Self { thoughts: Some(thoughts.into()), ..self }
    }

    pub fn ending(self, ending: Ended) -> Self {
        Self { ending, ..self }
    }

    pub fn like_llama_cpp(self) -> Self {
        Self { manner: Manner::LlamaCpp, ..self }
    }

    pub fn slowly(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Asks for a tool besides.
    pub fn using(mut self, name: &str, arguments: Value) -> Self {
        self.calls.push(Use { id: format!("call_{}", self.calls.len() + 1), name: name.into(), arguments });
        self
    }
}

impl Fault {
    pub fn status(&self) -> u16 {
        match self {
            Fault::Unauthorised => 401,
            Fault::Forbidden => 403,
            Fault::NoSuchModel => 404,
            Fault::TookTooLong => 408,
            Fault::TooMany(_) | Fault::OutOfMoney => 429,
            Fault::Overloaded(_) => 529,
            Fault::Broken => 500,
            Fault::Busy(_) | Fault::Loading => 503,
            Fault::TooLong | Fault::Filtered => 400,
        }
    }

    pub fn retry_after(&self) -> Option<&str> {
        match self {
            Fault::TooMany(wait) | Fault::Busy(wait) | Fault::Overloaded(wait) => wait.as_deref(),
            _ => None,
        }
    }
}
