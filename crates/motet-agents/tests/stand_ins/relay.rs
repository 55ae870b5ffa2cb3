//! The relay as a program of its own: what `motet relay-tools` does, with the words that a coding agent is given for it.
//! The words come in a variable, since the harness would read them as its own.

use std::path::Path;

use motet_agents::mcp::{Given, Relay, read_address};
use motet_agents::{Redactor, Secret};

pub const WORDS: &str = "STAND_IN_WORDS";

#[test]
#[ignore = "the part of a relay, which other tests start"]
fn plays_its_part() {
    let words = std::env::var(WORDS).unwrap_or_default();
    let words: Vec<String> = words.lines().map(String::from).collect();
    let (options, program) = match words.iter().position(|word| word == "--") {
        Some(end) => (&words[..end], &words[end + 1..]),
        None => (&words[..], &[][..]),
    };
    let all = |name: &'static str| options.iter().filter_map(move |word| word.strip_prefix(name)).map(String::from);
    let one = |name: &'static str| all(name).next().unwrap_or_default();
    let given = if options.iter().any(|word| word == "--all") { Given::Everything } else { Given::Only(all("--allow=").collect()) };
    let secrets = Redactor::new(all("--secret=").filter_map(|name| std::env::var(name).ok()).map(Secret::new));
    let relay = |hiding: &Redactor| Relay::new(given, Path::new(&one("--record=")), hiding).expect("the file is there");
    let (from, to) = (std::io::stdin(), std::io::stdout());
    let code = match all("--http=").next() {
        Some(variable) => {
            let server = read_address(&one("--server="), &std::env::var(variable).expect("it is set")).expect("it can be read");
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
            i32::from(runtime.block_on(relay(&server.redaction()).to_server(server, from, to)).is_err())
        }
        None => relay(&secrets).to_program(program, from, to).expect("it can be started"),
    };
    std::process::exit(code);
}
