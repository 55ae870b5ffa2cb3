//! The mappings of a case file, in the same kind of table as the language's own.
//! What the keys mean is read in `parse`.

use crate::language::grammar::Shape::{Anything, Boolean, Duration, Either, Integer, List, Names, Number, Text, Word};
use crate::language::grammar::{Mapping, Shape, may, must};

pub static CASE: Mapping = Mapping {
    name: "case",
    about: "A case: a scripted test of a workflow.",
    keys: &[
        must("case", Text, "What the case shows, in a sentence."),
        may("input", Names(&Anything), "The input of the run."),
        may("unattended", Boolean, "Nobody answers gates; their `otherwise` holds at once."),
        may("budget", Number, "Dollars, instead of the workflow's own limit."),
        may("max_time", Duration, "Instead of the workflow's own limit."),
        may("prices", Names(&Shape::Mapping(&PRICE)), "By agent, the price of who played it: what is reserved for its calls."),
        may("agents", Names(&LINES), "What each agent does, call by call; commands by the name of their state."),
        may("gates", Names(&GATE_LINES), "What people answer, gate by gate; also `question`, `permission` and `interrupted`."),
        may("events", List(&Shape::Mapping(&EVENT)), "What happens from outside."),
        must("expect", Shape::Mapping(&EXPECT), "What must hold at the end; what is absent is not compared."),
    ],
};

static LINES: Shape = Either(&[List(&LINE_OR_VALUE), Shape::Mapping(&LINE), Anything]);
static LINE_OR_VALUE: Shape = Either(&[Shape::Mapping(&LINE), Anything]);
static GATE_LINES: Shape = Either(&[Text, Shape::Mapping(&GATE_LINE), List(&ONE_GATE_LINE)]);
static ONE_GATE_LINE: Shape = Either(&[Text, Shape::Mapping(&GATE_LINE)]);
static TEXTS: Shape = List(&Text);

pub static PRICE: Mapping = Mapping {
    name: "price",
    about: "What a backend costs, and how much one call of it can be.",
    keys: &[
        may("call", Number, "Dollars for each call."),
        may("input_per_million", Number, "Dollars for a million tokens of what is sent."),
        may("output_per_million", Number, "Dollars for a million tokens of what is answered."),
        may("max_tokens", Integer, "The longest answer, instead of the workflow's own limit."),
        may("turns", Integer, "How often one call may ask the backend."),
        may("tool_tokens", Integer, "The most tokens that the tools of one call add."),
        may("verdict_tokens", Integer, "The most tokens that the shape of a verdict adds."),
    ],
};

/// One of these makes a mapping a line.
pub const DEEDS: [&str; 5] = ["returns", "fails", "asks", "exit", "hangs"];

pub static LINE: Mapping = Mapping {
    name: "line",
    about: "One call of an agent or a command.",
    keys: &[
        may("returns", Anything, "What comes back."),
        may("fails", Word(FAILURES), "The call fails, in this way."),
        may("message", Text, "What the failure says."),
        may("asks", Text, "The agent asks this instead of answering."),
        may("options", List(&Text), "The answers it offers."),
        may("default", Text, "The answer that holds when nobody gives one."),
        may("permission", Boolean, "The question is the program's: whether it may do this."),
        may("person", Boolean, "The question is the task itself, put to the person who plays the agent."),
        may("unattended", Word(UNATTENDED), "What becomes of the question where nobody is there, as the user's settings say it."),
        may("exit", Integer, "The exit code of a command."),
        may("stdout", Text, "What the command prints."),
        may("stderr", Text, "What it prints as errors."),
        may(
            "hangs",
            Either(&[Boolean, Word(&[UNTIL_CRASH])]),
            "It never answers: the timeout must end it, or the next crash (`until_crash`).",
        ),
        may("delay_ms", Integer, "How long it takes."),
        may("tokens", Integer, "Tokens of the answer; the same as `tokens_out`."),
        may("tokens_in", Integer, "Tokens of the prompt."),
        may("tokens_out", Integer, "Tokens of the answer."),
        may("cost", Number, "What it costs, in dollars."),
        may("tool_calls", Integer, "How many tools it calls."),
        may("times", Either(&[Integer, Word(&["all"])]), "How many calls this line answers; once unless said."),
        may("task", Text, "Only for a task whose id, plan task or item contains this."),
    ],
};

