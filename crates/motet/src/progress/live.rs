//! A run on a terminal: one block that is redrawn in place, with the path so far, the tasks at work and what they say.
//! It draws at most ten times a second; whoever drives tells it when.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use motet_core::event::{Event, Fact};
use motet_core::names::TaskId;
use motet_core::state::{State, Task, TaskStatus};
use motet_core::units::{Time, show_duration};
use motet_host::wall_clock;

use super::terminal::{Block, columns, rows};
use super::{Narrator, ending, words};
use crate::cli::{Exit, Paint, Tone, output};
use crate::home::{Home, Mirror};
use crate::performing::ProgressText;

const FRAME: Duration = Duration::from_millis(100);
/// How many answers stay in sight.
const MOST_DONE: usize = 5;

pub struct Live {
    paint: Paint,
    block: Block,
    /// The last thing each task said.
    said: BTreeMap<TaskId, String>,
    /// What the last tasks came to.
    done: VecDeque<String>,
    narrator: Narrator,
    drawn: Option<Instant>,
    held: bool,
}

impl Live {
    pub fn new(paint: Paint, mirror: &Mirror) -> Self {
        let narrator = Narrator::from(&mirror.state);
        Self { paint, block: Block::default(), said: BTreeMap::new(), done: VecDeque::new(), narrator, drawn: None, held: false }
    }

    pub fn advanced(&mut self, mirror: &Mirror, event: &Event) {
        let told = self.narrator.tell(event, &mirror.state);
        let mark = match &event.fact {
            Fact::TaskSucceeded { .. } => Some('✓'),
            Fact::TaskFailed { .. } => Some('✗'),
            _ => None,
        };
        if let Some(mark) = mark {
            self.done.push_back(format!("  {mark} {}", words::one_line(&told.what, usize::MAX)));
            if self.done.len() > MOST_DONE {
                self.done.pop_front();
            }
        }
        self.said.retain(|task, _| mirror.state.tasks.contains_key(task));
    }

    pub fn progress(&mut self, task: &TaskId, text: ProgressText) {
        let said = self.said.entry(task.clone()).or_default();
        match text {
            ProgressText::Line(line) | ProgressText::HeldUp { line, .. } => *said = line,
            ProgressText::Piece(piece) => {
                said.push_str(&piece);
                // Only the end of an answer fits a line.
                let keep = said.char_indices().rev().nth(400).map_or(0, |(start, _)| start);
                said.drain(..keep);
            }
        }
    }

    /// False if it was drawn only just now.
    pub fn draw(&mut self, mirror: &Mirror) -> bool {
        if self.held || self.drawn.is_some_and(|drawn| drawn.elapsed() < FRAME) {
            return false;
        }
        self.drawn = Some(Instant::now());
        let mut lines = self.lines(mirror);
        lines.extend(gate_lines(&mirror.state, columns(), self.paint));
        self.block.draw(&lines);
        true
    }

    /// Above the block, where it stays.
    pub fn say(&mut self, text: &str) {
        self.block.clear();
        output::line(text);
    }

    pub fn hold(&mut self, mirror: &Mirror) {
        if !self.held {
            // What a gate asks is told by the dialogue.
            let lines = self.lines(mirror);
            self.block.draw(&lines);
            self.block = Block::default();
            self.done.clear();
            self.held = true;
        }
    }

    pub fn go_on(&mut self) {
        self.held = false;
    }

    pub fn end(&mut self, mirror: &Mirror, home: &Home, exit: Exit, untold: u64) {
        if !self.held {
            let mut lines = vec![path_line(&mirror.state, columns(), self.paint)];
            lines.extend(self.done_lines());
            self.block.draw(&lines);
            self.block = Block::default();
        }
        for line in ending(mirror, home, exit, untold, self.paint) {
            output::line(line);
        }
    }
}

