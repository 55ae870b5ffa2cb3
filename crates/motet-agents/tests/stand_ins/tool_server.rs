//! A server of tools over standard input and output that breaks in the ways real ones do.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

#[test]
#[ignore = "the part of a tool server, which other tests start"]
fn plays_its_part() {
    let mut calls = 0;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = message.get("id").cloned() else { continue };
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "stand-in", "version": "1"},
            }),
            Some("tools/list") => json!({"tools": tools()}),
            Some("tools/call") => {
                calls += 1;
                let arguments = &message["params"]["arguments"];
                call(message["params"]["name"].as_str().unwrap_or_default(), arguments, calls)
            }
            _ => json!({}),
        };
        say(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
    std::process::exit(0);
}

fn tools() -> Vec<Value> {
    ["echo", "count", "crash", "die", "hang", "flood", "secret", "mutter"]
        .map(|name| json!({"name": name, "description": format!("It does {name}."), "inputSchema": {"type": "object"}}))
        .to_vec()
}

fn call(name: &str, arguments: &Value, calls: u32) -> Value {
    let text = match name {
        "echo" => arguments["text"].as_str().unwrap_or_default().to_string(),
        "count" => calls.to_string(),
        "crash" => {
            let _ = writeln!(std::io::stderr(), "out of cheese");
            std::process::exit(3);
        }
        "die" => {
            let _ = std::process::Command::new("kill").args(["-KILL", &std::process::id().to_string()]).status();
            hang()
        }
        "hang" => hang(),
        "flood" => {
            flood();
            "after the flood".into()
        }
        "secret" => std::env::var("STAND_IN_KEY").unwrap_or_default(),
        "mutter" => {
            let _ = writeln!(std::io::stderr(), "muttering with {}", std::env::var("STAND_IN_KEY").unwrap_or_default());
            "said".into()
        }
        other => return json!({"content": [{"type": "text", "text": format!("no tool {other}")}], "isError": true}),
    };
    json!({"content": [{"type": "text", "text": text}]})
}

fn hang() -> ! {
    // A child that would outlive a server that is only killed itself.
    if let Ok(marker) = std::env::var("STAND_IN_CHILD") {
        let _ = std::process::Command::new("sleep").arg(marker).spawn();
    }
    loop {
        std::thread::park();
    }
}

/// A gigabyte in one line, bytes that are no text, and a whole line again.
pub fn flood() {
    let mut out = std::io::stdout().lock();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..1024 {
        if out.write_all(&piece).is_err() {
            return;
        }
    }
    let _ = out.write_all(b"\n\xff\xfe\n");
}

fn say(message: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{message}");
    let _ = out.flush();
}
