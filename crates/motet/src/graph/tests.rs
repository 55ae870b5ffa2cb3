//! One picture in four formats, as text to be looked at.

mod machines;
mod of_definitions;

use machines::{ALL, machine};

use super::layout::{Layout, Point, Rectangle};
use super::picture::{Edge, EdgeKind, Kind};
use super::*;

#[test]
fn slogan_as_mermaid() {
    insta::assert_snapshot!(mermaid(&machine("slogan").at(Some("reviewing"), ["initialized", "generating"])));
}

#[test]
fn slogan_as_dot() {
    insta::assert_snapshot!(dot(&machine("slogan").at(Some("reviewing"), ["initialized", "generating"])));
}

#[test]
fn slogan_as_svg() {
    insta::assert_snapshot!(svg(&machine("slogan").at(Some("reviewing"), ["initialized", "generating"])));
}

#[test]
fn slogan_in_a_terminal() {
    insta::assert_snapshot!(terminal(&machine("slogan").at(Some("reviewing"), ["initialized", "generating"]), 80, &Plain));
}

#[test]
fn groups_in_a_terminal() {
    insta::assert_snapshot!(terminal(&machine("deep-research").at(Some("errored"), []), 60, &Plain));
}

#[test]
fn back_edges_are_those_that_lead_to_where_the_run_has_been() {
    let returning = |name: &str| {
        let edges = machine(name).edges;
        edges.into_iter().filter(|edge| edge.back_edge).map(|edge| format!("{} {}", edge.from, edge.to)).collect::<Vec<_>>()
    };
    assert_eq!(returning("slogan"), ["deciding generating"]);
    assert!(returning("feature").contains(&"fixing testing".to_string()));
    assert!(!returning("feature").contains(&"stopped aborted".to_string()), "a way out is no way back");
}

/// The promises a reader relies on: boxes and labels stand free, and a line touches no box but its own two.
fn check_layout(picture: &Picture) {
    let layout = Layout::of(picture);
    let name = |index: usize| picture.nodes[index].id.as_str();
    for (index, place) in layout.boxes.iter().enumerate() {
        assert!(place.left >= 0.0 && place.top >= 0.0 && place.right() <= layout.width && place.bottom() <= layout.height);
        for (other, other_place) in layout.boxes.iter().enumerate().skip(index + 1) {
            assert!(!place.meets(other_place), "{}: {} lies on {}", picture.title, name(index), name(other));
        }
    }
    for line in &layout.lines {
        let edge = line.bundle.first(picture);
        let walked = line.path.walked();
        assert!(walked.len() > 2, "{}: {} to {} is not drawn", picture.title, edge.from, edge.to);
        for (index, place) in layout.boxes.iter().enumerate() {
            let is_end = name(index) == edge.from || name(index) == edge.to;
            let margin = if is_end { 1.0 } else { 0.0 };
            let enters = walked.iter().any(|point| is_inside(point, place, margin));
            assert!(!enters, "{}: the line from {} to {} enters {}", picture.title, edge.from, edge.to, name(index));
        }
        let ends = [walked[0], walked[walked.len() - 1]];
        for (end, id) in ends.iter().zip([&edge.from, &edge.to]) {
            let place = layout.boxes[picture.nodes.iter().position(|node| node.id == *id).unwrap()];
            assert!(is_inside(end, &place, -0.5), "{}: the line from {} to {} hangs loose", picture.title, edge.from, edge.to);
        }
    }
    check_labels(picture, &layout);
}

fn check_labels(picture: &Picture, layout: &Layout) {
    let labels: Vec<(&str, Rectangle)> =
        layout.lines.iter().filter_map(|line| Some((line.bundle.words.first()?.as_str(), line.label?))).collect();
    assert_eq!(labels.len(), layout.lines.iter().filter(|line| !line.bundle.words.is_empty()).count());
    for (index, (words, place)) in labels.iter().enumerate() {
        for other in &layout.boxes {
            assert!(!place.meets(other), "{}: “{words}” lies on a box", picture.title);
        }
        for (other_words, other) in &labels[index + 1..] {
            assert!(!place.meets(other), "{}: “{words}” lies on “{other_words}”", picture.title);
        }
        for line in layout.lines.iter().filter(|line| line.label.as_ref() != Some(place)) {
            let crossed = line.path.walked().iter().any(|point| is_inside(point, place, 1.0));
            assert!(!crossed, "{}: the line from {} crosses “{words}”", picture.title, line.bundle.first(picture).from);
        }
    }
}

