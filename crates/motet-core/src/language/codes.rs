//! One table of every problem in the structure of a workflow, so that each has a page and no number is used twice.
//! It holds no messages: those say what happened in one file and are written where that is known. Expressions and
//! templates have codes of their own.

macro_rules! codes {
    ($($name:ident $code:literal $line:literal;)*) => {
        $(#[doc = $line] pub const $name: &str = $code;)*

        /// Every code with its one line, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $line)),*];
    };
}

codes! {
    SYNTAX "M0101" "The file is not YAML, or uses a part of YAML that the language leaves out.";
    UNKNOWN_KEY "M0102" "A mapping has a key that means nothing there.";
    MISSING_KEY "M0103" "A mapping lacks a key that it needs.";
    UNKNOWN_STATE "M0104" "A name stands where a state is meant, and no state has it.";
    UNKNOWN_AGENT "M0105" "A name stands where an agent is meant, and no agent has it.";
    UNKNOWN_COUNTER "M0106" "A name stands where a counter is meant, and no counter has it.";
    PLAN_TASK "M0107" "A task written in the workflow cannot be run.";
    NO_END "M0108" "No state ends the run.";
    WRONG_TYPE "M0109" "A value has the wrong shape: a list for a word, a word for a number.";
    DUPLICATE "M0110" "The same name or key stands twice.";
    OUTCOME_WITHOUT_ROUTE "M0111" "A state can have an outcome for which `next` has no line.";
    UNKNOWN_OUTCOME "M0112" "A line of `next`, or a place of a rule, names an outcome that the state cannot have.";
    MISSING_FILE "M0113" "A prompt, schema or template is named and is not in the folder.";
    SCHEMA "M0114" "A shape is not a valid JSON Schema, or a default does not fit it.";
    REQUIRE_SENTENCE "M0115" "A line of `require` is none of the four sentences.";
    UNGUARDED "M0116" "In a list of transitions only the last has no `when`, and it must have none.";
    UNKNOWN_VARIABLE "M0117" "An expression or a text reads something that does not exist.";
    TOO_LARGE "M0118" "A file is larger, or nested deeper, than a workflow may be.";
    UNLIMITED_COUNTER "M0119" "An unlimited counter stands where no person decides.";
    EXCEEDED "M0120" "A counted transition does not say what holds once the counter is used up, or says it for nothing.";
    GATE "M0121" "A gate asks in a way that cannot be answered.";
    NOT_AN_ENUMERATION "M0122" "`by` names something whose values are not known from the text.";
    FALLBACK "M0123" "A chain of fallbacks leads back to itself, or to an agent with other outcomes.";
    UNKNOWN_BUILTIN "M0124" "Motet has no built-in, or no tool, of this name.";
    UNKNOWN_WORKFLOW "M0125" "A workflow is extended or called that does not exist, or that extends itself.";
    BAD_NAME "M0126" "A name cannot be used in expressions, or already means something.";
    CONFLICT "M0127" "Two keys exclude each other, or a key has no meaning beside the others.";
    PROMPT_VARIABLE "M0128" "A prompt, or its rule in `offline.yaml`, reads a name that some state using it does not give in `with`.";
    ONLY_INPUT "M0129" "A value is needed before the run has begun, so it may use `input` only.";
    KEEP "M0130" "The shares held back of the budget are more than there is, or of nothing.";
    PATH "M0131" "A file would be written outside the folder of the run.";
    UNUSED "M0132" "Something is declared and never used.";
    EDIT "M0133" "What a person may edit in a file is described in a way that cannot be read back.";
    OFFLINE_RULE "M0134" "A rule in `offline.yaml` plays nobody, or cannot give what its agent returns.";
}

#[cfg(test)]
mod tests {
    #[test]
    fn codes_stand_in_order_without_gaps() {
        for (position, (code, line)) in super::ALL.iter().enumerate() {
            assert_eq!(*code, format!("M01{:02}", position + 1));
            assert!(line.ends_with('.'), "{code}");
        }
    }
}
