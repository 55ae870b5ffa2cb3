//! A case being played: what its agents and people say, what happens from outside, and in what order.
//! `Play` plays it in a real, durable run; a rehearsal plays the same parts in memory.

mod agenda;
mod outside;
mod pace;
mod people;
mod play;
mod recalling;

pub use agenda::{Agenda, Due};
pub use outside::Outside;
pub use pace::Pace;
pub use people::{People, edit, name_of};
pub use play::Play;
pub use recalling::{Past, latest};