impl Live {
    fn lines(&self, mirror: &Mirror) -> Vec<String> {
        let height = rows().saturating_sub(2 + self.done.len());
        let mut lines = frame(mirror, &self.said, wall_clock()(), columns(), height, self.paint);
        // Below the path, above those at work.
        lines.splice(2..2, self.done_lines());
        lines
    }

    fn done_lines(&self) -> Vec<String> {
        let width = columns();
        self.done.iter().map(|line| self.paint.text(Tone::Quiet, &words::cut(line, width))).collect()
    }
}

/// The block: the run, its path, its tasks, its warnings.
pub fn frame(mirror: &Mirror, said: &BTreeMap<TaskId, String>, now: Time, width: usize, height: usize, paint: Paint) -> Vec<String> {
    let state = &mirror.state;
    let mut lines = vec![head_line(mirror, now, width, paint), path_line(state, width, paint)];
    let mut tasks: Vec<&Task> = state.tasks.values().filter(|task| is_shown(task.status)).collect();
    // Those at work first, then the others in their order.
    tasks.sort_by_key(|task| (task.status != TaskStatus::Running, task.order));
    let room = height.saturating_sub(lines.len() + 3).clamp(1, 12);
    lines.extend(tasks.iter().take(room).map(|task| task_line(task, said.get(&task.id), now, width, paint)));
    if tasks.len() > room {
        lines.push(paint.text(Tone::Quiet, &format!("  … and {} more tasks", tasks.len() - room)));
    }
    for warning in state.warnings.iter().rev().take(2).rev() {
        lines.push(paint.text(Tone::Warning, &words::cut(&format!("  ! {}", words::one_line(&warning.text, width)), width)));
    }
    lines
}

fn gate_lines(state: &State, width: usize, paint: Paint) -> Vec<String> {
    let asks = state.gates.values().take(2).map(|gate| words::cut(&format!("  ? {}", words::one_line(&gate.ask, width)), width));
    asks.map(|ask| paint.text(Tone::Warning, &ask)).collect()
}

/// Whole seconds: what a clock shows that is drawn once a second.
fn seconds(milliseconds: u64) -> String {
    if milliseconds < 1000 { "0s".into() } else { show_duration(milliseconds / 1000 * 1000) }
}

fn is_shown(status: TaskStatus) -> bool {
    !matches!(status, TaskStatus::Done | TaskStatus::Failed | TaskStatus::Cancelled)
}

fn head_line(mirror: &Mirror, now: Time, width: usize, paint: Paint) -> String {
    let state = &mirror.state;
    let started = state.run.as_ref().map_or(now, |run| run.started_at);
    let mut parts = vec![seconds(now.since(started))];
    let spent = state.money.spent + state.money.overrun;
    let uncertain = state.money.uncertain;
    match state.money.cap {
        Some(cap) if uncertain.0 > 0 => parts.push(format!("{} of {cap}", words::money(spent, uncertain))),
        Some(cap) => parts.push(format!("{spent} of {cap}")),
        None => parts.extend(Some(words::money(spent, uncertain)).filter(|money| !money.is_empty())),
    }
    let tokens = state.usage.tokens_in + state.usage.tokens_out;
    if tokens > 0 {
        parts.push(words::count(tokens, "token"));
    }
    let rest = words::cut(&format!("  {}  {}", mirror.definition.name, parts.join("  ")), width.saturating_sub(mirror.run.as_str().len()));
    format!("{}{}", paint.text(Tone::Strong, mirror.run.as_str()), paint.text(Tone::Quiet, &rest))
}

