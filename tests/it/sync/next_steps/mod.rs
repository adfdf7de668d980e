//! Every refusal names a next step, and that step works in the state that printed it.
//! Border: the table of advice is `report::advice`; here each state is made, and what it says is done.
#![expect(clippy::disallowed_methods, reason = "makes odd states by hand")]

mod walk;
mod more;

use std::fs;

use self::more::MORE;
use crate::support::{Member, Said, World, git, memory, token};

/// A state in which a command is refused.
struct State {
    name: &'static str,
    /// Makes the state.
    make: fn(&World) -> Member,
    /// The command that is refused; `URL` stands for the hub.
    command: &'static [&'static str],
}

/// Words that a person fills in; a step with one is not run as it is, but for the hub's address.
const BLANKS: [&str; 14] = [
    "ID",
    "DIR",
    "PATH",
    "FINGERPRINT",
    "NAME",
    "MEMORY",
    "FILE",
    "SECONDS",
    "LINE",
    "COMMIT",
    "…",
    "COMMIT:FINGERPRINT",
    "MESSAGE",
    "BRANCH",
];

const STATES: [State; 22] = [
    State { name: "no team", make: |w| w.newcomer("ada"), command: &["status"] },
    State {
        name: "no repository",
        make: |w| {
            let ada = w.newcomer("ada");
            ada.remember("a", "x");
            ada
        },
        command: &["push"],
    },
    State { name: "set up already", make: |w| w.founder("ada"), command: &["init"] },
    State {
        name: "no remote",
        make: |w| {
            let ada = w.newcomer("ada");
            ada.done(&["init", "--open"]);
            ada
        },
        command: &["push"],
    },
    State {
        name: "detached",
        make: |w| {
            let ada = w.founder("ada");
            ada.git(&["checkout", "-q", "--detach"]);
            ada
        },
        command: &["push"],
    },
    State { name: "unfinished merge", make: merging, command: &["push"] },
    State { name: "mass deletion", make: emptied, command: &["push"] },
    State { name: "mass deletion, pulled", make: emptied, command: &["pull"] },
    State { name: "first reconciliation", make: unreconciled, command: &["init", "--open"] },
    State {
        name: "first reconciliation with a remote",
        make: unreconciled,
        command: &["init", "--open", "--remote", "URL"],
    },
    State {
        name: "remote not empty",
        make: |w| {
            drop(w.founder("ada"));
            w.newcomer("bob")
        },
        command: &["init", "--open", "--remote", "URL"],
    },
    State { name: "remote empty", make: |w| w.newcomer("bob"), command: &["join", "URL"] },
    State { name: "no memory", make: |w| w.founder("ada"), command: &["forget", "none"] },
    State { name: "no commit", make: |w| w.founder("ada"), command: &["check", "--range", "x..y"] },
    State {
        name: "no conflict",
        make: |w| w.founder("ada"),
        command: &["resolve", "aaaa", "--ours"],
    },
    State {
        name: "check: not in line",
        make: |w| {
            let ada = w.founder("ada");
            ada.remember("a", "x");
            ada
        },
        command: &["check"],
    },
    State {
        name: "index: not in line",
        make: |w| {
            let ada = w.founder("ada");
            ada.remember("a", "x");
            ada
        },
        command: &["index", "--check"],
    },
    State {
        name: "unfit attributes",
        make: |w| {
            let ada = w.founder("ada");
            ada.write(".gitattributes", "* text\n");
            ada
        },
        command: &["push"],
    },
    State {
        name: "policy that cannot be read",
        make: |w| {
            let ada = w.founder("ada");
            ada.write(".memsync/policy.yaml", "trust: [\n");
            ada
        },
        command: &["push"],
    },
    State {
        name: "name taken",
        make: |w| {
            let ada = w.founder("ada");
            ada.done(&REMEMBER);
            ada
        },
        command: &REMEMBER,
    },
    State { name: "credential in a merge by plain git", make: leaking, command: &["push"] },
    State { name: "history rewritten", make: rewritten, command: &["pull"] },
];

const REMEMBER: [&str; 7] =
    ["remember", "--name", "a", "--kind", "project", "--description", "about a"];

fn leaking(world: &World) -> Member {
    let ada = world.founder("ada");
    ada.git(&["switch", "-q", "-c", "side"]);
    ada.write("a.md", memory("a", &format!("key {}", token())));
    ada.git(&["add", "-A"]);
    ada.git(&["commit", "-qm", "one"]);
    ada.git(&["switch", "-q", "main"]);
    ada.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    ada
}

fn rewritten(world: &World) -> Member {
    let (ada, bob) = world.pair();
    ada.remember("a", "x");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    bob.git(&["commit", "-q", "--amend", "-m", "other"]);
    bob.git(&["push", "-q", "--force", "origin", "HEAD:main"]);
    ada
}

fn merging(world: &World) -> Member {
    let ada = world.founder("ada");
    ada.remember("a", "x");
    ada.done(&["push"]);
    ada.git(&["switch", "-q", "-c", "side"]);
    ada.edit("a.md", |text| text.replace("\nx\n", "\none\n"));
    ada.git(&["commit", "-qam", "one"]);
    ada.git(&["switch", "-q", "main"]);
    ada.edit("a.md", |text| text.replace("\nx\n", "\ntwo\n"));
    ada.git(&["commit", "-qam", "two"]);
    // The driver is not set up here, so git leaves its own conflict.
    let mut merge = ada.command("git");
    merge.current_dir(ada.team()).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]);
    drop(merge.args(["merge", "-q", "side"]).output());
    ada
}

