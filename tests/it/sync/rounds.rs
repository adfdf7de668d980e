//! Members who all add, edit, delete and reorder at once, round after round, end with one team memory.
//! Border: random but the same in every run; a failure names its seed.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::check::{assert_agreed, entries_for};
use crate::support::random::Random;
use crate::support::{Hash, Member, World, memory};

/// What a round may leave: which memories there are, and every text that someone wrote into one.
#[derive(Default)]
struct Model {
    alive: BTreeMap<String, Vec<String>>,
    /// Deleted by one and edited by none: these must be gone.
    gone: BTreeSet<String>,
    /// Deleted before any command saw them: an entry written by hand is one of a memory to come.
    unseen: BTreeSet<String>,
    count: usize,
}

/// What members did to memories that were there when the round began.
#[derive(Default)]
struct Round {
    edited: BTreeSet<String>,
    deleted: BTreeSet<String>,
}

impl Model {
    fn act(&mut self, member: &Member, random: &mut Random, round: &mut Round) {
        for _ in 0..1 + random.below(4) {
            match random.below(10) {
                0..=3 => self.add(member, random),
                4..=5 => self.edit(member, random, round),
                6 => self.delete(member, random, round),
                7 => reorder(member, random),
                8 => self.edit_hook(member, random),
                _ => self.add_prose(member, random),
            }
        }
    }

    fn add(&mut self, member: &Member, random: &mut Random) {
        self.count += 1;
        let name = format!("m{:03}", self.count);
        let folder = ["", "", "topics/", "topics/deep/"][random.below(4)];
        let path = format!("{folder}{name}.md");
        member.write(&path, memory(&name, &format!("Said by {name}.")));
        if random.below(2) == 0 {
            let entry = format!("- [The {name}]({path}) — written by hand");
            insert_line(member, random, &entry);
        }
        self.alive.insert(path, vec![format!("Said by {name}.")]);
    }

    fn pick(&self, member: &Member, random: &mut Random) -> Option<String> {
        let there: Vec<&String> = self.alive.keys().filter(|path| member.has(path)).collect();
        random.pick(&there).map(|path| (*path).clone())
    }

    fn edit(&mut self, member: &Member, random: &mut Random, round: &mut Round) {
        let Some(path) = self.pick(member, random) else { return };
        self.count += 1;
        let line = format!("Note {}.", self.count);
        member.edit(&path, |text| match random.below(3) {
            0 => format!("{text}\n{line}\n"),
            1 => format!("{text}- {line}\n"),
            _ => text.replacen("---\nSaid", &format!("---\n{line}\n\nSaid"), 1),
        });
        if member.read(&path).contains(&line) {
            self.alive.get_mut(&path).unwrap().push(line);
            round.edited.insert(path);
        }
    }

    fn delete(&mut self, member: &Member, random: &mut Random, round: &mut Round) {
        if let Some(path) = self.pick(member, random) {
            member.remove(&path);
            if !member.committed().contains_key(&path) {
                self.unseen.insert(path.clone());
            }
            round.deleted.insert(path);
        }
    }

    fn edit_hook(&mut self, member: &Member, random: &mut Random) {
        self.count += 1;
        let hook = format!("hook {}", self.count);
        change_entry(member, random, |line| match line.split_once(" — ") {
            Some((head, _)) => format!("{head} — {hook}"),
            None => line,
        });
    }

    fn add_prose(&mut self, member: &Member, random: &mut Random) {
        self.count += 1;
        insert_line(member, random, &format!("Prose {}.", self.count));
    }

    /// A memory that one deleted and another edited survives; one that was only deleted does not.
    fn end(&mut self, round: &Round) {
        for path in round.deleted.difference(&round.edited) {
            self.alive.remove(path);
            self.gone.insert(path.clone());
        }
    }

    fn check(&self, member: &Member, seed: u64) {
        let files = member.committed();
        let index = &files["MEMORY.md"];
        let records: String = files
            .iter()
            .filter(|(path, _)| path.starts_with(".memsync/conflicts/"))
            .map(|(_, text)| text.as_str())
            .collect();
        for (path, lines) in &self.alive {
            let text = files.get(path).unwrap_or_else(|| panic!("seed {seed}: {path} is lost"));
            assert_eq!(entries_for(index, path), 1, "seed {seed}: {path} in\n{index}");
            for line in lines {
                let kept = text.contains(line) || records.contains(line);
                assert!(kept, "seed {seed}: `{line}` of {path} is lost:\n{text}");
                assert!(text.matches(line).count() <= 1, "seed {seed}: `{line}` twice:\n{text}");
            }
        }
        for path in &self.gone {
            assert!(!files.contains_key(path), "seed {seed}: {path} came back");
            let may_stay = usize::from(self.unseen.contains(path));
            assert!(
                entries_for(index, path) <= may_stay,
                "seed {seed}: the entry of {path} is back"
            );
        }
    }
}

fn insert_line(member: &Member, random: &mut Random, line: &str) {
    member.edit("MEMORY.md", |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.insert(1 + random.below(lines.len()), line);
        lines.join("\n") + "\n"
    });
}

fn change_entry(member: &Member, random: &mut Random, change: impl FnOnce(String) -> String) {
    member.edit("MEMORY.md", |text| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let entries: Vec<usize> =
            (0..lines.len()).filter(|at| lines[*at].starts_with("- [")).collect();
        if let Some(&at) = random.pick(&entries) {
            lines[at] = change(lines[at].clone());
        }
        lines.join("\n") + "\n"
    });
}

fn reorder(member: &Member, random: &mut Random) {
    member.edit("MEMORY.md", |text| {
        let (mut entries, others): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with("- ["));
        random.shuffle(&mut entries);
        others.into_iter().chain(entries).collect::<Vec<_>>().join("\n") + "\n"
    });
}

/// Syncs everyone until nobody has anything new.
fn until_quiet(members: &[&Member]) {
    for _ in 0..=members.len() {
        let tips: Vec<String> = members
            .iter()
            .map(|member| {
                member.done(&["sync"]);
                member.tip()
            })
            .collect();
        if tips.iter().all(|tip| *tip == tips[0]) {
            return;
        }
    }
    panic!("members do not come to rest");
}

fn play(hash: Hash, names: &[&str], rounds: usize, seed: u64) {
    let world = World::of(hash);
    let mut members = vec![world.founder(names[0])];
    members.extend(names[1..].iter().map(|name| world.joiner(name)));
    let members: Vec<&Member> = members.iter().collect();
    let mut random = Random(seed);
    let mut model = Model::default();
    for _ in 0..rounds {
        let mut round = Round::default();
        for member in &members {
            model.act(member, &mut random, &mut round);
        }
        model.end(&round);
        let mut order = members.clone();
        random.shuffle(&mut order);
        until_quiet(&order);
        model.check(members[0], seed);
    }
    assert_agreed(&world, &members);
}

#[test]
fn two_members_agree_after_every_round() {
    play(Hash::Sha1, &["ada", "bob"], 6, 1);
}

#[test]
fn two_members_agree_on_a_sha_256_hub_too() {
    play(Hash::Sha256, &["ada", "bob"], 3, 2);
}

#[test]
fn three_members_agree_after_every_round() {
    play(Hash::Sha1, &["ada", "bob", "cem"], 3, 3);
}
