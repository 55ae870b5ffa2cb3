//! What needs a process of its own: recovery after a kill, memory, and starting the real program.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use motet_host::driver::Request;

use crate::durable::Driven;
use crate::machines::{CHAIN, GATE, Instantly, Never, definition};

const RUNS: usize = 10_000;

/// The part of a child process: does its work, says so, and waits to be killed.
pub fn be_a_child(kind: &str, home: &Path) {
    match kind {
        "running" => {
            let (asked, all_asked) = channel();
            let driven = Driven::new(home, Never(asked), RUNS);
            driven.start_all(RUNS, &definition(CHAIN), 10);
            for _ in 0..RUNS {
                all_asked.recv().expect("every run asks");
            }
            println!("ready");
            std::thread::sleep(Duration::from_secs(600));
        }
        "waiting" => {
            let driven = Driven::new(home, Instantly(serde_json::Value::Null), 64);
            driven.start_all(RUNS - 1, &definition(GATE), 10);
            // The last one is asked for in turn, so everything before it is done.
            driven.start_all(1, &definition(CHAIN), 1);
            let _ = driven.handle.ask(Request::ClaimAll);
            println!("ready {}", resident_mb());
            std::thread::sleep(Duration::from_secs(600));
        }
        other => panic!("there is no child {other}"),
    }
}

/// From opening the store of a killed process until every one of its runs has its task performed again.
pub fn recover_10k_ms(home: &Path) -> f64 {
    let home = home.join("recover");
    let mut child = child("running", &home);
    wait_for_ready(&mut child);
    child.kill().expect("a kill");
    child.wait().expect("a dead child");
    let started = Instant::now();
    let (asked, all_asked) = channel();
    let driven = Driven::new(&home, Never(asked), RUNS);
    driven.handle.ask(Request::ClaimAll).expect("the runs are claimed");
    for _ in 0..RUNS {
        all_asked.recv().expect("every run asks again");
    }
    let elapsed = started.elapsed().as_secs_f64() * 1000.0;
    driven.shut_down();
    elapsed
}

/// The resident memory of a process in which all runs wait at a gate.
pub fn rss_10k_mb(home: &Path) -> f64 {
    let home = home.join("waiting");
    let mut child = child("waiting", &home);
    let line = wait_for_ready(&mut child);
    child.kill().expect("a kill");
    child.wait().expect("a dead child");
    line.strip_prefix("ready ").and_then(|number| number.trim().parse().ok()).expect("a number")
}

fn child(kind: &str, home: &Path) -> std::process::Child {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["child", kind]).arg(home).stdout(Stdio::piped()).stdin(Stdio::null());
    command.spawn().expect("a child process")
}

fn wait_for_ready(child: &mut std::process::Child) -> String {
    let output = child.stdout.take().expect("its output");
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).expect("a line");
    assert!(line.starts_with("ready"), "the child said {line:?}");
    line
}

fn resident_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB");
    let kilobytes: f64 = line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(f64::NAN);
    kilobytes / 1024.0
}

/// The median of `motet --version`. None, with a word why, if the program was not built.
pub fn startup_ms() -> Option<f64> {
    let Some(binary) = std::env::var_os("MOTET_BINARY").filter(|path| Path::new(path).exists()) else {
        eprintln!("startup_ms is not measured: MOTET_BINARY does not name the program");
        return None;
    };
    let mut times: Vec<f64> = (0..21)
        .map(|_| {
            let started = Instant::now();
            let status = Command::new(&binary).arg("--version").stdout(Stdio::null()).status().expect("the program starts");
            assert!(status.success(), "the program says its version");
            started.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    Some(times[times.len() / 2])
}
