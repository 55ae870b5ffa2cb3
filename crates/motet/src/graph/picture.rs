//! A workflow's machine as people see it: boxes, arrows and the words on them, the same for every format.
//! It knows neither where anything is placed nor how it is written out; it decides nothing about runs.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    pub title: String,
    pub summary: String,
    /// In the order of the file; notes come last.
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// The names of the groups, in the order of the file.
    pub groups: Vec<String>,
    pub start: String,
    /// The state a run is in.
    pub current: Option<String>,
    /// The states a run has been in.
    pub visited: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub id: String,
    pub label: String,
    /// Who or what does the work: an agent's name, a built-in, how a final state ends.
    pub detail: String,
    pub kind: Kind,
    /// A position in `Picture::groups`.
    pub group: Option<usize>,
    /// What somebody who asks for more is told.
    pub hint: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Agent,
    Plan,
    Gate,
    Command,
    Call,
    Decide,
    Final,
    /// No state: a remark that stands for many, such as "any state".
    Note,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Agent => "agent",
            Kind::Plan => "plan",
            Kind::Gate => "gate",
            Kind::Command => "command",
            Kind::Call => "call",
            Kind::Decide => "decide",
            Kind::Final => "final",
            Kind::Note => "note",
        }
    }

    /// One character that tells the kinds apart where there is no colour.
    pub fn mark(self) -> char {
        match self {
            Kind::Agent => '●',
            Kind::Plan => '≡',
            Kind::Gate => '◆',
            Kind::Command => '▸',
            Kind::Call => 'ƒ',
            Kind::Decide => '◇',
            Kind::Final => '■',
            Kind::Note => '·',
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub label: String,
    pub kind: EdgeKind,
    /// Leads to where the run has been before, so that drawings can turn it round.
    pub back_edge: bool,
    /// The whole condition and everything else the transition says.
    pub hint: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    Normal,
    /// Taken when a counter has no room left.
    Exceeded,
    Trouble,
    /// `to: back`.
    Back,
    /// Taken when a task of the state has failed for good.
    TaskFailed,
}

impl EdgeKind {
    pub fn word(self) -> &'static str {
        match self {
            EdgeKind::Normal => "normal",
            EdgeKind::Exceeded => "exceeded",
            EdgeKind::Trouble => "trouble",
            EdgeKind::Back => "back",
            EdgeKind::TaskFailed => "task_failed",
        }
    }
}

impl Picture {
    /// The same picture with a run in it.
    pub fn at<'a>(mut self, current: Option<&str>, visited: impl IntoIterator<Item = &'a str>) -> Self {
        self.current = current.map(String::from);
        self.visited = visited.into_iter().map(String::from).collect();
        self
    }

    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    pub fn is_current(&self, node: &Node) -> bool {
        self.current.as_deref() == Some(node.id.as_str())
    }

    /// An edge inside a loop that leads to its own state or to one written earlier is a back edge.
    /// The author's order decides, because it is the order in which the workflow is told;
    /// without these edges the picture has no cycle.
    pub(super) fn mark_back_edges(&mut self) {
        let position: BTreeMap<&str, usize> = self.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
        let mut successors = vec![Vec::new(); self.nodes.len()];
        for (from, to) in self.edges.iter().filter_map(|edge| ends(&position, edge)) {
            successors[from].push(to);
        }
        let reached: Vec<BTreeSet<usize>> = (0..successors.len()).map(|start| reachable(&successors, start)).collect();
        let marks: Vec<bool> = self
            .edges
            .iter()
            .map(|edge| ends(&position, edge).is_some_and(|(from, to)| to <= from && reached[to].contains(&from)))
            .collect();
        for (edge, mark) in self.edges.iter_mut().zip(marks) {
            edge.back_edge = mark;
        }
    }
}

fn ends(position: &BTreeMap<&str, usize>, edge: &Edge) -> Option<(usize, usize)> {
    Some((*position.get(edge.from.as_str())?, *position.get(edge.to.as_str())?))
}

/// Everything that can be reached, the start itself included.
fn reachable(successors: &[Vec<usize>], start: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        open.extend(successors[at].iter().copied().filter(|next| seen.insert(*next)));
    }
    seen
}
