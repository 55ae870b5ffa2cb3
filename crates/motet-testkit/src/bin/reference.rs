//! Prints the reference documents as one JSON object of texts by path, for `cargo xtask docs`.
#![expect(clippy::print_stdout, reason = "this is a program for the terminal")]

fn main() {
    println!("{}", serde_json::json!(motet_testkit::reference::documents()));
}
