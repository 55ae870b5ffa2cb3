//! The time of a case: that of the run, without the gaps in which nobody drove it. In a case a process that dies is followed at once.

use motet_core::event::{Event, Fact};
use motet_core::units::Time;

#[derive(Default)]
pub struct Clock {
    /// When the last thing happened.
    last: Time,
    /// When each gap ended, and how much of it a case leaves out.
    gaps: Vec<(Time, u64)>,
}

impl Clock {
    /// Takes in an event that comes after those before it. A crash comes as soon as it can after what happened last: what is at work then
    /// did not answer in all of the gap, and does not count its time.
    pub fn hear(&mut self, event: &Event) {
        let gap = event.at.since(self.last);
        if matches!(event.fact, Fact::Recovered {} | Fact::TaskInterrupted { .. }) && gap > 1 {
            self.gaps.push((event.at, gap - 1));
        }
        self.last = event.at;
    }

    /// When it is in the case, as far as has been heard.
    pub fn tell(&self, at: Time) -> Time {
        let left_out: u64 = self.gaps.iter().filter(|(end, _)| *end <= at).map(|(_, gap)| gap).sum();
        Time(at.0.saturating_sub_unsigned(left_out))
    }
}
