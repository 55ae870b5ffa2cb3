use super::*;

/// Temporary drawing.
#[test]
fn draw_all() {
    for name in ALL {
        let current = if name == "feature" { "judging" } else { "reviewing" };
        let picture = machine(name).at(Some(current), ["initialized", "generating"]);
        std::fs::write(format!("/tmp/g/{name}.svg"), svg(&picture)).unwrap();
        std::fs::write(format!("/tmp/g/{name}.mmd"), mermaid(&picture)).unwrap();
        std::fs::write(format!("/tmp/g/{name}.dot"), dot(&picture)).unwrap();
        std::fs::write(format!("/tmp/g/{name}.txt"), terminal(&picture, 80, &Plain)).unwrap();
    }
}