/// With a negative margin also a little outside.
fn is_inside(point: &Point, place: &Rectangle, margin: f64) -> bool {
    let across = place.left + margin < point.x && point.x < place.right() - margin;
    across && place.top + margin < point.y && point.y < place.bottom() - margin
}

#[test]
fn nothing_crosses_a_box_or_a_label() {
    ALL.iter().for_each(|name| check_layout(&machine(name)));
}

#[test]
fn a_state_that_follows_itself_and_states_nobody_reaches_are_drawn() {
    let mut picture = machine("slogan");
    picture.edges.push(Edge { from: "reviewing".into(), to: "reviewing".into(), label: "again".into(), ..picture.edges[0].clone() });
    picture.edges.retain(|edge| edge.to != "errored");
    picture.mark_back_edges();
    check_layout(&picture);
}

#[test]
fn an_area_holds_no_state_of_another_group() {
    for name in ALL {
        let picture = machine(name);
        let layout = Layout::of(&picture);
        for area in &layout.areas {
            for (node, place) in picture.nodes.iter().zip(&layout.boxes).filter(|(node, _)| node.group != Some(area.group)) {
                assert!(!area.place.meets(place), "{name}: the area of {} holds {}", picture.groups[area.group], node.id);
            }
        }
        let covered = |place: &Rectangle| layout.areas.iter().any(|area| area.place.meets(place));
        let members = picture.nodes.iter().zip(&layout.boxes).filter(|(node, _)| node.group.is_some() && node.kind != Kind::Note);
        members.for_each(|(node, place)| assert!(covered(place), "{name}: {} stands in no area", node.id));
    }
}

#[test]
fn the_same_picture_is_always_drawn_the_same() {
    let first = svg(&machine("feature"));
    assert!((0..5).all(|_| svg(&machine("feature")) == first));
}

#[test]
fn a_terminal_is_never_too_narrow() {
    for columns in [40, 60, 80] {
        for row in ALL.iter().flat_map(|name| terminal(&machine(name), columns, &Plain).lines().map(String::from).collect::<Vec<_>>()) {
            assert!(row.chars().count() <= columns, "{columns}: {row}");
        }
    }
}

#[test]
fn every_arrow_names_its_target_in_a_narrow_terminal() {
    let drawn = terminal(&machine("feature"), 40, &Plain);
    for edge in machine("feature").edges.iter().filter(|edge| edge.kind == EdgeKind::Normal) {
        assert!(drawn.contains(&format!("→ {}", edge.to)) || drawn.contains(&format!("↺ {}", edge.to)), "{}", edge.to);
    }
}

#[test]
fn labels_cannot_break_out_of_any_format() {
    let mut picture = machine("slogan");
    let nasty = "a\"b<c>&d;e:f#g{h}%%\n]]> --> [*] \\";
    picture.edges[3].label = nasty.into();
    picture.nodes[3].label = nasty.into();
    picture.nodes[3].hint = nasty.into();
    let drawn = svg(&picture);
    assert!(drawn.contains("a&quot;b&lt;c&gt;&amp;d;e:f#g{h}%%"));
    assert!(!drawn.contains("<c>"));
    let drawn = mermaid(&picture);
    let row = drawn.lines().find(|row| row.contains("deciding --> completed")).unwrap();
    assert_eq!(
        row.trim(),
        "deciding --> completed : a#quot;b#lt;c#gt;#amp;d#59;e#58;f#35;g#123;h#125;#37;#37; #93;#93;#gt; --#gt; #91;*#93; #92;"
    );
    let drawn = dot(&picture);
    assert!(drawn.contains(r#"label="a\"b<c>&d;e:f#g{h}%%\n]]> --> [*] \\""#));
}

#[test]
fn a_state_with_a_word_of_mermaid_gets_another_name_there() {
    let mut picture = machine("slogan");
    picture.nodes[3].id = "end".into();
    for edge in &mut picture.edges {
        for end in [&mut edge.from, &mut edge.to] {
            if end == "deciding" {
                *end = "end".into();
            }
        }
    }
    let drawn = mermaid(&picture);
    assert!(drawn.contains("reviewing --> state_3_\n"), "{drawn}");
}

#[test]
fn an_empty_picture_can_be_drawn() {
    let nothing = Picture::default();
    assert!(svg(&nothing).ends_with("</svg>\n"));
    assert!(dot(&nothing).starts_with("digraph"));
    assert_eq!(mermaid(&nothing), "stateDiagram-v2\n");
    assert_eq!(terminal(&nothing, 80, &Plain).trim(), "");
}
