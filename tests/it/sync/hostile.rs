//! Hostile trees from the hub, made with plain git plumbing: refused with exit 4, and what came before
//! them is still taken.
//! Border: the rules themselves are `paths` and `gate`.
#![expect(clippy::disallowed_methods, reason = "a host is played with plain files")]

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::support::check::{assert_agreed, assert_clean, assert_sound};
use crate::support::{Member, World, git, memory};

/// An entry of a raw tree: mode, name, object.
type Entry<'a> = (&'a str, &'a [u8], String);

/// Makes hostile entries for a world.
type Maker = fn(&World) -> Vec<Entry<'static>>;

fn hash_object(world: &World, kind: &str, content: &[u8]) -> String {
    let mut command = world.newcomer("mallory").command("git");
    command.current_dir(world.hub()).args([
        "hash-object",
        "-w",
        "--literally",
        "--stdin",
        "-t",
        kind,
    ]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(content).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn blob(world: &World, text: &str) -> String {
    hash_object(world, "blob", text.as_bytes())
}

/// Writes a tree exactly as given, whatever git thinks of it.
fn tree(world: &World, entries: &[Entry<'_>]) -> String {
    let mut raw = Vec::new();
    for (mode, name, id) in entries {
        raw.extend_from_slice(mode.as_bytes());
        raw.push(b' ');
        raw.extend_from_slice(name);
        raw.push(0);
        let digits = |at: usize| u8::from_str_radix(&id[at..at + 2], 16).unwrap();
        raw.extend((0..id.len()).step_by(2).map(digits));
    }
    hash_object(world, "tree", &raw)
}

/// The hub's tree at its tip as entries.
fn entries(world: &World) -> Vec<(String, Vec<u8>, String)> {
    let listed = git(&world.hub(), &["ls-tree", "main"]);
    let entry = |line: &str| {
        let (head, name) = line.split_once('\t').unwrap();
        let mut head = head.split(' ');
        let mode = head.next().unwrap().trim_start_matches('0').to_owned();
        (mode, name.as_bytes().to_vec(), head.nth(1).unwrap().to_owned())
    };
    listed.lines().map(entry).collect()
}

/// Commits a tree onto the hub's branch.
fn commit(world: &World, tree: &str) -> String {
    let parent = git(&world.hub(), &["rev-parse", "main"]);
    let id = git(&world.hub(), &["commit-tree", tree, "-p", &parent, "-m", "hostile"]);
    git(&world.hub(), &["update-ref", "refs/heads/main", &id]);
    id
}

/// Adds entries to the hub's tree and commits.
fn publish(world: &World, more: &[Entry<'_>]) -> String {
    let known = entries(world);
    let mut all: Vec<Entry<'_>> =
        known.iter().map(|(mode, name, id)| (mode.as_str(), &name[..], id.clone())).collect();
    all.extend(more.iter().cloned());
    let sort_key = |(mode, name, _): &Entry<'_>| {
        let mut key = name.to_vec();
        if *mode == "40000" {
            key.push(b'/');
        }
        key
    };
    all.sort_by_key(sort_key);
    commit(world, &tree(world, &all))
}

/// A team in which Ada shared something good just before.
fn story() -> (World, Member, Member) {
    let world = World::new();
    let (ada, bob) = world.pair();
    ada.remember("ports", "8080 web");
    ada.done(&["push"]);
    bob.remember("mine", "Bob's own.");
    (world, ada, bob)
}

/// Asserts that the hub's newest commit is refused, what precedes it is taken, and work is kept.
fn refuses_the_newest(world: &World, bob: &Member, rule: &str, bad: &str, good: &str) {
    for command in ["pull", "push", "sync"] {
        let said = bob.fails(&[command], 4, &["refused", &bad[..7], rule, "next:"]);
        assert!(!said.err.contains('\u{1b}') && !said.out.contains('\u{1b}'), "{said:?}");
    }
    assert!(bob.has("ports.md"), "{rule}: what precedes it was not taken");
    assert_eq!(git(&world.hub(), &["rev-parse", "main"]), bad, "{rule}: the push waits");
    assert!(bob.committed().contains_key("mine.md"));
    assert_eq!(bob.git(&["merge-base", "HEAD", good]), good);
    assert_clean(bob);
    assert_sound(&bob.team());
    let state = bob.json(&["status"]);
    assert_eq!(state["last"]["refused"]["commit"], bad, "{state}");
    assert_eq!(state["settled"], false);
    bob.fails(&["status", "--strict"], 1, &["refused", rule, "next:"]);
}

#[test]
fn trees_that_could_harm_a_machine_are_refused_and_what_precedes_them_is_taken() {
    let world = World::new();
    let good = blob(&world, &memory("x", "text"));
    let huge = blob(&world, &memory("x", &"word ".repeat(60_000)));
    let target = blob(&world, "/etc/passwd");
    let gitlink = "1".repeat(40);
    let cases: [(&str, Vec<Entry<'_>>); 13] = [
        ("symlink", vec![("120000", b"link.md", target.clone())]),
        ("gitlink", vec![("160000", b"module", gitlink)]),
        ("exec", vec![("100755", b"tool.md", good.clone())]),
        ("collision", vec![("100644", b"A.md", good.clone()), ("100644", b"a.md", good.clone())]),
        ("size", vec![("100644", b"huge.md", huge)]),
        ("dotgit", vec![("100644", "g\u{200c}it.md".as_bytes(), good.clone())]),
        ("git", vec![("40000", b"GIT~2", String::new())]),
        ("name", vec![("100644", b"run.sh", good.clone())]),
        ("device", vec![("100644", b"con.md", good.clone())]),
        ("bidi", vec![("100644", "a\u{202e}dm.md".as_bytes(), good.clone())]),
        ("control", vec![("100644", b"a\x1b[2J.md", good.clone())]),
        ("utf8", vec![("100644", b"a\xff.md", good.clone())]),
        ("policy", vec![("100644", b".gitattributes-x", good)]),
    ];
    for (name, more) in cases {
        let (world, ada, bob) = story();
        let tip = ada.tip();
        let copied: Vec<Entry<'_>> = more
            .iter()
            .map(|(mode, file, id)| {
                let id = match *mode {
                    "40000" => {
                        tree(&world, &[("100644", b"x.md", blob(&world, &memory("x", "y")))])
                    }
                    "160000" => id.clone(),
                    "120000" => blob(&world, "/etc/passwd"),
                    _ if name == "size" => blob(&world, &memory("x", &"word ".repeat(60_000))),
                    _ => blob(&world, &memory("x", "text")),
                };
                (*mode, *file, id)
            })
            .collect();
        let bad = publish(&world, &copied);
        refuses_the_newest(&world, &bob, "(", &bad, &tip);
    }
}

#[test]
fn trees_that_git_itself_calls_broken_are_refused_as_a_whole_and_nothing_is_lost() {
    let dot_git: Maker = |world| {
        let inner = tree(world, &[("100644", b"config", blob(world, "[core]\n"))]);
        vec![("40000", &b".git"[..], inner)]
    };
    let twice: Maker = |world| {
        let good = blob(world, &memory("x", "text"));
        vec![("100644", &b"x.md"[..], good.clone()), ("100644", &b"x.md"[..], good)]
    };
    let dots: Maker = |world| vec![("100644", &b".."[..], blob(world, "x"))];
    let makers: [Maker; 3] = [dot_git, twice, dots];
    for make in makers {
        let (world, _, bob) = story();
        let bad = publish(&world, &make(&world));
        for command in ["pull", "push"] {
            bob.fails(&[command], 4, &["next:", "Nothing was taken"]);
        }
        assert_eq!(git(&world.hub(), &["rev-parse", "main"]), bad);
        assert!(bob.has("mine.md"));
        assert_clean(&bob);
        assert_sound(&bob.team());
    }
}

#[test]
fn a_hostile_commit_that_was_taken_back_by_a_later_one_still_stops_there() {
    let (world, ada, bob) = story();
    let (good, clean) = (ada.tip(), git(&world.hub(), &["rev-parse", "main^{tree}"]));
    let bad = publish(&world, &[("120000", b"link.md", blob(&world, "/etc/passwd"))]);
    let later = commit(&world, &clean);
    let said = bob.fails(&["pull"], 4, &["refused", &bad[..7], "symlink"]);
    assert!(bob.has("ports.md"), "{said:?}");
    assert_eq!(bob.git(&["merge-base", "HEAD", &good]), good);
    assert_eq!(bob.json(&["status"])["last"]["refused"]["tip"], later);
    // The owner of the hub takes the two commits back; work goes on without a rewrite for Bob.
    git(&world.hub(), &["update-ref", "refs/heads/main", &good]);
    bob.done(&["sync"]);
    ada.done(&["sync"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn joining_a_hub_whose_newest_commit_is_hostile_takes_what_precedes_it() {
    let (world, _, _) = story();
    publish(&world, &[("120000", b"link.md", blob(&world, "/etc/passwd"))]);
    let cem = world.newcomer("cem");
    cem.fails(&["join", &world.address()], 4, &["refused", "symlink"]);
    assert!(cem.has("ports.md") && !cem.has("link.md"));
    cem.fails(&["pull"], 4, &["symlink"]);
}

#[test]
fn content_that_others_published_against_the_rules_is_taken_and_reported() {
    let (world, ada, bob) = story();
    let secret = memory("leak", &format!("key {}", crate::support::token()));
    publish(
        &world,
        &[
            ("100644", b"leak.md", blob(&world, &secret)),
            ("100644", b"odd.md", blob(&world, "no frontmatter\n")),
        ],
    );
    let said = bob.run(&["sync"]);
    assert_eq!(said.exit, 0, "{said:?}");
    assert!(said.err.contains("leak.md:6:") && said.err.contains("odd.md"), "{said:?}");
    assert!(!said.err.contains(&crate::support::token()));
    assert!(bob.has("leak.md"));
    ada.fails(&["pull", "--strict"], 1, &["leak.md"]);
    ada.done(&["sync"]);
    bob.done(&["sync"]);
    assert_agreed(&world, &[&ada, &bob]);
}

#[test]
fn a_policy_that_cannot_be_read_is_not_taken_and_without_it_all_go_on() {
    for broken in [Some("format: memsync.policy/9\ntrust: open\n"), Some(""), None] {
        let (world, ada, bob) = story();
        let host = world.newcomer("host");
        git(&host.memdir, &["clone", "-q", &world.address(), "."]);
        let policy = host.memdir.join(".memsync/policy.yaml");
        match broken {
            Some(text) => fs::write(policy, text).unwrap(),
            None => fs::remove_file(policy).unwrap(),
        }
        git(&host.memdir, &["commit", "-q", "-a", "-m", "break the policy"]);
        git(&host.memdir, &["push", "-q", "origin", "main"]);
        let bad = git(&world.hub(), &["rev-parse", "main"]);
        refuses_the_newest(&world, &bob, "roster-", &bad, &ada.tip());
        git(&world.hub(), &["update-ref", "refs/heads/main", &ada.tip()]);
        bob.done(&["sync"]);
        ada.done(&["sync"]);
        assert_agreed(&world, &[&ada, &bob]);
    }
}

#[test]
fn a_merge_does_not_bring_a_refused_side_branch_in_by_taking_the_harm_out_again() {
    let (world, _ada, bob) = story();
    let good = git(&world.hub(), &["rev-parse", "main"]);
    let bad = publish(&world, &[("120000", b"link.md", blob(&world, "/etc/passwd"))]);
    let clean = format!("{good}^{{tree}}");
    let merge = git(&world.hub(), &["commit-tree", &clean, "-p", &good, "-p", &bad, "-m", "merge"]);
    git(&world.hub(), &["update-ref", "refs/heads/main", &merge]);
    for command in ["pull", "push"] {
        bob.fails(&[command], 4, &["refused", &bad[..7], "symlink", "next:"]);
    }
    assert!(bob.has("ports.md") && bob.committed().contains_key("mine.md"));
    assert_eq!(bob.git(&["merge-base", "HEAD", &merge]), good, "the merge was taken");
    assert_eq!(git(&world.hub(), &["rev-parse", "main"]), merge, "the push waits");
    assert_clean(&bob);
}

#[test]
fn a_ref_that_plain_git_moved_does_not_make_a_commit_verified() {
    let (world, _ada, bob) = story();
    let good = git(&world.hub(), &["rev-parse", "main"]);
    let bad = publish(&world, &[("120000", b"link.md", blob(&world, "/etc/passwd"))]);
    bob.git(&["fetch", "-q", "origin", "+main:refs/memsync/verified/main"]);
    for command in ["pull", "push", "pull"] {
        bob.fails(&[command], 4, &["refused", &bad[..7], "symlink", "next:"]);
    }
    assert_eq!(bob.git(&["merge-base", "HEAD", &bad]), good, "the commit was taken");
    assert!(bob.has("ports.md") && bob.committed().contains_key("mine.md"));
    assert_clean(&bob);
}
