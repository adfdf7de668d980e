//! Cases of the index: which lines are entries, what leads to a memory, what follows a change.
//! Border: folders and teams on disk; the rule by itself is `reconcile`.
#![expect(clippy::disallowed_methods, reason = "writes folders by hand")]

use std::fs;
use std::path::Path;

use crate::support::check::entries_for;
use crate::support::{Member, Said, World, memory, say};

/// Runs the program in a folder, outside any team.
fn at(member: &Member, folder: &Path, arguments: &[&str]) -> Said {
    let mut command = member.command(env!("CARGO_BIN_EXE_memsync"));
    say(command.current_dir(folder).args(arguments))
}

fn put(folder: &Path, path: &str, text: &str) {
    fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
    fs::write(folder.join(path), text).unwrap();
}

pub(super) fn lines_that_are_no_entries() {
    let met = "# Team memory\n\n- [A](a.md) — da\n\n## Known drift\n\
        - `docs/architecture/state.md` — lists states that exist in code but no screen yet\n\
        - `CLAUDE.md` — read at every start, keep it short\n\n### [gone](gone.md)\n**Type**: feedback\n\n\
        - step one of a list that stands only here\n- step two\n\n## Later\n\
        1. [Later](later.md) — not written yet\n- [ ] [Task](task.md) — to do\n\
        - [Repo doc](docs/design.md) — in the code repository\n";
    let second = "# Team memory\n\n* [A](./a.md): da\n\n1. **`deploy.md`** — how we deploy\n   - ask Ada\n   - then wait\n\
        2. **`pager.md`** — who is on call\n\n- [[some-wiki-page]] — was never here\n  continues here\n\
        - [x] [Done](done.md)\n\n| File | What |\n|---|---|\n| `plans/next.md` | next year |\n\n\
        <!-- - [Hidden](hidden.md) — a sample -->\n\nUse `[[:space:]]` in patterns.\n";
    for text in [met, second] {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.write("a.md", memory("a", "x"));
        ada.done(&["push"]);
        ada.write("MEMORY.md", text);
        for command in ["push", "sync", "pull", "push"] {
            ada.done(&[command]);
            assert_eq!(ada.read("MEMORY.md"), text, "after {command}");
        }
        bob.done(&["sync"]);
        assert_eq!(bob.read("MEMORY.md"), text);
    }
    // A line may come before its memory, and keeps its words.
    let world = World::new();
    let ada = world.founder("ada");
    ada.edit("MEMORY.md", |text| format!("{text}- [Soon](soon.md) — in my words\n"));
    ada.done(&["sync"]);
    ada.remember("soon", "Here it is.");
    ada.done(&["sync"]);
    assert!(ada.read("MEMORY.md").contains("- [Soon](soon.md) — in my words\n"));
    assert_eq!(entries_for(&ada.read("MEMORY.md"), "soon.md"), 1);
}

pub(super) fn targets_from_above() {
    let met = "# Memory\n\n| Module | File | Layer |\n|---|---|---|\n\
        | Serial port wrapper | `.memory/modules/serial.md` | platform |\n\n- `.memory/rules.md` — 12 rules\n";
    let second = "# Memory\n\n- [Serial](docs/memory/modules/serial.md) — the wrapper\n\
        - [Rules](./docs/memory/rules.md) — 12 of them\n";
    for (text, folder) in [(met, ".memory"), (second, "docs/memory")] {
        let world = World::new();
        let ada = world.newcomer("ada");
        put(&ada.memdir, &format!("{folder}/MEMORY.md"), text);
        put(&ada.memdir, &format!("{folder}/rules.md"), &memory("rules", "x"));
        put(&ada.memdir, &format!("{folder}/modules/serial.md"), &memory("serial", "x"));
        let said = at(&ada, &ada.memdir, &["index", "--check", folder]);
        assert_eq!(said.exit, 0, "{said:?}");
        let said = at(&ada, &ada.memdir, &["index", "--write", folder]);
        assert_eq!(said.exit, 0, "{said:?}");
        assert_eq!(fs::read_to_string(ada.memdir.join(folder).join("MEMORY.md")).unwrap(), text);
    }
}

