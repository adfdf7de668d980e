//! Into a client's settings and out again: nothing of anybody else's changes.
//! Border: the files on disk; what the client makes of them is tested in `clients`.
#![expect(clippy::disallowed_methods, reason = "sets the scene")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{home, read, write};
use crate::support::{Member, Said, World};

/// Settings as people have them.
const SETTINGS: [&str; 7] = [
    "{}",
    "{\n}\n",
    "{\"model\":\"opus\"}",
    "{\n\t\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
    "{\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  },\r\n  \"ü\": 1e3\r\n}\r\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"lint # memsync-like\" }\n        ]\n      }\n    ]\n  }\n}",
    "{\"hooks\": {}, \"env\": {\"A\": \"\\u00e9\"}}\n\n",
];

fn settings(member: &Member) -> std::path::PathBuf {
    home(member).join(".claude/settings.json")
}

/// Every file below a folder, with its text.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push((path.display().to_string(), read(&path)));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_was_there_before_is_there_after_byte_for_byte() {
    let world = World::new();
    let ada = world.founder("ada");
    for text in SETTINGS {
        write(&settings(&ada), text);
        let index = "- [Mine](mine.md) — about me";
        write(&ada.memdir.join("MEMORY.md"), index);
        let said = ada.done(&["agent", "install", "claude-code"]);
        assert!(said.out.contains("is connected"), "{said:?}");
        let installed = read(&settings(&ada));
        assert_eq!(installed.matches(" agent hook ").count(), 9, "{installed}");
        assert!(read(&ada.memdir.join("MEMORY.md")).contains("(team/MEMORY.md)"));
        let again = ada.done(&["agent", "install", "claude-code"]);
        assert!(again.out.contains("installed already"), "{again:?}");
        assert_eq!(read(&settings(&ada)), installed);
        ada.done(&["agent", "uninstall", "claude-code"]);
        assert_eq!(read(&settings(&ada)), text);
        assert_eq!(read(&ada.memdir.join("MEMORY.md")), index);
        assert_eq!(files(&home(&ada).join(".local/state")), [], "{text}");
    }
}

#[test]
fn files_that_were_made_go_again() {
    let world = World::new();
    let ada = world.founder("ada");
    let before = files(&home(&ada));
    ada.done(&["agent", "install", "claude-code"]);
    ada.done(&["agent", "install", "codex"]);
    ada.done(&["agent", "uninstall", "claude-code"]);
    ada.done(&["agent", "uninstall", "codex"]);
    assert_eq!(files(&home(&ada)), before);
    assert!(!ada.memdir.join("MEMORY.md").exists());
    let said = ada.done(&["agent", "uninstall", "claude-code"]);
    assert!(said.out.contains("not installed"), "{said:?}");
}

#[test]
fn a_dry_run_shows_the_change_and_writes_nothing() {
    let world = World::new();
    let ada = world.founder("ada");
    write(&settings(&ada), "{\"env\": {\"KEY\": \"v\"}}\n");
    let said = ada.done(&["agent", "install", "claude-code", "--dry-run"]);
    assert!(said.out.contains("would be edited") && said.out.contains("+"), "{said:?}");
    assert!(said.out.contains("agent hook SessionStart"), "{said:?}");
    assert_eq!(read(&settings(&ada)), "{\"env\": {\"KEY\": \"v\"}}\n");
    assert!(!ada.memdir.join("MEMORY.md").exists());
}

#[test]
fn what_cannot_be_changed_without_loss_is_refused_with_a_way_on() {
    let world = World::new();
    let ada = world.founder("ada");
    for (text, words) in [
        ("{\n  // my key\n  \"a\": 1\n}\n", "line 2, column 3: it has comments"),
        ("{\"a\": 1,}\n", "comments or commas"),
        ("{\"a\": ", "line 1"),
        ("[]", "is not what it should be"),
        ("", "is not what it should be"),
        ("{\"hooks\": \"none\"}", "`hooks` is not what it should be"),
        ("{\"hooks\": {\"Stop\": {}}}", "`hooks/Stop` is not"),
        ("{\"hooks\": {}, \"hooks\": {}}", "stands there twice"),
    ] {
        write(&settings(&ada), text);
        let said = ada.fails(&["agent", "install", "claude-code"], 2, &["is left as it is", words]);
        assert!(said.err.contains("next:") && said.err.matches("line ").count() < 2, "{said:?}");
        assert_eq!(read(&settings(&ada)), text);
    }
    std::fs::write(settings(&ada), b"{\"a\": \"\xff\"}").unwrap();
    ada.fails(&["agent", "install", "claude-code"], 2, &["is not UTF-8"]);
    // A folder in the place of the file.
    std::fs::remove_file(settings(&ada)).unwrap();
    std::fs::create_dir(settings(&ada)).unwrap();
    assert_ne!(ada.run(&["agent", "install", "claude-code"]).exit, 0);
}

