//! `cargo xtask live`: a real model server from PyPI, the tests that need one, and the end of the server.
//! It follows the guide: the packages and the program that serves the model are read from that page, so that the page stays true.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::programs::{self, cargo, run};
use crate::tree::root;

const GUIDE: &str = "docs/guide/local-model.md";
/// What the program of the guide prints when it can be asked, before the address.
const READY: &str = "listening at ";

pub fn live() -> Result<(), String> {
    let guide = std::fs::read_to_string(root().join(GUIDE)).map_err(|error| format!("{GUIDE} cannot be read: {error}"))?;
    let folder = programs::target().join("live");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let python = installed(&folder, &guide)?;
    let program = folder.join("serve.py");
    std::fs::write(&program, block(&guide, "python serve.py")?)
        .map_err(|error| format!("{} cannot be written: {error}", program.display()))?;
    let server = Server::start(&python, &program)?;
    let tests = ["nextest", "run", "--workspace", "--no-capture", "-E", "package(motet) and test(runs::live::)"];
    run(cargo(&tests).env("MOTET_LIVE_BASE_URL", &server.base_url))
}

/// A Python of our own with the packages that the guide installs.
fn installed(folder: &Path, guide: &str) -> Result<PathBuf, String> {
    let environment = folder.join("venv");
    let python = environment.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    let line = guide.lines().find_map(|line| line.split_once("bin/pip install ")).map(|(_, packages)| packages);
    let packages = line.ok_or_else(|| format!("{GUIDE} does not say what to install"))?;
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages.split_whitespace()))?;
    Ok(python)
}

/// The fenced block of the guide that begins like this.
fn block<'a>(guide: &'a str, head: &str) -> Result<&'a str, String> {
    let body = guide.split_once(&format!("```{head}\n")).and_then(|(_, rest)| rest.split_once("```"));
    body.map(|(body, _)| body).ok_or_else(|| format!("{GUIDE} has no block `{head}`"))
}

/// It ends when it is dropped.
struct Server {
    child: Child,
    base_url: String,
}

impl Server {
    fn start(python: &Path, program: &Path) -> Result<Self, String> {
        // Any free port, so that nothing on this machine is in the way.
        let mut command = Command::new(python);
        command.arg(program).arg("0").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("the model server cannot be started: {error}"))?;
        let lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(|reader| reader.lines().map_while(Result::ok));
        let mut server = Self { child, base_url: String::new() };
        for line in lines {
            if let Some(address) = line.strip_prefix(READY) {
                server.base_url = address.trim().to_string();
                return Ok(server);
            }
        }
        Err(format!("the model server ended before it could be asked; `{} {}` says why", python.display(), program.display()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
