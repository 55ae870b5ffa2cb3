//! What the checker promises, on small machines, on whole workflows and on random ones.

mod machines;
mod random;
