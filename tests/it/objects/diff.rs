//! `diff` shows what a push would share, and nothing of what the gate keeps out.
//! Border: what the gate keeps out is `gate`; here it is what is shown of it.

use super::envelope::{assert_masked, commit};
use crate::support::{World, git, memory, token};

/// A text that is kept out, as it is made.
type KeptOut = fn() -> String;

const KINDS: [(&str, KeptOut); 4] = [
    ("a token", || memory("S", &format!("token {}", token()))),
    ("a password", || memory("S", "The password is Tq8vZr2LmXw9kP.")),
    ("a private kind", || memory("S", "Ann likes tea.").replace("project", "user")),
    ("no memory", || "just Quiet words\n".to_owned()),
];

#[test]
fn what_the_gate_keeps_out_is_named_and_neither_its_text_nor_its_entry_is_shown() {
    for (kind, text) in KINDS {
        for with_edit in [false, true] {
            let world = World::new();
            let ada = world.founder("ada");
            ada.remember("a", "x");
            ada.done(&["push"]);
            ada.write("s.md", text());
            ada.edit("MEMORY.md", |index| format!("{index}- [S](s.md) — Hush about it\n"));
            ada.run(&["push"]);
            if with_edit {
                ada.edit("MEMORY.md", |index| format!("{index}\nA note for all.\n"));
            }
            for sides in [&["diff"][..], &["diff", "--uncommitted"], &["--format", "json", "diff"]]
            {
                let said = ada.run(sides);
                assert_eq!(said.exit, 0, "{kind}: {said:?}");
                assert!(said.out.contains("s.md") && said.out.contains("not shown"), "{said:?}");
                for hidden in ["Hush", "Tq8v", "Ann likes", "Quiet words"] {
                    assert!(!said.out.contains(hidden), "{kind} {sides:?}: {said:?}");
                }
                assert_eq!(said.out.contains("A note for all."), with_edit, "{kind}: {said:?}");
                assert_masked(kind, &format!("{said:?}"));
            }
            let status = ada.json(&["status"]);
            let changes = status["changes"].as_array().unwrap();
            assert_eq!(changes.len(), usize::from(with_edit), "{kind}: {status}");
        }
    }
}

#[test]
fn what_is_offered_is_shown_masked_and_what_breaks_a_rule_is_not() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("hosting.md", memory("hosting", &format!("Hush.\nThe token is {}.", token())));
    ada.remember("ports", "8080 web");
    commit(&ada, "plain");
    ada.git(&["push", "-q", "--no-verify", "origin", "main"]);
    let offered = git(&world.hub(), &["rev-parse", "main"]);
    bob.git(&["fetch", "-q", "origin", "+main:refs/memsync/incoming/main"]);
    assert_eq!(bob.git(&["rev-parse", "refs/memsync/incoming/main"]), offered);
    let said = bob.done(&["diff", "--incoming"]);
    assert!(said.out.contains("hosting.md") && said.out.contains("not shown"), "{said:?}");
    assert!(said.out.contains("8080 web") && !said.out.contains("Hush"), "{said:?}");
    assert_masked("diff", &format!("{said:?}"));
}

#[test]
fn what_takes_a_credential_out_is_shown_and_the_credential_is_not() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.write("hosting.md", memory("hosting", &format!("One.\nThe token is {}.", token())));
    commit(&ada, "plain");
    ada.git(&["push", "-q", "--no-verify", "origin", "main"]);
    bob.run(&["pull"]);
    bob.edit("hosting.md", |text| text.replace(&token(), "in the vault"));
    let said = bob.done(&["diff"]);
    assert!(said.out.contains("in the vault"), "{said:?}");
    assert_masked("diff", &format!("{said:?}"));
}
