use super::*;

fn fixture(name: &str) -> Picture {
    let text = std::fs::read_to_string(format!("{}/src/graph/fixtures/{name}.txt", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut picture = Picture::default();
    for row in text.lines() {
        let (word, rest) = row.split_once(' ').unwrap();
        let cells: Vec<String> = rest.split(" | ").map(|cell| cell.trim_end_matches(" |").to_string()).collect();
        let group = |text: &String| text.parse().ok();
        match word {
            "workflow" => (picture.title, picture.summary, picture.start) = (cells[0].clone(), cells[1].clone(), cells[2].clone()),
            "group" => picture.groups.push(rest.into()),
            "state" => {
                let kinds = [Kind::Agent, Kind::Plan, Kind::Gate, Kind::Command, Kind::Call, Kind::Decide, Kind::Final];
                let kind = kinds.into_iter().find(|kind| kind.word() == cells[1]).unwrap();
                let group = cells.get(3).and_then(group);
                picture.nodes.push(Node { id: cells[0].clone(), label: cells[0].clone(), detail: cells[2].clone(), kind, group, hint: String::new() });
            }
            "note" => picture.nodes.push(Node { id: cells[0].clone(), label: cells[1].clone(), detail: String::new(), kind: Kind::Note, group: cells.get(2).and_then(group), hint: String::new() }),
            _ => {
                let kinds = [EdgeKind::Normal, EdgeKind::Exceeded, EdgeKind::Trouble, EdgeKind::Back, EdgeKind::TaskFailed];
                let kind = kinds.into_iter().find(|kind| kind.word() == cells[2]).unwrap();
                picture.edges.push(Edge { from: cells[0].clone(), to: cells[1].clone(), label: cells.get(3).cloned().unwrap_or_default(), kind, back_edge: false, hint: String::new() });
            }
        }
    }
    picture.mark_back_edges();
    picture
}

#[test]
fn draw_all() {
    for name in ["slogan", "feature", "article", "research", "development", "architecture", "deep-research"] {
        let picture = fixture(name);
        let current = if name == "feature" { "judging" } else { "reviewing" };
        let picture = picture.at(Some(current), ["initialized", "generating"]);
        std::fs::write(format!("/tmp/g/{name}.svg"), svg(&picture)).unwrap();
        std::fs::write(format!("/tmp/g/{name}.mmd"), mermaid(&picture)).unwrap();
        std::fs::write(format!("/tmp/g/{name}.dot"), dot(&picture)).unwrap();
        std::fs::write(format!("/tmp/g/{name}.txt"), terminal(&picture, 80, &Plain)).unwrap();
    }
}
