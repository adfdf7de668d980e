//! Claude Code itself, with a home of its own and a Messages API on loopback in place of the model.
//! Border: what the client shows a model and does to files; nothing of the machine's own client is touched.

#![expect(clippy::disallowed_methods, reason = "a scene is made of files, programs and variables")]

mod api;
mod told;
mod plugin;
mod codex;
mod story;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use api::{Api, Step};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::servers::git;
use crate::support::{Said, say};

/// Long enough for any machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Claude Code.
fn client() -> Option<PathBuf> {
    installed("node_modules/@anthropic-ai/claude-code-linux-x64/claude")
}

/// What `.ci/run` installs; `None` where it is not there, which is said.
fn installed(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/clients").join(path);
    if path.exists() {
        return Some(path);
    }
    let is_required = std::env::var_os("MEMSYNC_REQUIRE_CLIENTS").is_some();
    assert!(!is_required, "{} is not installed", path.display());
    say_skipped(&path);
    None
}

#[expect(clippy::print_stderr, reason = "a skipped test is said")]
fn say_skipped(client: &Path) {
    eprintln!("skipped: no client at {}; `.ci/run` installs it", client.display());
}

/// A folder with a hub and the machines of several people.
struct Office {
    folder: TempDir,
    client: PathBuf,
    api: Api,
}

/// A person with a home and a project.
struct Person<'a> {
    office: &'a Office,
    name: &'static str,
    home: PathBuf,
    project: PathBuf,
}

impl Office {
    /// `None` where there is no client.
    fn open() -> Option<Self> {
        let client = client()?;
        let folder = tempfile::Builder::new().prefix("memsync-office").tempdir().unwrap();
        let office = Self { folder, client, api: Api::start() };
        make(&office.hub());
        git(&office.hub(), &["init", "-q", "--bare", "-b", "main", "."]);
        Some(office)
    }

    fn hub(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("hub.git")
    }

    fn person(&self, name: &'static str) -> Person<'_> {
        let folder = self.folder.path().canonicalize().unwrap().join(name);
        let (home, project) = (folder.join("home"), folder.join("project"));
        make(&home.join(".claude"));
        make(&project);
        git(&project, &["init", "-q", "-b", "main", "."]);
        Person { office: self, name, home, project }
    }

    fn on_hub(&self, file: &str) -> Option<String> {
        let files = crate::support::files_at(&self.hub(), "main");
        files.get(file).cloned()
    }
}

impl Person<'_> {
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // A plugin finds memsync by its name.
        let own = Path::new(env!("CARGO_BIN_EXE_memsync")).parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", own.display());
        let variables = [
            ("PATH", path.as_str()),
            ("HOME", self.home.to_str().unwrap()),
            ("TERM", "dumb"),
            ("LANG", "C.UTF-8"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("MEMSYNC_NAME", self.name),
            ("MEMSYNC_EMAIL", &format!("{}@example.com", self.name)),
            ("ANTHROPIC_BASE_URL", &self.office.api.url),
            ("ANTHROPIC_API_KEY", "dummy-not-a-key"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ];
        command.env_clear().envs(variables).current_dir(&self.project).stdin(Stdio::null());
        command
    }

    /// Runs memsync in the project.
    fn memsync(&self, arguments: &[&str]) -> Said {
        let said = say(self.command(Path::new(env!("CARGO_BIN_EXE_memsync"))).args(arguments));
        assert_eq!(said.exit, 0, "{arguments:?}: {said:?}");
        said
    }

    /// The memory directory, as the client has it.
    fn memdir(&self) -> PathBuf {
        let said = self.memsync(&["--format", "json", "where"]);
        let found: Value = serde_json::from_str(&said.out).unwrap();
        PathBuf::from(found["memdir"].as_str().unwrap())
    }

    /// One session of the client: a prompt, and what the model does. Gives the requests.
    fn session(&self, prompt: &str, steps: &[Step]) -> Vec<Value> {
        self.session_with(&[], prompt, steps)
    }

    /// The same with options of the client.
    fn session_with(&self, options: &[&str], prompt: &str, steps: &[Step]) -> Vec<Value> {
        self.office.api.script(steps);
        let said = say(self.command(&self.office.client).args(options).args(["-p", prompt]));
        assert_eq!(said.exit, 0, "{said:?}");
        self.office.api.requests()
    }

    /// Waits until no process shares beside the client.
    fn settle(&self) {
        until("settled", || {
            let said = say(self
                .command(Path::new(env!("CARGO_BIN_EXE_memsync")))
                .args(["agent", "status"]));
            !said.out.contains("is sharing")
        });
    }
}

impl Drop for Person<'_> {
    fn drop(&mut self) {
        // Nothing of ours outlives the test.
        say(self.command(Path::new(env!("CARGO_BIN_EXE_memsync"))).args(["agent", "stop"]));
    }
}

/// Waits until something holds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Everything the model was sent in one request, as text.
fn sent(request: &Value) -> String {
    fn texts(value: &Value, all: &mut String) {
        match value {
            Value::String(text) => {
                all.push_str(text);
                all.push('\n');
            }
            Value::Array(values) => values.iter().for_each(|value| texts(value, all)),
            Value::Object(fields) => fields.values().for_each(|value| texts(value, all)),
            _ => {}
        }
    }
    let mut all = String::new();
    texts(&request["messages"], &mut all);
    all
}

fn write_tool(path: &Path, content: &str) -> Step {
    Step::Tool("Write", json!({ "file_path": path, "content": content }))
}

fn make(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
}

fn put(path: &Path, text: &str) {
    make(path.parent().unwrap());
    std::fs::write(path, text).unwrap();
}
