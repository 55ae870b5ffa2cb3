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

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;

    #[test]
    fn a_leap_takes_its_share_of_the_time_but_at_least_a_beat() {
        let check = |factor, beat_ms, real_ms| {
            let mut clock = PlayClock::new(Time(1000), Pace { factor, beat_ms });
            assert_eq!(clock.leap(Time(1000).plus(HOUR)), Duration::from_millis(real_ms));
            assert_eq!(clock.land(), Time(1000).plus(HOUR), "however long it really took");
            assert_eq!(clock.tell(), Time(1000).plus(HOUR));
        };
        check(1.0, 0, HOUR);
        check(0.001, 0, 3600);
        check(0.0, 0, 0);
        check(0.0, 40, 40);
        check(0.001, 40, 3600);
    }

    #[test]
    fn a_leap_that_is_interrupted_has_come_no_further_than_it_would() {
        let mut clock = PlayClock::new(Time(0), Pace { factor: 1.0, beat_ms: 0 });
        clock.leap(Time(0).plus(HOUR));
        assert!(clock.tell() < Time(0).plus(HOUR));
        assert_eq!(PlayClock::new(Time(7), Pace::default()).land(), Time(7), "without a leap there is nothing to land on");
    }
}
