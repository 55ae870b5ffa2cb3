//! The program. It only joins the parts.

mod graph;

fn main() {
    let picture = graph::Picture::default();
    drop([graph::svg(&picture), graph::mermaid(&picture), graph::dot(&picture), graph::terminal(&picture, 80, &graph::Plain)]);
}
