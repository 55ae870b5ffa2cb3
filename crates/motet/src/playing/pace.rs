//! How fast a play goes in a real process. Time itself is the play's own: it stands while anything is at work, and leaps to the next moment
//! at which something is due. A slow disk or a busy machine therefore never makes an agent of a case late.

use std::time::{Duration, Instant};

use motet_core::units::Time;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// How much of a wait really passes: 1 all of it, 0.001 a second of a quarter of an hour, 0 nothing.
    pub factor: f64,
    /// What really passes at least before anything happens, so that it can be followed.
    #[serde(default)]
    pub beat_ms: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { factor: 1.0, beat_ms: 0 }
    }
}

impl Pace {
    /// How long this much of the play's time really takes.
    fn of(self, play_ms: u64) -> Duration {
        let scaled = (play_ms as f64 * self.factor).min(u64::MAX as f64) as u64;
        Duration::from_millis(scaled.max(self.beat_ms))
    }
}

/// The time of a play.
#[derive(Debug)]
pub struct PlayClock {
    now: Time,
    pace: Pace,
    /// The leap under way: when it began, and where to.
    leap: Option<(Instant, Time)>,
}

impl PlayClock {
    pub fn new(now: Time, pace: Pace) -> Self {
        Self { now, pace, leap: None }
    }

    /// The time as it is; a leap that was interrupted has come as far as it has.
    pub fn tell(&mut self) -> Time {
        if let Some((begun, to)) = self.leap.take() {
            let whole = self.pace.of(to.since(self.now)).as_secs_f64();
            let share = if whole > 0.0 { (begun.elapsed().as_secs_f64() / whole).min(1.0) } else { 0.0 };
            self.now = self.now.plus((to.since(self.now) as f64 * share) as u64);
        }
        self.now
    }

    /// Begins to leap, and says how long that takes.
    pub fn leap(&mut self, to: Time) -> Duration {
        self.leap = Some((Instant::now(), to));
        self.pace.of(to.since(self.now))
    }

    /// The leap is over.
    pub fn land(&mut self) -> Time {
        if let Some((_, to)) = self.leap.take() {
            self.now = self.now.max(to);
        }
        self.now
    }
}
