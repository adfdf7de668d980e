//! Files of every kind go bad and good again on either side, in any order; the rest always converges.
//! Border: random but the same in every run; the ways of going bad are in `ways`.

use super::ways::{BAD_NAMES, WAYS, Way, steers};
use crate::host::{Team, team};
use crate::support::check::{assert_agreed, assert_sound};
use crate::support::random::Random;
use crate::support::{Member, World, any_object_holds, memory, token};

/// The files of a team that may go bad, beside names that are bad and records of conflicts.
const FILES: [&str; 8] = [
    "MEMORY.md",
    "a.md",
    "b.md",
    "c.md",
    "sub/d.md",
    ".memsync/policy.yaml",
    ".memsync/allow.yaml",
    ".memsync/roster.yaml",
];

/// How many things happen in a round before it must converge.
const STEPS: usize = 28;

/// A member's files with what is wrong with each.
struct Desk<'a> {
    member: &'a Member,
    /// Whether the member may change what steers the team.
    may_steer: bool,
    bad: Vec<(String, Way)>,
}

impl Desk<'_> {
    fn is_bad(&self, file: &str) -> bool {
        self.bad.iter().any(|(bad, _)| bad == file)
    }

    /// A file that something may happen to.
    fn file(&self, random: &mut Random) -> String {
        let known = FILES.iter().chain(&BAD_NAMES).map(|file| (*file).to_owned());
        let is_record = |path: &String| path.starts_with(".memsync/conflicts/");
        let records = self.member.files().into_keys().filter(is_record);
        let files: Vec<String> =
            known.chain(records).filter(|file| self.may_steer || !steers(file)).collect();
        random.pick(&files).unwrap().clone()
    }

    /// One thing that may happen at a desk.
    fn step(&mut self, random: &mut Random, number: usize) -> String {
        let file = self.file(random);
        let (there, is_bad) = (self.member.has(&file), self.is_bad(&file));
        let is_name = BAD_NAMES.contains(&file.as_str());
        match random.below(9) {
            0 | 1 if !is_bad && (there || is_name) => {
                let ways: Vec<Way> = WAYS.into_iter().filter(|way| way.is_for(&file)).collect();
                let way = *random.pick(&ways).unwrap();
                way.spoil(self.member, &file);
                self.bad.push((file.clone(), way));
                format!("{file} becomes bad: {way:?}")
            }
            2 if !self.bad.is_empty() => {
                let (file, way) = self.bad.remove(random.below(self.bad.len()));
                way.correct(self.member, &file);
                format!("{file} becomes good: {way:?}")
            }
            3 | 4 if !is_bad && !is_name => self.edit(&file, there, number),
            5 if !is_bad && there && !steers(&file) && file != "MEMORY.md" => {
                self.member.remove(&file);
                format!("{file} is deleted")
            }
            6 => self.exchange("pull"),
            _ => self.exchange("push"),
        }
    }

    /// A change that nobody has anything against.
    fn edit(&self, file: &str, there: bool, number: usize) -> String {
        let text = if there { self.member.read(file) } else { String::new() };
        let text = match file {
            ".memsync/allow.yaml" => {
                let fingerprint = format!("{number:02x}").repeat(16);
                format!("{text}- fingerprint: {fingerprint}\n  reason: number {number}\n")
            }
            ".memsync/policy.yaml" => {
                let at = text.find("memory_bytes: ").unwrap() + "memory_bytes: ".len();
                let end = at + text[at..].find('\n').unwrap();
                format!("{}{}{}", &text[..at], 240_000 + number, &text[end..])
            }
            _ if steers(file) => return format!("{file} stays as it is"),
            _ => {
                let name = format!("name: {}\n", file.replace('/', "-"));
                let new = memory("new", "Body.").replace("name: new\n", &name);
                format!("{}\n- line {number}\n", if there { text } else { new })
            }
        };
        self.member.write(file, text);
        format!("{file} is edited")
    }

    fn exchange(&self, command: &str) -> String {
        let said = self.member.run(&[command, "--yes"]);
        // A folder is in the way only where the team has a file.
        let is_surely_bad = self.bad.iter().any(|(_, way)| *way != Way::Folder);
        let expected = if is_surely_bad { 1..=1 } else { 0..=i32::from(!self.bad.is_empty()) };
        assert!(expected.contains(&said.exit), "{command} with {:?} bad: {said:?}", self.bad);
        let status = self.member.json(&["status"]);
        let diff = || self.member.git(&["diff"]);
        assert_eq!(status["changes"].as_array().unwrap().len(), 0, "{status}\n{}", diff());
        format!("{command}: {}", said.exit)
    }
}

/// What happens at two desks, whatever it is.
fn happen(world: &World, desks: &mut [Desk<'_>; 2], random: &mut Random, story: &mut Vec<String>) {
    for number in 0..STEPS {
        let desk = random.below(2);
        let happened = desks[desk].step(random, number);
        story.push(format!("{desk}: {happened}"));
    }
    let exchange = |desks: &[Desk<'_>; 2]| {
        for command in ["push", "push", "pull"] {
            desks.iter().for_each(|desk| drop(desk.exchange(command)));
        }
    };
    exchange(desks);
    let hub = world.hub_files();
    for desk in desks.iter() {
        assert_eq!(desk.member.committed(), hub, "the rest is the same everywhere");
        for (path, text) in hub.iter().filter(|(path, _)| !desk.is_bad(path)) {
            // The index on disk also names what is kept out.
            if path != "MEMORY.md" || desk.bad.is_empty() {
                assert_eq!(desk.member.read(path).trim_end(), text.trim_end(), "{path}");
            }
        }
    }
    assert!(!world.hub_holds(&token()), "the hub has the token");
    for desk in desks.iter_mut() {
        assert!(!any_object_holds(&desk.member.team(), &token()));
        for (file, way) in std::mem::take(&mut desk.bad) {
            way.correct(desk.member, &file);
        }
    }
    exchange(desks);
    assert_agreed(world, &[desks[0].member, desks[1].member]);
    assert_sound(&desks[0].member.team());
}

/// One round: a team where everybody may do everything, or one with an admin and a writer.
fn one_round(seed: u64) {
    let (world, ada, bob) = if seed.is_multiple_of(2) {
        let world = World::new();
        let (ada, bob) = world.pair();
        (world, ada, bob)
    } else {
        let Team { world, ada, bob, .. } = team();
        bob.done(&["pull"]);
        (world, ada, bob)
    };
    let mut random = Random(seed);
    let is_open = seed.is_multiple_of(2);
    let mut desks = [(&ada, true), (&bob, is_open)].map(|(member, may_steer)| Desk {
        member,
        may_steer,
        bad: Vec::new(),
    });
    let mut story = vec![format!("seed {seed}")];
    let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        happen(&world, &mut desks, &mut random, &mut story);
    }));
    if let Err(panic) = told {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        panic!("{}\n{text}", story.join("\n"));
    }
}

/// The seeds: a few, or as many as `MEMSYNC_TEST_ROUNDS` says from `MEMSYNC_TEST_SEED` on.
#[expect(clippy::disallowed_methods, reason = "asks whether this run was given a number")]
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("MEMSYNC_TEST_SEED").unwrap_or(0);
    first..first + number("MEMSYNC_TEST_ROUNDS").unwrap_or(8)
}

#[test]
fn files_go_bad_and_good_again_in_any_order_and_the_rest_always_converges() {
    seeds().for_each(one_round);
}