/// `generating → reviewing → ●generating`, shortened in the middle where it does not fit.
pub fn path_line(state: &State, width: usize, paint: Paint) -> String {
    const ARROW: &str = " → ";
    let names: Vec<&str> = state.path.iter().map(|passage| passage.to.as_str()).collect();
    let Some((here, before)) = names.split_last() else { return String::new() };
    let mark = if state.ended.is_some() { "■ " } else { "● " };
    let last = format!("{mark}{here}");
    let mut room = width.saturating_sub(last.chars().count() + 2);
    let cost = |name: &str| name.chars().count() + ARROW.chars().count();
    let all: usize = before.iter().map(|name| cost(name)).sum();
    let mut shown: Vec<&str> = before.to_vec();
    if all > room {
        // The beginning is worth one name; the rest of the room belongs to what came last.
        room = room.saturating_sub(before.first().map_or(0, |name| cost(name)) + cost("…"));
        let mut tail = 0;
        for name in before.iter().rev() {
            if cost(name) > room {
                break;
            }
            room -= cost(name);
            tail += 1;
        }
        let skipped = before.len().saturating_sub(tail + 1);
        shown = before.first().into_iter().copied().chain(["…"].into_iter().filter(|_| skipped > 0)).collect();
        shown.extend(&before[before.len() - tail.min(before.len().saturating_sub(1))..]);
    }
    let passed: String = shown.iter().map(|name| format!("{name}{ARROW}")).collect();
    format!("  {}{}", paint.text(Tone::Quiet, &passed), paint.text(Tone::Accent, &last))
}

fn task_line(task: &Task, said: Option<&String>, now: Time, width: usize, paint: Paint) -> String {
    let mark = if task.status == TaskStatus::Running { "▸" } else { "·" };
    let name = task.plan_task.clone().or_else(|| task.item.as_ref().map(|(number, _)| number.to_string()));
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    let mut line = format!("  {mark} {}{name}", task.agent);
    if task.attempt > 1 {
        line.push_str(&format!("  attempt {}", task.attempt));
    }
    match (task.status, task.started_at) {
        (TaskStatus::Running, Some(started)) => line.push_str(&format!("  {}", seconds(now.since(started)))),
        (status, _) => line.push_str(&format!("  {}", words::task_status(status))),
    }
    let line = words::cut(&line, width);
    let room = width.saturating_sub(line.chars().count() + 2);
    let told = said.map(String::as_str).filter(|text| !text.trim().is_empty());
    let told = told.or_else(|| task.errors.last().map(|error| error.message.as_str()));
    match told {
        Some(text) if room > 8 => format!("{line}  {}", paint.text(Tone::Quiet, &tail(text, room))),
        _ => line,
    }
}

/// The end of what is being written is the news.
fn tail(text: &str, room: usize) -> String {
    let line = words::one_line(text, usize::MAX);
    let length = line.chars().count();
    if length <= room {
        return line;
    }
    format!("…{}", line.chars().skip(length - room + 1).collect::<String>())
}

#[cfg(test)]
mod tests {
    use motet_core::names::StateName;
    use motet_core::state::Passage;

    use super::*;

    fn line(states: &[&str], width: usize) -> String {
        let passage = |to: &&str| Passage {
            seq: 0,
            at: Time(0),
            from: None,
            to: StateName::new(to),
            outcome: None,
            via: String::new(),
            because: None,
        };
        let state = State { path: states.iter().map(passage).collect(), ..State::default() };
        path_line(&state, width, Paint::new(false))
    }

    #[test]
    fn the_path_is_shortened_in_the_middle() {
        assert_eq!(line(&["a", "b", "c"], 80), "  a → b → ● c");
        assert_eq!(line(&[], 80), "");
        assert_eq!(line(&["first", "bb", "cc", "dd", "ee", "last"], 32), "  first → … → dd → ee → ● last");
    }

    #[test]
    fn no_line_of_a_path_is_wider_than_the_terminal() {
        let states: Vec<String> = (0..40).map(|number| format!("state_{number}")).collect();
        let states: Vec<&str> = states.iter().map(String::as_str).collect();
        for width in 30..120 {
            let line = line(&states, width);
            assert!(line.chars().count() <= width, "{width}: {line}");
            assert!(line.ends_with("● state_39"), "{line}");
        }
    }

    #[test]
    fn of_a_long_answer_the_end_is_shown() {
        assert_eq!(tail("one two three", 6), "…three");
        assert_eq!(tail("short", 6), "short");
    }
}
