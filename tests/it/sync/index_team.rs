//! The index of a team memory as people and agents leave it: what every command does to it, and says.
//! Border: the rule on values is `reconcile`; here it is init, push, pull, check and `index`.
#![expect(clippy::disallowed_methods, reason = "puts folders in place by hand")]

use std::fs;

use crate::support::check::{assert_agreed, assert_clean, entries_for};
use crate::support::{Member, World, any_object_holds, memory, token};

/// Lines of every kind that are no entry of a memory here, and some that look like one.
const CURATED: &str = "\
# Team memory

Read [the ports](ports.md) before anything else.

## Known drift
- `docs/state.md` — lists states that exist in code but no screen yet
- `CLAUDE.md` — read at every start

### [gone](gone.md)
**Type**: feedback

- step one of a list that stands only here

| Module | File |
|---|---|
| Serial | `.memory/modules/serial.md` |

```
- [in a fence](fence.md)
```
<!-- - [in a comment](comment.md) -->
## Later
1. [Later](later.md) — not written yet
- [ ] [Task](task.md) — to do
- [[:space:]] is a class
";

/// A folder with memories and an index that nobody ever reconciled.
fn curated(world: &World) -> Member {
    let ada = world.newcomer("ada");
    fs::create_dir_all(ada.team()).unwrap();
    ada.remember("ports", "8080 web");
    ada.write("MEMORY.md", CURATED);
    ada
}

#[test]
fn init_shows_what_it_would_change_and_the_same_command_with_yes_does_it() {
    let world = World::new();
    let ada = curated(&world);
    ada.remember("hosts", "One host.");
    let before = ada.files();
    let init = ["init", "--open", "--remote", &world.address()];
    let said = ada.fails(&init, 1, &["would change in 1 place", "next:", "--yes"]);
    assert!(said.err.contains("+ hosts.md [hosts] — About hosts"), "{said:?}");
    assert_eq!(ada.files(), before, "nothing was made");
    assert!(!ada.has(".git"));
    ada.done(&[&init[..], &["--yes"]].concat());
    let index = ada.read("MEMORY.md");
    assert_eq!(index.replace("- [hosts](hosts.md) — About hosts\n", ""), CURATED);
    assert_clean(&ada);
    assert_eq!(world.hub_files()["MEMORY.md"].trim_end(), index.trim_end());
    // What needs no change asks nothing.
    let other = World::new();
    let bob = curated(&other);
    bob.done(&["init", "--open", "--remote", &other.address()]);
    assert_eq!(bob.read("MEMORY.md"), CURATED);
}

