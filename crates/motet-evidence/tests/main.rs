//! Evidence from outside: the crate as its users see it.
