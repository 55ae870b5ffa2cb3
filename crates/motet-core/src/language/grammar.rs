//! Every mapping of the language in one table: its keys, what each holds, and one line that explains it.
//! The reader takes its unknown-key checks from here and the published JSON Schema is generated from here, so they cannot differ.

/// A kind of mapping.
pub struct Mapping {
    pub name: &'static str,
    pub about: &'static str,
    pub keys: &'static [Key],
}

pub struct Key {
    pub name: &'static str,
    pub shape: Shape,
    pub required: bool,
    pub about: &'static str,
}

/// What a value looks like.
#[derive(Clone, Copy)]
pub enum Shape {
    /// A text, in which `{{ }}` may stand where the language says so.
    Text,
    /// A name of something declared elsewhere.
    Name,
    /// CEL, or a number, a boolean or null as written.
    Expression,
    /// Expressions in the shape of a YAML list or mapping.
    Formula,
    Duration,
    Integer,
    Number,
    Boolean,
    Percent,
    Anything,
    /// One of these words.
    Word(&'static [&'static str]),
    List(&'static Shape),
    /// Names the author chooses, each with a value of this shape.
    Names(&'static Shape),
    Mapping(&'static Mapping),
    Either(&'static [Shape]),
}

use crate::definition::KINDS;
use Shape::{Anything, Boolean, Duration, Either, Expression, Formula, Integer, List, Name, Names, Number, Percent, Text, Word};

pub const fn may(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, shape, required: false, about }
}

pub const fn must(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, shape, required: true, about }
}

const NAMES: Shape = List(&Name);
const TEXTS: Shape = List(&Text);
const FORMULAS: Shape = Names(&Formula);

pub static WORKFLOW: Mapping = Mapping {
    name: "workflow",
    about: "A workflow: the machine, who works in it, and what must hold of every run.",
    keys: &[
        must("workflow", Text, "The name of the workflow; also the name of its folder."),
        must("version", Text, "The version of the workflow, for people."),
        must("summary", Text, "One sentence that says what a run does."),
        may("aliases", TEXTS, "Other names under which the workflow can be started."),
        may("extends", Text, "Another workflow that this one changes: mappings merge, anything else replaces, null removes."),
        may("input", SHAPE, "What a run is given: a short form of JSON Schema by field, or the path of a schema."),
        may("data", FORMULAS, "What the run remembers, with first values; they may use `input`."),
        may("limits", Shape::Mapping(&LIMITS), "Limits of the whole run."),
        may("counters", Names(&Shape::Mapping(&COUNTER)), "Named, limited loop counts."),
        may("agents", Names(&Shape::Mapping(&AGENT)), "Who does the work; `all` holds what is the same for every agent."),
        may("questions", Shape::Mapping(&QUESTIONS), "What happens when an agent answers with a question."),
        may("trouble", Shape::Mapping(&TROUBLE), "Where trouble leads, unless a state answers it itself."),
        may("groups", Names(&NAMES), "States that are drawn together, under the word that exports use."),
        must("start", Name, "The first state."),
        must("states", Names(&Shape::Mapping(&STATE)), "The states, by name."),
        may("require", Names(&Text), "What must hold of every path, each rule with a name."),
        may("files", Names(&Shape::Mapping(&FILE)), "Files that people read, by path; they are rewritten as the run goes on."),
    ],
};

pub static LIMITS: Mapping = Mapping {
    name: "limits",
    about: "Limits of the whole run.",
    keys: &[
        may("cost", Expression, "The most a run may spend, in dollars; may use `input`."),
        may("time", Either(&[Duration, Expression]), "The longest a run may work; may use `input`. Waiting for people does not count."),
        may("keep", Names(&Percent), "A share of `cost` held back for a state, such as `20%`."),
    ],
};

pub static COUNTER: Mapping = Mapping {
    name: "counter",
    about: "A named, limited loop count.",
    keys: &[
        may("first", Integer, "Where counting begins; 0 unless said."),
        must(
            "max",
            Either(&[Word(&["unlimited"]), Expression]),
            "A number, an input, or `unlimited`: then only a person's answer may take it.",
        ),
    ],
};

pub static AGENT: Mapping = Mapping {
    name: "agent",
    about: "Who does the work of a task, and what comes back.",
    keys: &[
        may("prompt", Text, "The path of the prompt's template; it sees only what `with` gives."),
        may("builtin", Text, "A function of Motet that plays the agent."),
        may("workflow", Text, "Another workflow that plays the agent, as a child run."),
        may("gather", Shape::Mapping(&GATHER), "What is found and archived before the agent is asked; its prompt sees it as `gathered`."),
        may("returns", SHAPE, "`verdict`, a short form of JSON Schema by field, or the path of a schema."),
        may("words", Names(&TEXTS), "For each outcome of a verdict, the phrases or `/patterns/` that mean it in free text."),
        may("if_unclear", Shape::Mapping(&IF_UNCLEAR), "What happens when an answer cannot be read."),
        may("fails_when", Expression, "Over `result`: when the result itself says that the task failed."),
        may("retry", Shape::Mapping(&RETRY), "How often a failed task is tried, and after what waits."),
        may("timeout", Duration, "How long one call may take; 10m unless said."),
        may("fallback", NAMES, "Agents to try, in this order, once the attempts are used up."),
        may("role", Text, "Whom the user's configuration binds; the agent's name unless said."),
        may("class", Word(CLASSES), "What a restart does with a call that was started and never finished."),
        may(
            "works_in",
            Word(&["worktree"]),
            "`worktree`: each task works in a git worktree of its own, and its work comes back when it is done.",
        ),
        may("cost", Number, "The most one call may cost, in dollars, where its price is not known."),
        may("temperature", Number, "How freely the model answers, from 0 to 2."),
        may("max_tokens", Expression, "The longest answer of the model: a number, or an expression over the run."),
        may("seed", Integer, "Makes a model that can repeat itself do so."),
        may(
            "tools",
            TEXTS,
            "Tools of Motet that a model may use as this agent: `evidence.search`, `evidence.fetch`, `evidence.read`, or `evidence.*`.",
        ),
    ],
};

pub static GATHER: Mapping = Mapping {
    name: "gather",
    about: "What is found and archived before an agent is asked.",
    keys: &[
        may("search", Expression, "Over what the prompt sees: a question, or a list of them, to look for in all sources."),
        may("read", Expression, "Over the same: an address, or a list of them, to read."),
        may("in", List(&Word(&KINDS)), "The kinds of sources that are searched; all of them unless said."),
        may("at_most", Integer, "How many passages the agent is shown; 12 unless said."),
        may(
            "grounds",
            Text,
            "The field of the answer that lists facts: one whose `quote` does not stand in what was gathered is thrown away.",
        ),
        may(
            "checks",
            Text,
            "The field of the answer that lists findings: one with a `quote` says in `stands` whether it stands in what was gathered.",
        ),
    ],
};

pub const CLASSES: &[&str] = &["pure", "idempotent", "reconcilable", "unsafe"];

pub static IF_UNCLEAR: Mapping = Mapping {
    name: "if_unclear",
    about: "What happens when an answer cannot be read.",
    keys: &[
        may("ask_again", Integer, "How often the same task is asked again, with the reason; once unless said."),
        may("then", Text, "The outcome of a verdict that stays unclear; without it the task fails."),
    ],
};

pub static RETRY: Mapping = Mapping {
    name: "retry",
    about: "How often a failed task is tried.",
    keys: &[
        may("attempts", Integer, "All of them, the first included."),
        may("wait", List(&Duration), "Before the second, third, … attempt; the last value repeats."),
    ],
};

pub static QUESTIONS: Mapping = Mapping {
    name: "questions",
    about: "What happens when an agent answers with a question instead of a result.",
    keys: &[
        may("answered_by", NAMES, "Agents, or `person`, asked in this order until one answers."),
        must("at_most", Integer, "How many questions one task may ask."),
        may("deadline", Duration, "How long a person has to answer."),
        may(
            "otherwise",
            Word(&["default", "fail", "wait"]),
            "When nobody answers: the question's own default, or the task fails, or waits.",
        ),
    ],
};

pub static TROUBLE: Mapping = Mapping {
    name: "trouble",
    about: "Where trouble leads.",
    keys: &[
        may("error", Either(&ONE_TRANSITION), "A task failed, after its agent's retries and fallbacks."),
        may("budget", Either(&ONE_TRANSITION), "The money is used up."),
        may("time", Either(&ONE_TRANSITION), "The time is used up."),
    ],
};

pub static STATE: Mapping = Mapping {
    name: "state",
    about: "A state does one thing (agent, plan, gate, command, call, final), or none: then it only decides.",
    keys: &[
        may("summary", Text, "What the state is for."),
        may("agent", Name, "One task for this agent."),
        may("each", Expression, "One task per item of this list, at once; the task sees `item`."),
        may("at_most", Expression, "The most items `each` may have."),
        may("if_task_fails", Shape::Mapping(&IF_TASK_FAILS), "What happens to a task of `each` that failed."),
        may("plan", Shape::Mapping(&PLAN), "Runs the open tasks of a plan, in the order their dependencies allow."),
        may("gate", Shape::Mapping(&GATE), "Asks people."),
        may("command", Shape::Mapping(&COMMAND), "Motet runs a program; its exit code and output are evidence."),
        may("call", Text, "A built-in, pure and free."),
        may("final", Word(ENDINGS), "Ends the run."),
        may("output", Formula, "What a final state gives."),
        may("with", FORMULAS, "What the work is given, and all that a prompt sees."),
        may("save", FORMULAS, "Sets fields of `data`; every line sees the old data."),
        may("add", FORMULAS, "Appends one item each to fields of `data`; null adds nothing."),
        may("sends", Shape::Mapping(&SENDS), "A message on leaving, by default the result, to the agent that comes next."),
        may("by", Expression, "A field of the result or an input whose values are the outcomes."),
        may(
            "next",
            Either(&[Either(&ONE_TRANSITION), List(&TRANSITIONS), Names(&ROUTE)]),
            "How the run goes on: a state, transitions, or one per outcome.",
        ),
        may("trouble", Shape::Mapping(&TROUBLE), "Where trouble in this state leads."),
    ],
};

pub const ENDINGS: &[&str] = &["completed", "failed", "aborted"];

static ONE_TRANSITION: [Shape; 2] = [Name, Shape::Mapping(&TRANSITION)];
static TRANSITIONS: Shape = Either(&ONE_TRANSITION);
static ROUTE: Shape = Either(&[Name, Shape::Mapping(&TRANSITION), List(&TRANSITIONS)]);

pub static TRANSITION: Mapping = Mapping {
    name: "transition",
    about: "How a run leaves a state.",
    keys: &[
        must("to", Name, "The next state, or `back`: where trouble or `back` came from."),
        may("when", Expression, "The transition is taken if this holds; the last of a list has none."),
        may("count", Name, "The counter that this transition uses up."),
        may("exceeded", Either(&ONE_TRANSITION), "Taken instead when the counter has no room left."),
        may("reset", NAMES, "Counters that begin again."),
        may("because", Text, "The reason, kept as `run.because`."),
        may("warn", Text, "A warning that is told to people and kept."),
        may("note", Text, "A note that is told to people and kept."),
        may("partial", Boolean, "From here on a completed run counts as partial."),
        may("back", Name, "Where a later `to: back` returns."),
    ],
};

pub static PLAN: Mapping = Mapping {
    name: "plan",
    about: "Runs the open tasks of a plan.",
    keys: &[
        must("tasks", Either(&[Expression, List(&Shape::Mapping(&PLAN_TASK))]), "The tasks: an expression over data, or written out."),
        may("only", Expression, "Over `task`: which of them this state runs."),
        may("one_wave", Boolean, "Only those that are ready on entry."),
        may("by_depth", Boolean, "First those that depend on the shortest chain of others, then by number; else in the order of the list."),
        may("again", Boolean, "Every visit runs its tasks anew."),
        must("agents", NAMES, "Whom a task may name; a task that names nobody is for the first."),
        must("at_most", Expression, "The most tasks of one visit."),
        may("max_parallel", Expression, "How many run at once."),
        may("exclusive", Expression, "Over `task`: a list of resources; tasks that share one run one after another."),
        may("after_each", Shape::Mapping(&AFTER_EACH), "What is remembered when one task is done."),
        may("if_task_fails", Shape::Mapping(&IF_TASK_FAILS), "What happens to a task that failed."),
    ],
};

pub static PLAN_TASK: Mapping = Mapping {
    name: "plan_task",
    about: "A task written in the workflow; it may have more fields of its own.",
    keys: &[
        must("id", Text, "Its name among the tasks."),
        may("title", Text, "What people see."),
        may("agent", Name, "Who does it; one of the plan's `agents`."),
        may("depends_on", TEXTS, "The ids of the tasks that must be done before."),
        may("criticality", Word(&["critical", "optional"]), "Critical unless said."),
    ],
};

pub static AFTER_EACH: Mapping = Mapping {
    name: "after_each",
    about: "What is remembered when one task is done.",
    keys: &[
        may("save", FORMULAS, "Sets fields of `data`; sees `task` and `result`."),
        may("add", FORMULAS, "Appends one item each to fields of `data`; sees `task` and `result`."),
        may("warn", Text, "A warning, unless its words come out empty; sees `task`, `result` and what was saved."),
    ],
};

pub static IF_TASK_FAILS: Mapping = Mapping {
    name: "if_task_fails",
    about: "What happens to a task whose agent, retries and fallbacks have all failed.",
    keys: &[
        may("alternative", FORMULAS, "Tries once more, with these added to `with`."),
        may("compensate", FORMULAS, "One new task in its place, with these fields."),
        may("critical", ON_FAILURE, "For a critical task: `skip`, `block`, or a transition."),
        may("optional", ON_FAILURE, "For an optional task: `skip`, `block`, or a transition."),
        may("warn", Text, "A warning that is told to people and kept."),
    ],
};

const ON_FAILURE: Shape = Either(&[Word(&["skip", "block"]), Name, Shape::Mapping(&TRANSITION)]);

pub static GATE: Mapping = Mapping {
    name: "gate",
    about: "Asks people.",
    keys: &[
        must("ask", Text, "The question."),
        may("show", Text, "The path of the file to look at."),
        may("options", TEXTS, "The answers a person may choose; they are the outcomes."),
        may("text_for", TEXTS, "The options that need a sentence from the person."),
        may("questions", Expression, "Instead of options: a list of questions with defaults; the outcome is `answered`."),
        may("who", TEXTS, "Roles of the people who may answer; anyone unless said."),
        may("except", TEXTS, "Who may not: names, or `requester` for whoever started the run."),
        may("quorum", Integer, "How many people must give the same answer."),
        may("deadline", Duration, "When `otherwise` holds."),
        may(
            "otherwise",
            Text,
            "What holds at the deadline, or at once in an unattended run: an option, `defaults`, `wait`, `fail`, or an input.",
        ),
    ],
};

pub static COMMAND: Mapping = Mapping {
    name: "command",
    about: "A program that Motet runs itself.",
    keys: &[
        must("run", Either(&[TEXTS, Expression]), "The words of the command line: a list of texts, or an expression that gives one."),
        may("in", Expression, "The directory; the run's own unless said."),
        may("timeout", Duration, "How long it may take; 10m unless said."),
    ],
};

pub static SENDS: Mapping = Mapping {
    name: "sends",
    about: "A message on leaving a state.",
    keys: &[
        must("type", Text, "What kind of message it is."),
        may("to", Text, "An agent; the one of the next state unless said."),
        may("subject", Text, "One line."),
        may("body", Text, "The result unless said."),
        may("metadata", Names(&Anything), "Plain values; texts in them may hold `{{ }}`."),
    ],
};

pub static FILE: Mapping = Mapping {
    name: "file",
    about: "A file that people read.",
    keys: &[
        must("from", Text, "The path of the template."),
        may("each", Expression, "One file per item of this list; path and template see `item`."),
        may("since", Name, "Not before this state was entered."),
        may("append", Boolean, "The template gives what one event adds."),
        may(
            "edits",
            Names(&EDITS),
            "What a person may change there (`data.field`, or `item`): how it is read back, or, of a file that holds one value, only where.",
        ),
    ],
};

const EDITS: Shape = Either(&[NAMES, Shape::Mapping(&EDIT)]);

pub static EDIT: Mapping = Mapping {
    name: "edit",
    about: "How what a person changed in a file is read back.",
    keys: &[
        must("at", NAMES, "The gates at whose answer it is imported, and the states with a plan in which it is when the run is resumed."),
        must(
            "lines",
            Either(&[Text, TEXTS]),
            "The lines of one item: fixed words with fields such as `{title}`, `{phase, number}` or `{status, shown}` between them.",
        ),
        may("under", Text, "A line whose fields hold for every item below it."),
        may("fill", FORMULAS, "Fields set in every item that is new or was changed; sees `item`."),
        may("like", Text, "`agent.field`: items must have the shape of this list in what the agent returns."),
        may("refuse", Expression, "A list of reasons why not, over `data` as it would be and `before` as it is; empty takes the edit."),
    ],
};

const SHAPE: Shape = Either(&[Text, Names(&FIELD_SHAPE)]);
const FIELD_SHAPE: Shape = Either(&[Word(TYPES), List(&Anything), Shape::Mapping(&FIELD), Names(&Anything)]);

const TYPES: &[&str] = &["string", "integer", "number", "boolean", "object", "array", "duration", "null", "any"];

static FIELD: Mapping = Mapping {
    name: "field",
    about: "One field of an input or a result, in JSON Schema's words.",
    keys: &[
        may("type", Word(TYPES), "What kind of value it is."),
        may("description", Text, "What it means."),
        may("title", Text, "A name for people."),
        may("default", Anything, "What holds when it is not given."),
        may("env", Text, "The environment variable that gives it when nothing else does."),
        may("enum", List(&Anything), "The values it may have."),
        may("const", Anything, "The one value it may have."),
        may("examples", List(&Anything), "Values that show what is meant."),
        may("env", Text, "Of an input: the environment variable that gives it where the command line does not."),
        may("unique", Boolean, "Of an input: whether no two runs of the workflow may be given the same, other than the empty text."),
        may("minLength", Integer, "The shortest text."),
        may("maxLength", Integer, "The longest text."),
        may("pattern", Text, "A regular expression that a text must match."),
        may("format", Text, "A format of JSON Schema, such as `uri`."),
        may("minimum", Either(&[Number, Duration]), "The least."),
        may("maximum", Either(&[Number, Duration]), "The most."),
        may("exclusiveMinimum", Number, "More than this."),
        may("exclusiveMaximum", Number, "Less than this."),
        may("multipleOf", Number, "A multiple of this."),
        may("items", Anything, "What the items of a list are."),
        may("minItems", Integer, "The fewest items."),
        may("maxItems", Integer, "The most items."),
        may("uniqueItems", Boolean, "No item twice."),
        may("properties", Names(&Anything), "The fields of an object."),
        may("required", TEXTS, "The fields an object must have."),
        may("additionalProperties", Anything, "Whether an object may have other fields."),
        may("anyOf", List(&Anything), "One of these shapes."),
        may("oneOf", List(&Anything), "Exactly one of these shapes."),
        may("allOf", List(&Anything), "All of these shapes."),
    ],
};

impl Mapping {
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }
}