#[test]
fn a_team_long_since_set_up_keeps_every_line_in_every_command() {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    ada.write("MEMORY.md", CURATED);
    for command in [&["push"][..], &["pull"], &["sync"], &["index", "--write"], &["check"]] {
        ada.done(command);
        assert_eq!(ada.read("MEMORY.md"), CURATED, "{command:?}");
    }
    bob.remember("mine", "Mine.");
    bob.done(&["sync"]);
    ada.done(&["pull"]);
    let index = ada.read("MEMORY.md");
    // The new entry may be parted from the paragraph below it.
    let lines = |text: &str| {
        let full = text.lines().filter(|line| !line.is_empty() && !line.contains("(mine.md)"));
        full.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&index), lines(CURATED));
    assert_eq!(entries_for(&index, "mine.md"), 1);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn an_entry_may_be_there_before_its_memory() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let entry = "- [Soon](soon.md) — in my own words\n";
    ada.edit("MEMORY.md", |text| format!("{text}\n{entry}"));
    ada.done(&["sync"]);
    bob.done(&["sync"]);
    assert!(ada.read("MEMORY.md").contains(entry) && bob.read("MEMORY.md").contains(entry));
    ada.remember("soon", "Here.");
    ada.done(&["sync"]);
    bob.done(&["sync"]);
    assert_eq!(entries_for(&bob.read("MEMORY.md"), "soon.md"), 1);
    assert!(bob.read("MEMORY.md").contains(entry));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn what_went_from_the_index_is_named_and_comes_back() {
    let world = World::new();
    let (ada, bob) = world.pair();
    for name in ["first", "second", "third"] {
        ada.remember(name, "Text.");
    }
    ada.edit("MEMORY.md", |text| format!("{text}\n- [Mine](second.md) — curated\n"));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    let before = ada.read("MEMORY.md");
    ada.remove("second.md");
    let said = ada.done(&["push"]);
    assert!(said.out.contains("- second.md [Mine] — curated"), "{said:?}");
    assert!(said.err.contains("next: `memsync index --restore`"), "{said:?}");
    let said = ada.done(&["index", "--restore"]);
    assert!(said.out.contains("+ - [Mine](second.md) — curated"), "{said:?}");
    assert_eq!(ada.read("MEMORY.md"), before);
    ada.done(&["push"]);
    assert_eq!(ada.read("MEMORY.md"), before, "it stays, as it was put back");
    let said = ada.done(&["index", "--restore"]);
    assert!(said.out.contains("No line was taken out"), "{said:?}");
    bob.done(&["pull"]);
    assert!(bob.read("MEMORY.md").contains("- [Mine](second.md) — curated"));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn hooks_follow_descriptions_and_entries_follow_files() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let port = |number: &str| memory("a", "x").replace("About a", &format!("port is {number}"));
    ada.write("a.md", port("5432"));
    ada.remember("b", "x");
    ada.done(&["push"]);
    ada.edit("MEMORY.md", |text| text.replace("About b", "by hand"));
    ada.write("a.md", port("5433"));
    ada.edit("b.md", |text| text.replace("About b", "Other"));
    let said = ada.done(&["push"]);
    assert!(said.out.contains("~ a.md [a] — port is 5433"), "{said:?}");
    let index = ada.read("MEMORY.md");
    assert!(
        index.contains("- [a](a.md) — port is 5433\n") && index.contains("— by hand\n"),
        "{index}"
    );
    // By plain git, too: the next sync of anybody sees what became of the memories.
    bob.done(&["pull"]);
    bob.write("a.md", port("5434"));
    fs::rename(bob.team().join("b.md"), bob.team().join("renamed.md")).unwrap();
    bob.git(&["add", "-A"]);
    bob.git(&["commit", "-qm", "by plain git"]);
    bob.done(&["push"]);
    let index = bob.read("MEMORY.md");
    assert!(index.contains("- [a](a.md) — port is 5434\n"), "{index}");
    assert!(index.contains("- [b](renamed.md) — by hand\n"), "{index}");
    ada.done(&["pull"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn check_looks_at_the_disk_and_at_what_is_staged() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("a", "x");
    ada.fails(&["check"], 1, &["nothing leads to `a.md`", "`memsync index --write`"]);
    ada.done(&["index", "--write"]);
    ada.done(&["check"]);
    ada.remember("b", "x");
    ada.edit("MEMORY.md", |text| format!("{text}- [B](b.md) — mine\n"));
    ada.done(&["check"]);
    ada.done(&["push"]);
    assert!(ada.done(&["check", "--staged"]).out.contains("0 files checked: good"));
    ada.write("leak.md", memory("leak", &format!("key {}", token())));
    ada.write("c.md", memory("c", "x"));
    ada.git(&["add", "c.md"]);
    ada.fails(&["check", "--staged"], 1, &["1 file checked", "nothing leads to `c.md`"]);
    ada.git(&["add", "leak.md"]);
    ada.fails(&["check", "--staged"], 1, &["2 files checked", "leak.md:6:"]);
    ada.git(&["reset", "-q"]);
    ada.git(&["rm", "-q", "a.md"]);
    ada.fails(&["check", "--staged"], 1, &["it still names the deleted `a.md`"]);
}

#[test]
fn status_names_nothing_that_a_push_does_not_do() {
    let world = World::new();
    let ada = world.founder("ada");
    let secret = memory("s", "x").replace("About s", &format!("the key is {}", token()));
    ada.write("s.md", secret);
    ada.edit("MEMORY.md", |text| format!("{text}- [S](s.md) — hush\n"));
    ada.remember("a", "x");
    for _ in 0..2 {
        ada.fails(&["push"], 1, &["s.md"]);
        let status = ada.json(&["status"]);
        assert_eq!(status["changes"].as_array().unwrap().len(), 0, "{status}");
        assert_eq!(status["refused"][0]["path"], "s.md");
    }
    assert!(ada.read("MEMORY.md").contains("- [S](s.md) — hush"));
    assert!(!ada.read("MEMORY.md").contains(&token()));
    assert_eq!(entries_for(&world.hub_files()["MEMORY.md"], "a.md"), 1);
}

#[test]
fn an_index_may_be_as_large_as_its_memories_need_and_no_larger() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("first", "x");
    ada.done(&["push"]);
    let good = ada.read("MEMORY.md");
    ada.write("MEMORY.md", format!("{good}{}", "some words\n".repeat(24_000)));
    ada.fails(&["push"], 1, &["MEMORY.md", "bytes, more than", "next:"]);
    ada.write("MEMORY.md", &good);
    ada.done(&["push"]);
    let long = "what it is about in many words ".repeat(5);
    for number in 0..1_300 {
        let text = memory("x", "x").replace("name: x", &format!("name: memory number {number}"));
        ada.write(&format!("number-{number}.md"), text.replace("About x", long.trim()));
    }
    ada.done(&["push"]);
    let index = ada.read("MEMORY.md");
    assert!(index.len() > 250_000, "{}", index.len());
    assert_eq!(world.hub_files()["MEMORY.md"].trim_end(), index.trim_end());
}

#[test]
fn leftovers_of_editors_are_passed_over() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.remember("a", "x");
    for path in ["#a.md#", "a.md.orig", ".obsidian/app.json", ".trash/old.md", "._a.md", "~$a.md"] {
        ada.write(path, "{}");
    }
    std::os::unix::fs::symlink("ada@host.1", ada.team().join(".#a.md")).unwrap();
    ada.done(&["push"]);
    ada.done(&["check"]);
    assert_eq!(ada.json(&["status"])["refused"].as_array().unwrap().len(), 0);
    assert_eq!(world.hub_files().keys().filter(|path| path.contains("a.md")).count(), 1);
}

