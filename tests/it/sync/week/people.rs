//! Who is in the office, and what each of them may do to the team memory.
//! Border: acts as people and agents do, through the program, an editor and plain git.
#![expect(clippy::disallowed_methods, reason = "moves hubs and files by hand")]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use super::facts::Facts;
use crate::host::{Team, admit, team};
use crate::support::random::Random;
use crate::support::{Member, World, git, memory, token};

/// Somebody at a clone: a person, a person's other machine, or an agent.
pub(super) struct Hand {
    pub(super) name: &'static str,
    pub(super) member: Member,
    /// Memories with a credential in them, which stay on disk.
    pub(super) kept_out: Vec<String>,
}

/// Two people, the laptop of one of them, and two agents, with a hub and a host that merges.
pub(super) struct Office {
    pub(super) world: World,
    pub(super) hands: Vec<Hand>,
    /// The host's own clone.
    host: PathBuf,
    /// Branches that wait for the host.
    proposals: Vec<String>,
}

impl Hand {
    fn new(name: &'static str, member: Member) -> Self {
        Self { name, member, kept_out: Vec::new() }
    }

    /// Syncs, and says so with the exit code that is right.
    pub(super) fn exchange(&self, command: &str) {
        let said = self.member.run(&[command, "--yes"]);
        let expected = i32::from(!self.kept_out.is_empty());
        assert_eq!(said.exit, expected, "{command} by {}: {said:?}", self.name);
    }

    /// Takes every credential out again.
    pub(super) fn correct(&mut self) {
        for path in std::mem::take(&mut self.kept_out) {
            self.member.edit(&path, |text| text.replace(&token(), "in the vault"));
        }
    }

    /// A memory that is there and can be shared.
    fn pick(&self, random: &mut Random) -> Option<String> {
        let is_free = |path: &String| {
            path.ends_with(".md") && path != "MEMORY.md" && !self.kept_out.contains(path)
        };
        let there: Vec<String> = self.member.files().into_keys().filter(is_free).collect();
        random.pick(&there).cloned()
    }
}

impl Office {
    /// The first morning.
    pub(super) fn open() -> Self {
        let Team { world, ada, bob, .. } = team();
        bob.done(&["pull"]);
        let laptop = second_device(&world, &ada, &bob);
        let scout = world.newcomer("scout");
        admit(&world, &ada, &scout, "writer");
        let scout = scout.with("MEMSYNC_AGENT", "claude-code").with("MEMSYNC_SESSION", "s-scout");
        // The other agent works in Ada's own folder.
        let tidy = ada.with("MEMSYNC_AGENT", "codex").with("MEMSYNC_SESSION", "s-tidy");
        let host = world.path().join("host");
        git(world.path(), &["clone", "-q", &world.address(), host.to_str().unwrap()]);
        for (name, value) in [("user.name", "Host"), ("user.email", "noreply@host.example")] {
            git(&host, &["config", name, value]);
        }
        let hands = vec![
            Hand::new("Ada", ada),
            Hand::new("Bob", bob),
            Hand::new("Bob's laptop", laptop),
            Hand::new("the agent scout", scout),
            Hand::new("the agent tidy in Ada's folder", tidy),
        ];
        Self { world, hands, host, proposals: Vec::new() }
    }

    /// One thing that somebody does.
    pub(super) fn happen(&mut self, who: usize, random: &mut Random, facts: &mut Facts) -> String {
        // Ada's agent sees what is kept out in her folder as she does.
        if who == 4 {
            self.hands[4].kept_out = self.hands[0].kept_out.clone();
        }
        let hand = &self.hands[who];
        match random.below(15) {
            0 | 1 => add(hand, facts),
            2 => remember(hand, facts),
            3 | 4 => append(hand, random, facts),
            5 | 6 => rewrite(hand, random, facts),
            7 => delete(hand, random, facts),
            8 => rename(hand, random, facts),
            9 => reorder(hand, random),
            10 if who < 4 => self.leak(who, facts),
            11 => self.without_network(who, facts),
            12 if hand.kept_out.is_empty() => self.propose(who, facts),
            _ => {
                hand.exchange(["pull", "push", "sync"][random.below(3)]);
                "syncs".to_owned()
            }
        }
    }

    /// Somebody writes a credential into a memory; it stays where it is.
    fn leak(&mut self, who: usize, facts: &mut Facts) -> String {
        let fact = facts.tell();
        let path = format!("keys-{}.md", facts.count());
        let hand = &mut self.hands[who];
        let text = memory("keys", &format!("{fact}: the key is {}", token()));
        hand.member.write(&path, text);
        hand.kept_out.push(path.clone());
        if who == 0 {
            self.hands[4].kept_out = self.hands[0].kept_out.clone();
        }
        self.hands[who].exchange("push");
        format!("writes a credential into {path}")
    }

    /// The hub cannot be reached while somebody works.
    fn without_network(&self, who: usize, facts: &mut Facts) -> String {
        let away = self.world.path().join("away");
        fs::rename(self.world.hub(), &away).unwrap();
        let hand = &self.hands[who];
        let happened = add(hand, facts);
        let said = hand.member.run(&["push", "--wait", "0"]);
        fs::rename(&away, self.world.hub()).unwrap();
        assert_eq!(said.exit, 3, "{said:?}");
        format!("has no network and {happened}")
    }

    /// Somebody offers a change for review.
    fn propose(&mut self, who: usize, facts: &mut Facts) -> String {
        let hand = &self.hands[who];
        let happened = add(hand, facts);
        let branch = format!("proposal-{}", facts.count());
        hand.member.done(&["push", "--branch", &branch]);
        self.proposals.push(branch.clone());
        format!("{happened}, on {branch}")
    }