pub const FAILURES: &[&str] = &[
    "timeout",
    "unavailable",
    "rate_limited",
    "invalid_output",
    "reported",
    "crashed",
    "interrupted",
    "refused",
    "not_found",
    "configuration",
    "invalid_workflow",
    "budget",
    "cancelled",
];

/// How a line hangs that is over once a crash has found it at work.
pub const UNTIL_CRASH: &str = "until_crash";

pub const UNATTENDED: &[&str] = &["default", "wait", "fail"];

pub static GATE_LINE: Mapping = Mapping {
    name: "answer",
    about: "What a person answers at a gate.",
    keys: &[
        may("option", Text, "The chosen option."),
        may("text", Text, "The sentence that goes with it, or the answer to an agent's question."),
        may("answers", Names(&Text), "Answers by the id of the question."),
        may("by", Text, "Who answers."),
        may("after", Duration, "How long the gate has been open by then."),
        may("silent", Boolean, "Nobody answers; the deadline passes."),
        may("edits", Names(&Anything), "Fields of `data` that the person changes in a file before answering."),
    ],
};

/// One of these says what happens.
pub const HAPPENINGS: [&str; 4] = ["pause", "resume", "cancel", "crash"];

pub static EVENT: Mapping = Mapping {
    name: "event",
    about: "Something that happens from outside.",
    keys: &[
        may("after", Duration, "After the run's start, or after the state `in` was entered."),
        may("in", Text, "Once the run is in this state."),
        may("pause", Boolean, "A person pauses the run."),
        may("resume", Either(&[Boolean, Shape::Mapping(&RESUME)]), "A person resumes it, perhaps with wider limits."),
        may("cancel", Boolean, "A person cancels it."),
        may("crash", Boolean, "The process dies, and a new one takes over."),
    ],
};

pub static RESUME: Mapping = Mapping {
    name: "resume",
    about: "New limits of the whole run, and what was edited in its files.",
    keys: &[
        may("budget", Number, "Dollars."),
        may("max_time", Duration, "Of the whole run."),
        may("edits", Names(&Anything), "Fields of `data` that the person has changed in a file."),
    ],
};

pub const STATUSES: &[&str] = &["completed", "partial", "failed", "aborted", "cancelled", "running", "waiting", "paused"];

pub static EXPECT: Mapping = Mapping {
    name: "expect",
    about: "What must hold at the end; what is absent is not compared.",
    keys: &[
        may("status", Word(STATUSES), "How the run stands."),
        may("because", Text, "The last reason."),
        may("path", List(&Text), "The states entered, in order."),
        may("counters", Names(&Integer), "How far each counter is."),
        may("output", Anything, "Fields that the output must have."),
        may("data", Anything, "Fields that the data must have."),
        may("warnings", List(&Text), "Each must be contained in some warning, in this order."),
        may("notes", List(&Text), "Each must be contained in some note, in this order."),
        may("errors", List(&Text), "Each must be contained in some error, in this order."),
        may("messages", List(&Anything), "Fields that each message must have, in order."),
        may("files", Names(&Anything), "By path: text that the file contains, a list of such texts, `{ equals: … }` or `{ json: … }`."),
        may("spent", Number, "Dollars."),
        may("tokens", Integer, "Of all calls."),
        may("duration", Duration, "From start to end."),
        may("calls", Names(&Integer), "How often each agent was called."),
        may("together", List(&TEXTS), "Plan tasks that ran at the same moment."),
        may("refused", List(&Text), "Words of the refusals that must have been given."),
    ],
};
