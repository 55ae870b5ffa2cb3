//! The machine as a finite graph: every path a run can take is a path here, and some more.
//! Guards are opaque: each `when` may be true or false, so nothing about data is known here.

mod build;

use std::fmt;

pub use build::{after_failed_tasks, can_befall};
use serde::Serialize;

use crate::definition::TroubleKind;
use crate::diagnostic::Span;

/// Nodes are pairs of a state and where `back` leads from there.
#[derive(Debug, Default)]
pub struct Graph {
    /// The names of the states, in the order written.
    pub states: Vec<String>,
    /// Which of the states end a run.
    pub finals: Vec<bool>,
    pub counters: Vec<Counter>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// The edges that leave each node.
    pub out: Vec<Vec<usize>>,
    /// The node a run begins in.
    pub start: usize,
    /// Every `to: back` that would have nothing to return to.
    pub lost: Vec<Lost>,
}

/// A loop count. The two limits of a run are counters of one that only a return refills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    pub name: String,
    pub kind: CounterKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterKind {
    Limited,
    /// Each use of it is an answer that a person gave.
    Unlimited,
    /// The trouble of this kind, which comes once and again only after a return.
    Limit(TroubleKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    pub state: usize,
    /// None also where no later `to: back` can depend on it.
    pub back: Option<usize>,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// The id of the transition.
    pub via: String,
    pub outcome: String,
    /// What people read on the arrow; empty where there is nothing to choose.
    pub label: String,
    pub origin: Origin,
    /// It needs room in all of these.
    pub counts: Vec<usize>,
    pub resets: Vec<usize>,
    /// By `to: back`: a visit, but not an entry.
    pub is_return: bool,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Of `next`, its `exceeded` included.
    Outcome,
    Trouble(TroubleKind),
    /// Of `if_task_fails`.
    TaskFailed,
}

#[derive(Clone, Debug)]
pub struct Lost {
    pub node: usize,
    pub via: String,
    pub span: Span,
}

/// One step of a path, as people read it: `testing –failed→ blaming`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    pub from: String,
    pub outcome: String,
    pub to: String,
    pub via: String,
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome.as_str() {
            "" => write!(out, "{} → {}", self.from, self.to),
            outcome => write!(out, "{} –{outcome}→ {}", self.from, self.to),
        }
    }
}

impl Graph {
    /// The same edges in the form that walks need; call it once all edges are there.
    pub fn index(&mut self) {
        self.out = vec![Vec::new(); self.nodes.len()];
        for (position, edge) in self.edges.iter().enumerate() {
            self.out[edge.from].push(position);
        }
    }

    pub fn name(&self, node: usize) -> &str {
        &self.states[self.nodes[node].state]
    }

    pub fn is_final(&self, node: usize) -> bool {
        self.finals[self.nodes[node].state]
    }

    pub fn is_unlimited(&self, edge: &Edge) -> bool {
        edge.counts.iter().any(|counter| self.counters[*counter].kind == CounterKind::Unlimited)
    }

    pub fn steps(&self, path: &[usize]) -> Vec<Step> {
        path.iter().map(|edge| self.step(&self.edges[*edge])).collect()
    }

    fn step(&self, edge: &Edge) -> Step {
        Step { from: self.name(edge.from).into(), outcome: edge.label.clone(), to: self.name(edge.to).into(), via: edge.via.clone() }
    }
}

/// A path on one line; a step that begins where the last one ended does not say so again.
pub fn show_path(steps: &[Step]) -> String {
    let mut line = String::new();
    for (position, step) in steps.iter().enumerate() {
        let text = step.to_string();
        match position {
            0 => line.push_str(&text),
            _ => line.push_str(text.strip_prefix(step.from.as_str()).unwrap_or(&text)),
        }
    }
    line
}
