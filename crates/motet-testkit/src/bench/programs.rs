//! What can only be measured on whole processes: recovery after a kill, memory, and how soon the program is there.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::crowd;
use super::home::Home;

/// From the kill of a process with this many runs at work until another process has all of them at work again.
pub fn recovery_ms(runs: u64) -> Result<f64, String> {
    let home = Home::new()?;
    let (mut crowd, _) = spawn("stuck-crowd", &home, runs)?;
    end(&mut crowd)?;
    let began = Instant::now();
    crowd::take_up(home.path(), runs)?;
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

/// The memory of a process with this many runs that wait for people.
pub fn resident_mb(runs: u64) -> Result<f64, String> {
    let home = Home::new()?;
    let (mut crowd, _) = spawn("gate-crowd", &home, runs)?;
    let status = std::fs::read_to_string(format!("/proc/{}/status", crowd.id())).map_err(|error| error.to_string());
    end(&mut crowd)?;
    let status = status?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    let kilobytes: f64 = resident.and_then(|number| number.trim().parse().ok()).ok_or("the system does not say how much memory is used")?;
    Ok(kilobytes / 1024.0)
}

/// This program again, with another task; it says a line when it is ready and then waits to be killed.
fn spawn(task: &str, home: &Home, runs: u64) -> Result<(Child, String), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg(task).arg(home.path()).arg(runs.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut line = String::new();
    let output = child.stdout.take().ok_or("the process has no output")?;
    BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
    if line.trim() == "ready" { Ok((child, line)) } else { Err(format!("{task} did not get ready: {line}")) }
}

fn end(child: &mut Child) -> Result<(), String> {
    child.kill().and_then(|()| child.wait()).map(drop).map_err(|error| error.to_string())
}

/// How long the program takes with these arguments, in the middle of several times.
pub fn median_ms(program: &Path, arguments: &[&str], times: usize) -> Result<f64, String> {
    let mut measured = Vec::with_capacity(times);
    for _ in 0..times {
        let began = Instant::now();
        let output = Command::new(program).args(arguments).output().map_err(|error| format!("{}: {error}", program.display()))?;
        measured.push(began.elapsed().as_secs_f64() * 1000.0);
        if !output.status.success() {
            return Err(format!("{} {} failed: {}", program.display(), arguments.join(" "), String::from_utf8_lossy(&output.stderr)));
        }
    }
    measured.sort_by(f64::total_cmp);
    Ok(measured[times / 2])
}
