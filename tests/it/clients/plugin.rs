//! The plugin in `hooks/claude-code/`, as the client takes it.
//! Border: that it loads, answers and does not answer twice; what is answered is tested in `agent`.

use std::collections::BTreeMap;
use std::path::Path;

use memsync::store::agent::claude_code::HOOK_EVENTS;
use serde_json::Value;

use super::{Office, Person, Step, put, sent};
use crate::support::{memory, say};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/hooks/claude-code");
const HEADING: &str = "# Memory that the team shares";

fn file(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap()).unwrap()
}

/// How often a session is told what the team shares.
fn times_told(person: &Person<'_>, options: &[&str]) -> usize {
    let requests = person.session_with(options, "hello", &[Step::Say("hi")]);
    person.settle();
    sent(&requests[0]).matches(HEADING).count()
}

#[test]
fn the_plugin_has_the_hooks_that_installing_has() {
    let hooks = file("hooks/claude-code/hooks/hooks.json");
    let found: BTreeMap<&str, Option<&str>> = hooks["hooks"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(event, groups)| (event.as_str(), groups[0]["matcher"].as_str()))
        .collect();
    assert_eq!(found, HOOK_EVENTS.into_iter().collect());
    let version = file("hooks/claude-code/.claude-plugin/plugin.json")["version"].clone();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_client_takes_the_plugin_and_nobody_answers_twice() {
    let Some(office) = Office::open() else { return };
    let ada = office.person("ada");
    for folder in [PLUGIN, ROOT] {
        let said =
            say(ada.command(&office.client).args(["plugin", "validate", "--strict", folder]));
        assert_eq!(said.exit, 0, "{folder}: {said:?}");
    }
    ada.memsync(&["init", "--open", "--remote", office.hub().to_str().unwrap()]);
    put(&ada.memdir().join("team/ports.md"), &memory("ports", "5433"));
    assert_eq!(times_told(&ada, &[]), 0);
    assert_eq!(times_told(&ada, &["--plugin-dir", PLUGIN]), 1);
    ada.memsync(&["agent", "install", "claude-code"]);
    assert_eq!(times_told(&ada, &["--plugin-dir", PLUGIN]), 1);
    ada.memsync(&["agent", "uninstall", "claude-code"]);

    // From a marketplace that is a folder.
    for words in [&["marketplace", "add", ROOT][..], &["install", "memsync@memsync"]] {
        let said = say(ada.command(&office.client).arg("plugin").args(words));
        assert_eq!(said.exit, 0, "{words:?}: {said:?}");
    }
    assert_eq!(times_told(&ada, &[]), 1);
}