#[test]
fn settings_that_are_a_link_of_the_persons_own_stay_one_and_stay_private() {
    let world = World::new();
    let ada = world.founder("ada");
    let real = home(&ada).join("dotfiles/claude.json");
    write(&real, "{}\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::create_dir_all(home(&ada).join(".claude")).unwrap();
    std::os::unix::fs::symlink(&real, settings(&ada)).unwrap();
    ada.done(&["agent", "install", "claude-code"]);
    assert!(settings(&ada).is_symlink());
    assert!(read(&real).contains("agent hook"));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    ada.done(&["agent", "uninstall", "claude-code"]);
    assert_eq!(read(&real), "{}\n");
}

#[test]
fn a_projects_settings_are_shared_and_no_link_in_it_is_followed() {
    let world = World::new();
    let ada = world.founder("ada");
    let project = world.path().join("project");
    std::fs::create_dir_all(project.join(".git")).unwrap();
    let there = ["-C", project.to_str().unwrap(), "agent"];
    let run = |words: &[&str]| ada.run(&[&there, words].concat());
    assert_eq!(run(&["install", "claude-code", "--project"]).exit, 0);
    let text = read(&project.join(".claude/settings.json"));
    assert!(text.contains("command -v memsync") && !text.contains(env!("CARGO_BIN_EXE_memsync")));
    assert_eq!(run(&["install", "claude-code", "--local"]).exit, 0);
    assert!(read(&project.join(".claude/settings.local.json")).contains("agent hook"));
    let status = run(&["status", "claude-code"]);
    assert!(status.out.contains("(project,") && status.out.contains("(local,"), "{status:?}");
    // The block stays as long as one of the two needs it.
    assert_eq!(run(&["uninstall", "claude-code", "--project"]).exit, 0);
    assert!(read(&ada.memdir.join("MEMORY.md")).contains("memsync agent"));
    assert_eq!(run(&["uninstall", "claude-code", "--local"]).exit, 0);
    assert!(!ada.memdir.join("MEMORY.md").exists());
    assert!(!project.join(".claude/settings.json").exists());

    let target = world.path().join("elsewhere.json");
    write(&target, "{}");
    std::fs::create_dir(project.join(".claude")).unwrap();
    std::os::unix::fs::symlink(&target, project.join(".claude/settings.json")).unwrap();
    assert_ne!(run(&["install", "claude-code", "--project"]).exit, 0);
    assert_eq!(read(&target), "{}");
    let codex = run(&["install", "codex", "--project"]);
    assert_eq!(codex.exit, 2, "{codex:?}");
    assert!(codex.err.contains("Codex has no hooks for project"), "{codex:?}");
}

#[test]
fn another_versions_hooks_are_renewed_and_a_program_that_is_gone_is_named() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.done(&["agent", "install", "claude-code"]);
    let text = read(&settings(&ada)).replace(env!("CARGO_BIN_EXE_memsync"), "/opt/old/memsync");
    write(&settings(&ada), &text.replace("\"SubagentStop\"", "\"EarlierEvent\""));
    let status = ada.run(&["agent", "status", "claude-code"]);
    assert_eq!(status.exit, 1, "{status:?}");
    assert!(
        status.out.contains("`/opt/old/memsync`") && status.out.contains("not there"),
        "{status:?}"
    );
    ada.done(&["agent", "install", "claude-code"]);
    let text = read(&settings(&ada));
    assert!(!text.contains("/opt/old") && !text.contains("EarlierEvent"), "{text}");
    assert_eq!(text.matches(" agent hook ").count(), 9);
}

#[test]
fn status_names_what_is_in_the_way() {
    let world = World::new();
    let ada = world.founder("ada");
    let said = ada.done(&["agent", "status", "claude-code"]);
    assert!(
        said.out.contains("not connected") && said.out.contains("agent install claude-code"),
        "{said:?}"
    );
    ada.done(&["agent", "install", "claude-code"]);
    let said = ada.done(&["agent", "status"]);
    assert!(said.out.contains("no hook has called yet"), "{said:?}");
    let text = read(&settings(&ada)).replacen('{', "{\n  \"disableAllHooks\": true,", 1);
    write(&settings(&ada), &text);
    let stores = ada.with("CLAUDE_MEMORY_STORES", "[]");
    let said = stores.run(&["agent", "status"]);
    assert_eq!(said.exit, 1);
    write(&world.path().join(".stfolder/mark"), "");
    let said = Said { out: said.out + &stores.run(&["agent", "status"]).out, ..said };
    for words in ["`disableAllHooks`", "`CLAUDE_MEMORY_STORES` is set", "Syncthing keeps"] {
        assert!(said.out.contains(words), "{words}: {said:?}");
    }
    let json = ada.json(&["agent", "status"]);
    assert_eq!(json["clients"][0]["client"], "claude-code");
}

#[test]
fn codex_is_told_in_agents_md_where_the_team_wants_it_and_no_claude_md_is_made() {
    let world = World::new();
    let ada = world.founder("ada");
    let project = world.path().join("project");
    std::fs::create_dir_all(project.join(".git")).unwrap();
    let run = |words: &[&str]| {
        let said = ada.run(&[&["-C", project.to_str().unwrap(), "agent"], words].concat());
        assert_eq!(said.exit, 0, "{said:?}");
    };
    run(&["install", "codex", "--agents-md"]);
    assert!(read(&project.join("AGENTS.md")).contains("memsync recall"));
    assert!(!project.join("CLAUDE.md").exists());
    run(&["uninstall", "codex"]);
    assert!(!project.join("AGENTS.md").exists());
    write(&project.join("AGENTS.md"), "# Rules\n\nBe kind.");
    run(&["install", "codex", "--agents-md"]);
    run(&["install", "codex", "--agents-md"]);
    assert_eq!(read(&project.join("AGENTS.md")).matches("## Team memory").count(), 1);
    run(&["uninstall", "codex"]);
    assert_eq!(read(&project.join("AGENTS.md")), "# Rules\n\nBe kind.");
    let there = ["-C", project.to_str().unwrap(), "agent", "install", "claude-code", "--agents-md"];
    ada.fails(&there, 2, &["is for Codex"]);
}
