//! Parse-back: lines, forms, lists and whole values, and what is refused.
