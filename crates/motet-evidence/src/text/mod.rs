//! Text as claims and sources are compared by: sentences, tokens, words, numbers and names, each with its place.
//! It judges nothing: what follows from a number that is missing is decided in `claim`.

mod digits;
mod language;
mod names;
mod normal;
mod numbers;
mod sentences;
mod shingles;
mod span;
mod tokens;
mod vocabulary;
pub mod words;

pub use digits::{our_digit, our_sign};
pub use language::{is_english, is_english_grammar};
pub use names::{Name, SIDES, initials, is_never_a_name, names};
pub use normal::Normal;
pub use numbers::{Currency, Measure, Number, Qualifier, Sign, begins_number, numbers, without_numbers};
pub use sentences::sentences;
pub use shingles::{Shingles, longest_common_run};
pub use span::Span;
pub use tokens::{Kind, Token, fold, fold_into, is_sign, tokens};
pub use vocabulary::Vocabulary;