    /// The host merges what waits, with plain git, and what conflicts there is left for its author.
    pub(super) fn host_merges(&mut self, _: &mut Facts) {
        for branch in std::mem::take(&mut self.proposals) {
            git(&self.host, &["fetch", "-q", "origin"]);
            git(&self.host, &["checkout", "-q", "-B", "main", "origin/main"]);
            let mut merge = self.hands[0].member.command("git");
            merge.current_dir(&self.host).args(["merge", "-q", "--no-ff", "-m", "Merge request"]);
            let merged = merge.arg(format!("origin/{branch}")).output().unwrap();
            match merged.status.success() {
                true => drop(git(&self.host, &["push", "-q", "origin", "main"])),
                // What was proposed is in its author's clone as well, and goes with the next push.
                false => drop(git(&self.host, &["merge", "--abort"])),
            }
        }
    }

    /// The first admin closes every conflict with one side.
    pub(super) fn resolve_all(&self, facts: &mut Facts) {
        let ada = &self.hands[0];
        let text = |member: &Member| {
            let files = member.files();
            files
                .values()
                .map(|text| String::from_utf8_lossy(text).into_owned())
                .collect::<String>()
        };
        let before = text(&ada.member);
        if ada.member.json(&["status"])["conflicts"].as_array().unwrap().is_empty() {
            return;
        }
        ada.member.done(&["resolve", "--all", "--ours", "--yes"]);
        facts.decide(&before, &text(&ada.member));
    }
}

/// The other machine of a member, with a key of its own.
fn second_device(world: &World, admin: &Member, owner: &Member) -> Member {
    let laptop = world.newcomer("laptop").with("MEMSYNC_NAME", "Bob");
    let laptop = laptop.with("MEMSYNC_EMAIL", "bob@example.com");
    laptop.done(&["join", &world.address(), "--accept-introduction"]);
    let line = laptop.done(&["member", "request", "--as", "bob"]).out;
    admin.done(&["member", "add", line.trim(), "--device", "laptop"]);
    admin.done(&["push"]);
    for member in [&laptop, owner] {
        member.done(&["pull"]);
    }
    laptop
}

/// A new memory, written with an editor, sometimes with an entry of its own.
fn add(hand: &Hand, facts: &mut Facts) -> String {
    let fact = facts.tell();
    let path = if facts.count().is_multiple_of(3) { "topics/" } else { "" };
    let name = format!("about-{}", facts.count());
    let path = format!("{path}{name}.md");
    hand.member.write(&path, memory(&name, &format!("Start of {fact}.\n\n- one\n- two")));
    if facts.count().is_multiple_of(2) {
        hand.member.edit("MEMORY.md", |text| format!("{text}- [About it]({path}) — by hand\n"));
    }
    format!("writes {path}")
}

/// A new memory through the program.
fn remember(hand: &Hand, facts: &mut Facts) -> String {
    let fact = facts.tell();
    let name = format!("told-{}", facts.count());
    let arguments =
        ["remember", "--team", "--name", &name, "--kind", "project", "--description", "It"];
    let mut command = hand.member.program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "Told: {fact}.").unwrap();
    assert!(child.wait().unwrap().success(), "{name}");
    format!("remembers {name}")
}

fn append(hand: &Hand, random: &mut Random, facts: &mut Facts) -> String {
    let Some(path) = hand.pick(random) else { return "does nothing".to_owned() };
    let fact = facts.tell();
    hand.member.edit(&path, |text| format!("{text}- also {fact}\n"));
    format!("adds {fact} to {path}")
}

/// Writes a line of a memory anew.
fn rewrite(hand: &Hand, random: &mut Random, facts: &mut Facts) -> String {
    let Some(path) = hand.pick(random) else { return "does nothing".to_owned() };
    let text = hand.member.read(&path);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let body = lines.iter().rposition(|line| *line == "---\n").map_or(0, |at| at + 1);
    let said: Vec<usize> = (body..lines.len()).filter(|at| !lines[*at].trim().is_empty()).collect();
    let Some(at) = random.pick(&said).copied() else { return "does nothing".to_owned() };
    facts.take_back(lines[at]);
    let fact = facts.tell();
    let start = if lines[at].starts_with("- ") { "- " } else { "" };
    let new = format!("{start}Now it is {fact} instead.\n");
    let text: Vec<&str> = lines[..at]
        .iter()
        .copied()
        .chain([new.as_str()])
        .chain(lines[at + 1..].iter().copied())
        .collect();
    hand.member.write(&path, text.concat());
    format!("writes a line of {path} anew: {fact}")
}

fn delete(hand: &Hand, random: &mut Random, facts: &mut Facts) -> String {
    let Some(path) = hand.pick(random) else { return "does nothing".to_owned() };
    facts.take_back(&hand.member.read(&path));
    match random.below(2) {
        0 => hand.member.remove(&path),
        _ => drop(hand.member.done(&["forget", &path])),
    }
    format!("deletes {path}")
}

fn rename(hand: &Hand, random: &mut Random, facts: &mut Facts) -> String {
    let Some(path) = hand.pick(random) else { return "does nothing".to_owned() };
    let new = format!("moved-{}-{}.md", facts.count(), random.below(1_000));
    let text = hand.member.read(&path);
    hand.member.write(&new, text);
    hand.member.remove(&path);
    format!("renames {path} to {new}")
}

/// Puts the entries of the index into another order.
fn reorder(hand: &Hand, random: &mut Random) -> String {
    hand.member.edit("MEMORY.md", |text| {
        let (mut entries, other): (Vec<&str>, Vec<&str>) =
            text.split_inclusive('\n').partition(|line| line.starts_with("- ["));
        random.shuffle(&mut entries);
        [other, entries].concat().concat()
    });
    "puts the index into another order".to_owned()
}
