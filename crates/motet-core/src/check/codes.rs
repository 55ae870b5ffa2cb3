//! One table of every problem the checker can report, so that each has a page and no number is used twice.
//! It holds no messages: those are written where the path or the number is known.

macro_rules! codes {
    ($($name:ident $code:literal $line:literal;)*) => {
        $(#[doc = $line] pub const $name: &str = $code;)*

        /// Every code with its one line, in order.
        pub const ALL: &[(&str, &str)] = &[$(($code, $line)),*];
    };
}

codes! {
    UNREACHABLE "M0201" "No path from the start enters a state.";
    TRAP "M0202" "From a state no final state can be reached.";
    ENDLESS_LOOP "M0203" "A loop passes no counter, or refills every counter it passes.";
    PROPERTY "M0204" "A property that the workflow requires does not hold on some path.";
    NOTHING_TO_GO_BACK_TO "M0205" "A `to: back` can be taken before any state had trouble or was named by `back`.";
    UNLIMITED_WITHOUT_PERSON "M0206" "An unlimited counter can be used without the answer of a person.";
    MAY_HANG "M0207" "A gate does not say what holds when nobody answers, so an unattended run waits there.";
    NOT_YET_PRODUCED "M0208" "A value is read where no path can have produced it.";
    KEEP_TOO_SMALL "M0209" "The share of the budget kept for a state does not cover one visit of it.";
    UNKNOWN_MAXIMUM "M0210" "A limit depends on an input that has neither a maximum nor a default.";
    NO_ROUTE_FOR_ERROR "M0211" "A state can fail and nothing says where that leads.";
    CHILD_INPUT "M0212" "A state gives another workflow an input that it does not have or does not take, or leaves out one that it needs.";
}

#[cfg(test)]
mod tests {
    #[test]
    fn codes_stand_in_order_without_gaps() {
        for (position, (code, line)) in super::ALL.iter().enumerate() {
            assert_eq!(*code, format!("M02{:02}", position + 1));
            assert!(line.ends_with('.'), "{code}");
        }
    }
}
