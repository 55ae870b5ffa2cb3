//! What a workflow may call by name: facts audited, a report verified, a report printed and measured. Plain JSON goes in and comes out.
//! Nothing is fetched and nothing is written. The archive of a run is read where there is one; else the facts' own quotations stand for it.

mod audit;
mod disputes;
mod given;
mod heading;
mod layout;
mod packing;
mod plain;
mod printing;
mod publishing;
mod rating;
mod shelf;
mod transition;
mod unreached;
mod verification;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::Value;

/// Of an input and, in a real run, of the directory in which its `assets/` lie. The error says what is wrong with the input.
pub type Function = fn(&Value, Option<&Path>) -> Result<Value, String>;

/// A function with what whoever writes a workflow must know of it.
pub struct Described {
    pub name: &'static str,
    /// What it is given and what it gives, as `{…} → {…}`.
    pub shape: &'static str,
    pub about: &'static str,
    pub function: Function,
}

/// In alphabetical order.
pub const TABLE: &[Described] = &[
    Described {
        name: "evidence.audit",
        shape: "{facts, sources, dropped, conflicts, limit, keep, taken, beside} → {untraced, overrated, facts, conflicts, voices, shown, shown_sources, left_out, tokens, …}",
        about: "Whether every fact stands in its source, how far it may be trusted, where facts disagree, and which of them fit into `limit` \
            tokens, of which the share `keep` stays free, and what is `taken` or stands `beside` the facts.",
        function: audit::audit,
    },
    Described {
        name: "evidence.verify",
        shape: "{report, facts, sources, topic, opinions, judge} → {outcome: sound | unsound, unsound: [{sentence, why}], idle, unsure: [{sentence, facts, question}], report, verdicts, sentences, cited, …}",
        about: "Every sentence of a report against the facts it names and what stands around them in the archive; the report comes back \
            without what does not hold. If a `judge` is named, `unsure` are sentences that hold by their words alone, each with what it would be \
            asked; what it answered, as `{sentence, facts, quote, reason, answer}`, goes back in as `opinions`.",
        function: verification::verify,
    },
    Described {
        name: "report.publish",
        shape: "{report, facts, sources, topic, core_question, conflicts, caveats, gaps, questions, left_out, not_reached, partial} → {outcome: open | closed, reasons, markdown, title, questions, layout, scorecard, table, verdicts, confidence, marked, …}",
        about: "The report as it is printed, whether it may be published, and its scorecard. What is not borne out is marked or not cited. `confidence` is the writer's, but no more than its facts and a partial report allow.",
        function: publishing::publish,
    },
];