fn emptied(world: &World) -> Member {
    let ada = world.founder("ada");
    for number in 0..8 {
        ada.remember(&format!("m{number}"), "x");
    }
    ada.done(&["push"]);
    for number in 0..6 {
        ada.remove(&format!("m{number}.md"));
    }
    ada
}

fn unreconciled(world: &World) -> Member {
    let ada = world.newcomer("ada");
    fs::create_dir_all(ada.team()).unwrap();
    ada.remember("a", "x");
    ada.write("MEMORY.md", "# Mine\n");
    ada
}

/// What a run printed as next steps: commands in backticks, and options to add to the same command.
/// One that says "in `team/`" starts with a `cd`, and one that comes "then" is run after the one before.
fn steps(said: &Said) -> Vec<String> {
    let all = format!("{}\n{}", said.out, said.err);
    let mut steps: Vec<String> = Vec::new();
    for next in all.lines().filter_map(|line| line.trim_start().strip_prefix("next: ")) {
        let start = if next.contains("in `team/`") { "cd team " } else { "" };
        let pieces: Vec<&str> = next.split('`').collect();
        for pair in pieces.chunks(2).filter(|pair| pair.len() == 2) {
            let (words, text) = (pair[0], pair[1]);
            let is_step = ["memsync ", "git ", "--"].iter().any(|start| text.starts_with(start))
                && !words.ends_with("without ")
                && !words.contains("Ask a member for");
            match steps.last_mut().filter(|_| is_after(words)) {
                Some(first) if is_step => *first += &format!(" && {start}{text}"),
                _ if is_step => steps.push(format!("{start}{text}")),
                _ => {}
            }
        }
    }
    steps
}

fn filled<'a>(words: impl Iterator<Item = &'a str>, world: &World) -> Vec<String> {
    words.map(|word| if word == "URL" { world.address() } else { word.to_owned() }).collect()
}

/// Whether the words before a step say that it comes after the one before.
fn is_after(words: &str) -> bool {
    ["then", "then run"].iter().any(|end| words.trim_end().ends_with(end))
}

/// Runs a step, and those that come after it.
fn run(world: &World, member: &Member, state: &State, steps: &str) -> Said {
    if state.name.starts_with("credential") && steps == "memsync push" {
        // "Correct what is named".
        member.write("a.md", memory("a", "x"));
    }
    let mut said = None;
    for step in steps.split(" && ") {
        let done = run_one(world, member, state, step);
        if done.exit != 0 {
            return done;
        }
        said = Some(done);
    }
    said.unwrap()
}

/// Runs one step where the refused command ran.
fn run_one(world: &World, member: &Member, state: &State, step: &str) -> Said {
    if step.contains(" join ") && git(&world.hub(), &["branch"]).is_empty() {
        // "Your team's": somebody has started it.
        drop(world.founder("zoe"));
    }
    let words = filled(step.split(' '), world);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if step.starts_with("--") {
        let again = filled(state.command.iter().copied(), world);
        return member
            .run(&[&again.iter().map(String::as_str).collect::<Vec<_>>()[..], &words].concat());
    }
    let (folder, words) = match words.as_slice() {
        ["cd", "team", words @ ..] => (member.team(), words),
        words => (member.memdir.parent().unwrap().to_owned(), words),
    };
    let mut command = match words[0] {
        "git" => member.command("git"),
        _ => member.program(),
    };
    crate::support::say(command.current_dir(folder).args(&words[1..]))
}

#[test]
fn every_next_step_works_in_the_state_that_printed_it() {
    for state in STATES.iter().chain(&MORE) {
        let refused = || {
            let world = World::new();
            let member = (state.make)(&world);
            let command = filled(state.command.iter().copied(), &world);
            let said = member.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
            assert_ne!(said.exit, 0, "{}: {said:?}", state.name);
            (world, member, said)
        };
        let count = steps(&refused().2).len();
        let mut done = 0;
        for at in 0..count {
            // Each step by itself, in a state of its own.
            let (world, member, said) = refused();
            let step = steps(&said)[at].clone();
            if step.split([' ', '=']).any(|word| BLANKS.contains(&word)) {
                continue;
            }
            let mut after = run(&world, &member, state, &step);
            // What cannot be taken back asks first; without a terminal it says how to answer.
            if after.exit == 1 && after.err.contains("not confirmed") && after.err.contains("--yes")
            {
                after = run(&world, &member, state, &format!("{step} --yes"));
            }
            assert_eq!(after.exit, 0, "{}: `{step}` gives {after:?} after {said:?}", state.name);
            done += 1;
        }
        assert!(done > 0, "{}: no step to run: {:?}", state.name, refused().2);
    }
}

#[test]
fn what_the_gate_says_to_do_about_a_credential_works() {
    let world = World::new();
    let ada = world.founder("ada");
    ada.write("leak.md", memory("leak", &format!("key {}", token())));
    let said = ada.fails(&["push"], 1, &["leak.md"]);
    let steps = steps(&said);
    let allow =
        steps.iter().find(|step| step.contains("scan allow")).unwrap().replace('…', "sample");
    assert!(allow.starts_with("cd team memsync"), "{allow}");
    let words: Vec<&str> = allow.split(' ').skip(3).collect();
    let team = ada.team();
    ada.done(&[&["-C", team.to_str().unwrap()], &words[..]].concat());
    ada.done(&["push"]);
    assert!(git(&world.hub(), &["ls-tree", "--name-only", "main"]).contains("leak.md"));
}
