//! What a tool may not write into the team memory, and how the agent is told.
//! Border: the answer to PreToolUse; that the gate keeps it out all the same is tested in `sync`.

use serde_json::json;

use super::{call, home, refusal, write};
use crate::support::{Member, World, memory, token};

fn refused_write(member: &Member, path: &str, content: &str) -> String {
    let tool_input = json!({ "file_path": path, "content": content });
    let answer =
        call(member, "PreToolUse", json!({ "tool_name": "Write", "tool_input": tool_input }));
    refusal(answer.as_ref()).to_owned()
}

fn refused_command(member: &Member, command: &str) -> String {
    let tool_input = json!({ "command": command });
    let answer =
        call(member, "PreToolUse", json!({ "tool_name": "Bash", "tool_input": tool_input }));
    refusal(answer.as_ref()).to_owned()
}

#[test]
fn every_form_of_the_path_is_known_and_writes_elsewhere_are_nobodys_business() {
    let world = World::new();
    let ada = world.founder("ada");
    let secret = memory("a", &format!("token {}", token()));
    let team = ada.team();
    std::os::unix::fs::symlink(&ada.memdir, world.path().join("link")).unwrap();
    // The folder that the client works in is the one all of this is in.
    for path in [
        team.join("a.md").to_str().unwrap(),
        "ada/team/a.md",
        "./ada/../ada/team/./new/a.md",
        "link/team/a.md",
        "~/../ada/team/a.md",
    ] {
        let why = refused_write(&ada, path, &secret);
        assert!(
            why.contains("line 6: looks like a secret") && why.contains("Nothing was written"),
            "{path}: {why}"
        );
        assert!(!why.contains(&token()), "{why}");
    }
    for path in ["ada/a.md", "ada/teams/a.md", "elsewhere/a.md", "/tmp/a.md", "~/a.md", ""] {
        assert_eq!(refused_write(&ada, path, &secret), "", "{path}");
    }
    assert_eq!(refused_write(&ada, "ada/team/a.md", &memory("a", "All is well.")), "");
}

#[test]
fn each_reason_says_what_to_do_instead() {
    let world = World::new();
    let ada = world.founder("ada");
    let user = memory("a", "x").replace("type: project", "type: user");
    for (path, content, words) in [
        ("ada/team/a.md", user.as_str(), "the folder above `team/`"),
        ("ada/team/a.md", "a\u{200b}b", "which nobody sees"),
        ("ada/team/a.md", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", "markers of a conflict"),
        ("ada/team/con.md", "x", "team/con.md cannot be shared as it would be"),
        (
            "ada/team/.memsync/policy.yaml",
            "version: 1\n",
            "`team/.memsync` is not written to by agents",
        ),
        ("ada/team/.git/config", "[core]\n", "`team/.git` is not written to by agents"),
        ("ada/team/.GIT/config", "[core]\n", "`team/.git` is not written to by agents"),
    ] {
        let why = refused_write(&ada, path, content);
        assert!(why.contains(words), "{path} {content:?}: {why}");
    }
}

#[test]
fn an_edit_is_judged_by_the_text_it_leaves_and_only_for_what_is_new() {
    let world = World::new();
    let ada = world.founder("ada");
    let (one, two) = (token(), token().replace("u0Xf", "v1Yg"));
    let path = ada.team().join("a.md");
    write(&path, &memory("a", &format!("first {one}\nsecond {two}\nport 1")));
    let edit = |edits: serde_json::Value| {
        let mut tool_input = edits;
        tool_input["file_path"] = json!(path);
        let tool = if tool_input.get("edits").is_some() { "MultiEdit" } else { "Edit" };
        let answer =
            call(&ada, "PreToolUse", json!({ "tool_name": tool, "tool_input": tool_input }));
        refusal(answer.as_ref()).to_owned()
    };
    // Whoever takes one of two out is not stopped for the other.
    assert_eq!(edit(json!({ "old_string": one, "new_string": "in the vault" })), "");
    assert_eq!(edit(json!({ "old_string": "port 1", "new_string": "port 2" })), "");
    let third = token().replace("u0Xf", "w2Zh");
    assert!(
        edit(json!({ "old_string": "port 1", "new_string": format!("x {third}") }))
            .contains("secret")
    );
    let edits = json!([
        { "old_string": "port 1", "new_string": "port: X" },
        { "old_string": "X", "new_string": third, "replace_all": true },
    ]);
    assert!(edit(json!({ "edits": edits })).contains("secret"));
    // What the client refuses itself is no question.
    assert_eq!(edit(json!({ "old_string": 7 })), "");
    assert_eq!(edit(json!({ "edits": [] })), "");
}

#[test]
fn a_command_that_names_the_team_memory_carries_no_credential_there() {
    let world = World::new();
    let ada = world.founder("ada");
    let secret = token();
    for command in [
        format!("echo 'token {secret}' >> ada/team/a.md"),
        format!("cd ada/team && cat > a.md <<'EOF'\ntoken {secret}\nEOF"),
        format!("printf x {secret} | tee \"{}/a.md\"", ada.team().display()),
    ] {
        let why = refused_command(&ada, &command);
        assert!(
            why.contains("the command names the team memory") && !why.contains(&secret),
            "{command}: {why}"
        );
    }
    for command in ["rm -rf ada/team/.git", "sed -i s/a/b/ ada/team/.memsync/policy.yaml"] {
        assert!(refused_command(&ada, command).contains("not written to by agents"), "{command}");
    }
    for command in [
        format!("echo {secret} > /tmp/x"),
        "cat ada/team/.memsync/policy.yaml; git -C ada/team log".to_owned(),
        "echo 'port 5433' > ada/team/a.md".to_owned(),
        String::new(),
    ] {
        assert_eq!(refused_command(&ada, &command), "", "{command}");
    }
}

#[test]
fn where_there_is_no_team_memory_nothing_is_refused() {
    let world = World::new();
    let ada = world.newcomer("ada");
    assert_eq!(refused_write(&ada, "ada/team/a.md", &token()), "");
    // A team memory that is broken lets the client go on, and says so to the person.
    write(&ada.team().join(".git/HEAD"), "junk");
    assert_eq!(refused_write(&ada, "ada/team/a.md", &token()), "");
    let status = ada.run(&["agent", "status"]);
    assert!(status.out.contains("PreToolUse at"), "{status:?}");
    assert!(home(&ada).join(".local/state/memsync").is_dir());
}
