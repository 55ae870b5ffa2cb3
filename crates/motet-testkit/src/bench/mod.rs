//! How fast the host is, as ratios to the raw limit of the same disk in the same minute, so that machines can be compared.
//! It drives the real driver on a real database; only the agents do nothing.

mod crowd;
mod home;
mod lines;
mod programs;

use std::time::Duration;

use serde_json::{Map, Value};

pub use crowd::{gate_crowd, stuck_crowd};

/// One measured number and the bar it must clear, if it has one.
pub struct Measure {
    pub name: &'static str,
    pub value: f64,
    pub bar: Option<Bar>,
}

pub enum Bar {
    AtLeast(f64),
    AtMost(f64),
}

impl Measure {
    fn new(name: &'static str, value: f64) -> Self {
        Self { name, value, bar: None }
    }

    fn at_least(mut self, bar: f64) -> Self {
        self.bar = Some(Bar::AtLeast(bar));
        self
    }

    fn at_most(mut self, bar: f64) -> Self {
        self.bar = Some(Bar::AtMost(bar));
        self
    }

    pub fn is_cleared(&self) -> bool {
        match self.bar {
            None => true,
            Some(Bar::AtLeast(bar)) => self.value >= bar,
            Some(Bar::AtMost(bar)) => self.value <= bar,
        }
    }
}

/// Everything, in the order in which it is shown. `motet` is the release build of the program.
pub fn measure(motet: Option<&std::path::Path>) -> Result<Vec<Measure>, String> {
    // A disk that others use is fast one second and slow the next, so each ratio is to what it did just before and just after.
    let raw = || home::raw_commits_per_second(Duration::from_secs(1));
    let (first, chain, second) = (raw()?, lines::chain_steps_per_second(1000)?, raw()?);
    let (fanout, third) = (lines::fanout_steps_per_second(1000, 10)?, raw()?);
    let (short, long) = (lines::bytes_per_step(100)?, lines::bytes_per_step(5000)?);
    let mut measures = vec![
        Measure::new("raw_commits_per_s", (first + second + third) / 3.0),
        Measure::new("chain_steps_per_s", chain).at_least(0.5 * (first + second) / 2.0),
        Measure::new("fanout_steps_per_s", fanout).at_least(4.0 * (second + third) / 2.0),
        Measure::new("bytes_per_step_100", short).at_most(2000.0),
        Measure::new("bytes_per_step_5000", long).at_most(2000.0_f64.min(1.1 * short)),
        Measure::new("recover_10k_ms", programs::recovery_ms(10_000)?).at_most(3000.0),
        Measure::new("rss_10k_mb", programs::resident_mb(10_000)?).at_most(150.0),
    ];
    if let Some(motet) = motet {
        measures.push(Measure::new("startup_ms", programs::median_ms(motet, &["--version"], 20)?).at_most(20.0));
        measures.push(Measure::new("check_all_ms", programs::median_ms(motet, &["check", "--all"], 3)?).at_most(1000.0));
    }
    Ok(measures)
}

pub fn to_json(measures: &[Measure]) -> Value {
    let values = measures.iter().map(|measure| (measure.name.to_string(), Value::from((measure.value * 10.0).round() / 10.0)));
    values.collect::<Map<_, _>>().into()
}