#[test]
fn a_memory_that_agents_do_not_see_whole_gets_advice() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write("one/two/deep.md", memory("deep", "x"));
    ada.remember("long", &"many words ".repeat(400));
    ada.remember("short", "x");
    ada.write("one/shallow.md", memory("shallow", "x"));
    let said = ada.done(&["push"]);
    for (path, rule) in [("one/two/deep.md", "memory-deep"), ("long.md", "memory-long")] {
        assert!(said.err.contains(path) && said.err.contains(rule), "{said:?}");
    }
    assert!(!said.err.contains("short") && !said.err.contains("shallow"), "{said:?}");
    ada.done(&["check"]);
    ada.fails(&["check", "--strict"], 1, &["memory-deep", "memory-long"]);
}

#[test]
fn what_was_forgotten_before_anybody_had_it_is_not_sent() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let hidden = "the customer is Quillfeather";
    ada.remember("kept", "Kept.");
    ada.done(&["sync"]);
    let remember = |name: &str, description: &str| {
        let mut command = ada.program();
        command.args([
            "remember",
            "--name",
            name,
            "--kind",
            "project",
            "--description",
            description,
        ]);
        assert!(crate::support::say(&mut command).exit == 0, "{name}");
    };
    remember("secret", hidden);
    remember("other", "Another.");
    let said = ada.done(&["forget", "secret"]);
    assert!(said.out.contains("nobody else had it"), "{said:?}");
    ada.edit("kept.md", |text| text.replace("Kept.", "Kept, said Quillfeather."));
    ada.done(&["status"]);
    ada.git(&["commit", "-qam", "Quillfeather by plain git"]);
    ada.edit("kept.md", |text| text.replace("Kept, said Quillfeather.", "Kept for good."));
    ada.done(&["push"]);
    assert!(!world.hub_holds("Quillfeather"), "it travelled in the history");
    assert!(!world.hub_holds("secret.md"), "its name travelled");
    assert!(any_object_holds(&ada.team(), "Quillfeather"), "or this test proves nothing");
    bob.done(&["pull"]);
    assert!(bob.has("other.md") && bob.read("kept.md").contains("for good"));
    assert_agreed(&world, &[&ada, &bob]);
    // Commits that cancel out are not sent at all, whoever was faster.
    let before = world.hub_files();
    remember("fleeting", hidden);
    ada.done(&["forget", "fleeting"]);
    let said = ada.done(&["push"]);
    assert!(!said.out.contains("Shared"), "{said:?}");
    assert_eq!(world.hub_files(), before);
    remember("fleeting", hidden);
    ada.done(&["forget", "fleeting"]);
    bob.remember("faster", "Here first.");
    bob.done(&["push"]);
    remember("late", "Late.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    assert!(!world.hub_holds("Quillfeather"));
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_first_push_sends_nothing_that_was_forgotten_before_it() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--open"]);
    ada.remember("kept", "Kept.");
    ada.remember("secret", "By Quillfeather.");
    ada.done(&["sync"]);
    ada.remove("secret.md");
    ada.done(&["sync"]);
    ada.git(&["remote", "add", "origin", &world.address()]);
    ada.done(&["push"]);
    assert!(!world.hub_holds("Quillfeather") && world.hub_files().contains_key("kept.md"));
    let bob = world.joiner("bob");
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_reworded_entry_of_a_memory_that_the_other_deleted_leaves_nothing_to_decide() {
    let world = World::new();
    let (ada, bob) = world.pair();
    let mut names = vec!["first", "second"];
    ["first", "second", "third"].iter().for_each(|name| ada.remember(name, "Text."));
    ada.done(&["push"]);
    bob.done(&["pull"]);
    for (reworder, deleter) in [(&ada, &bob), (&bob, &ada)] {
        let name = names.pop().unwrap();
        let about = format!("— About {name}");
        reworder.edit("MEMORY.md", |text| text.replace(&about, "— in other words"));
        reworder.done(&["push"]);
        deleter.remove(&format!("{name}.md"));
        deleter.done(&["push"]);
        reworder.done(&["pull"]);
        assert!(!reworder.read("MEMORY.md").contains("in other words"));
        assert!(reworder.json(&["status"])["conflicts"].as_array().unwrap().is_empty());
        reworder.done(&["check", "--strict"]);
        assert_agreed(&world, &[&ada, &bob]);
    }
}

#[test]
fn an_edit_changes_the_index_only_where_it_takes_a_way_to_a_memory_or_says_something_new() {
    let world = World::new();
    let ada = world.newcomer("ada");
    ada.done(&["init", "--open", "--remote", &world.address()]);
    let hub = "---\nname: hub\ndescription: Where things are\ntype: project\n---\n";
    ada.write("hub.md", format!("{hub}See [the leaf](leaf.md).\n"));
    ada.write("leaf.md", memory("leaf", "A leaf."));
    ada.write("MEMORY.md", "# Team memory\n\n- [hub](hub.md) — Where things are\n");
    ada.done(&["push", "--yes"]);
    let index = world.hub_files()["MEMORY.md"].clone();
    assert_eq!((entries_for(&index, "hub.md"), entries_for(&index, "leaf.md")), (1, 0), "{index}");
    ada.write("leaf.md", memory("leaf", "A leaf that fell."));
    ada.done(&["push", "--yes"]);
    assert_eq!(world.hub_files()["MEMORY.md"], index);
    assert!(world.hub_files()["leaf.md"].contains("fell"));
    ada.write("hub.md", format!("{hub}Nothing any more.\n"));
    ada.done(&["push", "--yes"]);
    assert_eq!(entries_for(&world.hub_files()["MEMORY.md"], "leaf.md"), 1, "the way went");
    ada.write("hub.md", format!("{}Nothing.\n", hub.replace("things", "tools")));
    ada.done(&["push", "--yes"]);
    assert!(world.hub_files()["MEMORY.md"].contains("Where tools are"), "the hook follows");
    assert_clean(&ada);
}
