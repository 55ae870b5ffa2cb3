//! Programs that the tests talk to: this very test binary, started again to play another part.
//! They behave well or badly as they are told, and know nothing of the tests.

mod coding_agent;
mod given_servers;
mod relay;
mod tool_server;

/// How this binary is started so that it plays the agent.
pub fn coding_agent() -> Vec<String> {
    part("stand_ins::coding_agent::plays_its_part")
}

/// The same for one that remembers its conversations there.
pub fn coding_agent_in(store: &std::path::Path) -> Vec<String> {
    ["env".to_string(), format!("STAND_IN_STORE={}", store.display())].into_iter().chain(coding_agent()).collect()
}

/// How this binary is started so that it plays the server.
pub fn tool_server() -> Vec<String> {
    part("stand_ins::tool_server::plays_its_part")
}

/// The first words of this binary as a relay; what follows them is passed on to it.
pub fn relay() -> Vec<String> {
    let script = format!("{}=\"$(printf '%s\\n' \"$@\")\" exec {}", relay::WORDS, part("stand_ins::relay::plays_its_part").join(" "));
    ["sh", "-c", &script, "relay"].map(String::from).to_vec()
}

/// The harness prints a line or two of its own before the part begins, as real programs do.
fn part(name: &str) -> Vec<String> {
    let this = std::env::current_exe().expect("this program is somewhere").to_string_lossy().into_owned();
    [&this, name, "--exact", "--ignored", "--nocapture", "--quiet"].map(String::from).to_vec()
}
