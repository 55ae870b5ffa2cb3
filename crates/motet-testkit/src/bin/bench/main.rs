//! Measures the machine against the raw limit of the disk it runs on.
//! Ratios within one run are what counts; absolute numbers are for the reader's curiosity.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that measures says what it measured")]

mod durable;
mod machines;
mod processes;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// What is measured, what it must reach, and against what.
struct Bar {
    name: &'static str,
    holds: fn(&Map<String, Value>) -> bool,
    says: &'static str,
}

const BARS: &[Bar] = &[
    Bar {
        name: "chain_steps_per_s",
        says: "≥ 0.5 × raw",
        holds: |of| number(of, "chain_steps_per_s") >= 0.5 * number(of, "raw_commits_per_s"),
    },
    Bar {
        name: "fanout_steps_per_s",
        says: "≥ 4 × raw",
        holds: |of| number(of, "fanout_steps_per_s") >= 4.0 * number(of, "raw_commits_per_s"),
    },
    Bar {
        name: "bytes_per_step_5000",
        says: "≤ 2,000 and within 10 % of the short run",
        holds: |of| {
            let (short, long) = (number(of, "bytes_per_step_100"), number(of, "bytes_per_step_5000"));
            short.max(long) <= 2000.0 && long <= short * 1.1
        },
    },
    Bar { name: "recover_10k_ms", says: "≤ 3,000", holds: |of| number(of, "recover_10k_ms") <= 3000.0 },
    Bar { name: "rss_10k_mb", says: "≤ 150", holds: |of| number(of, "rss_10k_mb") <= 150.0 },
    Bar { name: "startup_ms", says: "≤ 20", holds: |of| number(of, "startup_ms") <= 20.0 },
    Bar { name: "check_all_ms", says: "≤ 1,000", holds: |of| number(of, "check_all_ms") <= 1000.0 },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["child", kind, home] => processes::be_a_child(kind, &PathBuf::from(home)),
        rest => measure_all(rest.contains(&"--json")),
    }
}

fn measure_all(as_json: bool) {
    let home = std::env::temp_dir().join(format!("motet-bench-{}", std::process::id()));
    std::fs::create_dir_all(&home).expect("a directory to measure in");
    let mut of = Map::new();
    let mut measured = |name: &str, value: f64| {
        if !as_json {
            println!("{name:22} {value:>12.1}");
        }
        of.insert(name.to_string(), json!((value * 10.0).round() / 10.0));
    };
    // The disk is measured before and after, so that a noisy neighbour is seen.
    let before = durable::raw_commits_per_s(&home);
    measured("chain_steps_per_s", durable::chain_steps_per_s(&home));
    measured("fanout_steps_per_s", durable::fanout_steps_per_s(&home));
    let after = durable::raw_commits_per_s(&home);
    measured("raw_commits_per_s", (before + after) / 2.0);
    measured("bytes_per_step_100", durable::bytes_per_step(&home, 100));
    measured("bytes_per_step_5000", durable::bytes_per_step(&home, 5000));
    measured("recover_10k_ms", processes::recover_10k_ms(&home));
    measured("rss_10k_mb", processes::rss_10k_mb(&home));
    if let Some(startup) = processes::startup_ms() {
        measured("startup_ms", startup);
    }
    measured("check_all_ms", machines::check_all_ms());
    let _ = std::fs::remove_dir_all(&home);
    judge(&of, as_json);
}

fn judge(of: &Map<String, Value>, as_json: bool) {
    let missed: Vec<&Bar> = BARS.iter().filter(|bar| of.contains_key(bar.name) && !(bar.holds)(of)).collect();
    if as_json {
        let mut all = of.clone();
        all.insert("missed".to_string(), missed.iter().map(|bar| json!(format!("{} {}", bar.name, bar.says))).collect());
        println!("{}", Value::Object(all));
    } else {
        println!("\nchain / raw  {:.2}", number(of, "chain_steps_per_s") / number(of, "raw_commits_per_s"));
        println!("fanout / raw {:.2}", number(of, "fanout_steps_per_s") / number(of, "raw_commits_per_s"));
        for bar in &missed {
            println!("missed: {} must be {}", bar.name, bar.says);
        }
    }
    std::process::exit(i32::from(!missed.is_empty()));
}

fn number(of: &Map<String, Value>, name: &str) -> f64 {
    of.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)
}