pub(super) fn check_looks_at_the_disk() {
    let met = ("a.md", "# Team memory\n\n- [A](a.md) — da\n");
    let second = (
        "topics/b.md",
        "# Team memory\n\n## Topics\n\n| Memory | About |\n|---|---|\n| [B](topics/b.md) | db |\n",
    );
    for (path, index) in [met, second] {
        let world = World::new();
        let ada = world.founder("ada");
        let empty = ada.read("MEMORY.md");
        ada.write(path, memory("a", "x"));
        ada.write("MEMORY.md", index);
        ada.done(&["check"]);
        ada.write("MEMORY.md", &empty);
        ada.fails(&["check"], 1, &[path, "next:"]);
        ada.done(&["index", "--write"]);
        ada.done(&["check"]);
        ada.git(&["add", "-A"]);
        let said = ada.done(&["check", "--staged"]);
        assert!(said.out.contains("2 files") && !said.out.contains("0 files"), "{said:?}");
    }
}

pub(super) fn hubs() {
    let hub = |name: &str, lines: String| {
        format!("---\nname: {name}\ndescription: hub\ntype: reference\n---\n{lines}")
    };
    let deep = |n: usize| format!("topics/d{n}.md");
    for second in [false, true] {
        let world = World::new();
        let ada = world.newcomer("ada");
        let index =
            "# Memory\n\n- [Deploys](reference_deploys_index.md) — hub of all deploy memories\n";
        put(&ada.memdir, "MEMORY.md", index);
        let line = |n: usize| match second {
            false => format!("- [D{n}](d{n}.md) — deploy {n}\n"),
            true => format!("See [D{n}]({}) for {n}.\n", deep(n).trim_start_matches("topics/")),
        };
        let lines: String = (1..=240).map(line).collect();
        // A hub that leads to a hub in a folder, whose links are relative to it.
        match second {
            false => put(&ada.memdir, "reference_deploys_index.md", &hub("Deploys", lines)),
            true => {
                let first = "- [Rest](topics/rest.md) — all of them\n".to_owned();
                put(&ada.memdir, "reference_deploys_index.md", &hub("Deploys", first));
                put(&ada.memdir, "topics/rest.md", &hub("Rest", lines));
            }
        }
        for n in 1..=240 {
            let path = if second { deep(n) } else { format!("d{n}.md") };
            put(&ada.memdir, &path, &memory(&format!("D{n}"), "x"));
        }
        let said = at(&ada, &ada.memdir, &["index", "--check", "."]);
        assert_eq!(said.exit, 0, "{said:?}");
        assert_eq!(fs::read_to_string(ada.memdir.join("MEMORY.md")).unwrap(), index);
    }
}

pub(super) fn links_in_prose() {
    let met = "# Project memory\n\n## Infra\n- two regions, one queue\n\n\
        Details: [infra.md](./infra.md) — hosts and backups\n\n## API\n\
        See [api.md](api.md) for full details. Key facts:\n- `v2` only\n";
    let second = "# Project memory\n\nStart with `infra.md`, then [the interface][api].\n\n- `v2` only\n\n[api]: api.md\n";
    for text in [met, second] {
        let world = World::new();
        let ada = world.newcomer("ada");
        put(&ada.memdir, "MEMORY.md", text);
        put(&ada.memdir, "infra.md", &memory("infra", "x"));
        put(&ada.memdir, "api.md", &memory("api", "x"));
        let said = at(&ada, &ada.memdir, &["index", "--check", "."]);
        assert_eq!(said.exit, 0, "{said:?}");
    }
}

pub(super) fn hooks_follow() {
    let text = |description: &str| {
        format!("---\nname: A\ndescription: {description}\ntype: project\n---\nx\n")
    };
    for (path, before, after) in [
        ("a.md", "port is 5432", "port is 5433"),
        ("notes/b.md", "alt — und neu", "neu; ganz anders"),
    ] {
        let world = World::new();
        let (ada, bob) = world.pair();
        ada.write(path, text(before));
        ada.done(&["push", "--yes"]);
        assert!(ada.read("MEMORY.md").contains(before));
        ada.write(path, text(after));
        ada.done(&["push"]);
        let index = ada.read("MEMORY.md");
        assert!(index.contains(after) && !index.contains(before), "{index}");
        bob.done(&["pull"]);
        assert_eq!(bob.read("MEMORY.md"), index);
        // What somebody wrote by hand stays.
        ada.edit("MEMORY.md", |index| index.replace(after, "ask Ada"));
        ada.write(path, text("another one"));
        ada.done(&["push"]);
        assert!(ada.read("MEMORY.md").contains("ask Ada"));
    }
}
