//! Real tool servers from npm, installed below the build directory: over a pipe and over HTTP.
//! Where there is no npm, or nothing can be installed, the tests say so and pass.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use motet_agents::mcp::{McpServer, Servers};
use motet_agents::{Context, Toolbox};
use serde_json::{Value, json};

use crate::Directory;

const EVERYTHING: &str = "@modelcontextprotocol/server-everything";
const FILESYSTEM: &str = "@modelcontextprotocol/server-filesystem";

/// The directory with the installed packages; None, with the reason printed, if there is none.
fn installed() -> Option<&'static Path> {
    static INSTALLED: OnceLock<Option<PathBuf>> = OnceLock::new();
    INSTALLED.get_or_init(install).as_deref()
}

fn install() -> Option<PathBuf> {
    let prefix = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("npm");
    std::fs::create_dir_all(&prefix).ok()?;
    // Several processes may come here at once; npm itself does not mind its turn.
    let lock = std::fs::File::create(prefix.join("lock")).ok()?;
    lock.lock().ok()?;
    if [EVERYTHING, FILESYSTEM].iter().all(|package| prefix.join("node_modules").join(package).join("dist/index.js").exists()) {
        return Some(prefix);
    }
    let arguments = ["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error", "--prefix"];
    let npm = Command::new("npm").args(arguments).arg(&prefix).args([EVERYTHING, FILESYSTEM]).output();
    match npm {
        Ok(output) if output.status.success() => Some(prefix),
        Ok(output) => {
            skip(&format!("npm cannot install the servers: {}", String::from_utf8_lossy(&output.stderr).trim()));
            None
        }
        Err(error) => {
            skip(&format!("there is no npm here: {error}"));
            None
        }
    }
}

/// Past the harness, which would keep it to itself.
fn skip(why: &str) {
    let _ = writeln!(std::io::stdout(), "skipped: {why}");
}

fn node(prefix: &Path, package: &str, arguments: &[&str]) -> Vec<String> {
    let script = prefix.join("node_modules").join(package).join("dist/index.js").to_string_lossy().into_owned();
    ["node", &script].into_iter().chain(arguments.iter().copied()).map(String::from).collect()
}

async fn call(servers: &Servers, name: &str, arguments: Value) -> String {
    let toolbox = servers.toolbox(&[name.to_string()]).expect("it is declared");
    let answer = toolbox.call(name, arguments, &Context::new().0).await;
    assert!(!answer.is_error, "{}", answer.text);
    answer.text
}

#[tokio::test]
async fn a_real_server_of_files_reads_and_writes_where_it_may() {
    let Some(prefix) = installed() else { return };
    let directory = Directory::new("npm-files");
    let here = directory.0.canonicalize().expect("it exists");
    let place = |name: &str| here.join(name).to_string_lossy().into_owned();
    let command = node(prefix, FILESYSTEM, &[&here.to_string_lossy()]);
    let servers = Servers::new(vec![McpServer::stdio("files", command)]).expect("it is well declared");
    let tools = servers.list(&Context::new().0).await.remove(0).tools.expect("it starts");
    assert!(tools.iter().any(|tool| tool.name == "files.write_file"), "{tools:?}");
    call(&servers, "files.write_file", json!({"path": place("note.txt"), "content": "tea"})).await;
    assert_eq!(std::fs::read_to_string(here.join("note.txt")).expect("it was written"), "tea");
    assert!(call(&servers, "files.read_text_file", json!({"path": place("note.txt")})).await.contains("tea"));
    let toolbox = servers.toolbox(&["files.*".into()]).expect("it is declared");
    let refused = toolbox.call("files.read_text_file", json!({"path": "/etc/passwd"}), &Context::new().0).await;
    assert!(refused.is_error, "{refused:?}");
}

#[tokio::test]
async fn a_real_server_of_everything_answers_over_a_pipe() {
    let Some(prefix) = installed() else { return };
    let command = node(prefix, EVERYTHING, &["stdio"]);
    let servers = Servers::new(vec![McpServer::stdio("every", command)]).expect("it is well declared");
    assert!(call(&servers, "every.echo", json!({"message": "hello"})).await.contains("hello"));
    let picture = call(&servers, "every.get-tiny-image", json!({})).await;
    assert!(picture.contains("[an image, image/png, ") && !picture.contains("base64"), "{picture}");
}

#[tokio::test]
async fn a_real_server_of_everything_answers_over_http() {
    let Some(prefix) = installed() else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("there is a free port").port();
    let words = node(prefix, EVERYTHING, &["streamableHttp"]);
    let mut command = tokio::process::Command::new(&words[0]);
    command.args(&words[1..]).env("PORT", port.to_string()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let _server = command.spawn().expect("node starts");
    let address = format!("127.0.0.1:{port}");
    for _ in 0..600 {
        if tokio::net::TcpStream::connect(&address).await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let servers = Servers::new(vec![McpServer::http("every", format!("http://{address}/mcp"))]).expect("it is well declared");
    assert!(call(&servers, "every.echo", json!({"message": "hello"})).await.contains("hello"));
}
