//! Codex itself, against a Responses API on loopback.
//! Border: what its model is shown and refused; the hooks one by one are in `agent`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Office, Person, Step, installed, put, until};
use crate::support::{memory, say, token};

/// The program inside the package for this machine.
fn codex() -> Option<PathBuf> {
    let package = installed("node_modules/@openai/codex-linux-x64/vendor")?;
    let of_machine = std::fs::read_dir(package).unwrap().next().unwrap().unwrap().path();
    Some(of_machine.join("bin/codex"))
}

/// One session: a prompt, and what the model does. Gives the requests as text.
fn session(person: &Person<'_>, codex: &Path, prompt: &str, steps: &[Step]) -> Vec<String> {
    let config = format!(
        "model_provider = \"loopback\"\nmodel = \"none\"\n[model_providers.loopback]\nname = \"loopback\"\n\
         base_url = \"{}/v1\"\nwire_api = \"responses\"\nenv_key = \"LOOPBACK_KEY\"\n",
        person.office.api.url
    );
    put(&person.home.join(".codex/config.toml"), &config);
    person.office.api.script(steps);
    let options =
        ["exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"];
    let said = say(person.command(codex).env("LOOPBACK_KEY", "none").args(options).arg(prompt));
    assert_eq!(said.exit, 0, "{said:?}");
    let input = |request: &Value| request["input"].to_string();
    person.office.api.requests().iter().map(input).collect()
}

#[test]
fn codex_is_told_refused_and_shared_for() {
    let Some(codex) = codex() else { return };
    let Some(office) = Office::open() else { return };
    let ada = office.person("ada");
    ada.memsync(&["init", "--open", "--remote", office.hub().to_str().unwrap()]);
    put(
        &ada.memdir().join("team/ports.md"),
        &memory("ports", "The staging database listens on port 5433."),
    );
    ada.memsync(&["push"]);
    ada.memsync(&["agent", "install", "codex"]);
    let team = ada.memdir().join("team");
    let shell = |command: String| Step::Tool("exec_command", json!({ "cmd": command }));
    let secret = token();
    let steps = [
        shell(format!("echo token {secret} > {}/t.md", team.display())),
        shell(format!(
            "printf -- '---\\nname: c\\ndescription: d\\ntype: reference\\n---\\n\\nport 77\\n' > {}/c.md",
            team.display()
        )),
        Step::Say("done"),
    ];
    let requests = session(&ada, &codex, "which port does the staging database listen on?", &steps);
    assert!(
        requests[0].contains("Memory that the team shares") && requests[0].contains("5433"),
        "{}",
        requests[0]
    );
    assert!(requests[1].contains("the command names the team memory"), "{}", requests[1]);
    assert!(!team.join("t.md").exists());
    until("on the hub", || office.on_hub("c.md").is_some_and(|text| text.contains("port 77")));
    let commit = crate::servers::git(&office.hub(), &["log", "-1", "--format=%B", "main"]);
    assert!(commit.contains("Memsync-Agent: codex"), "{commit}");
}
