//! Merges over several newest common states: what is gone against any base is gone.
//! Border: values; which commits are the bases is the history's business.

use std::collections::BTreeMap;
use std::sync::Arc;

use memsync::base::path::MemoryPath;
use memsync::memory::snapshot::Snapshot;
use memsync::merge::conflict::Reason;
use memsync::merge::{FileMerge, Input, Merged, Side, file, merge, merge_over, policy_over};
use memsync::trust::key::SigningKey;
use memsync::trust::roster::{Day, Member, MemberId, MemberKey, Role, Roster};
use proptest::prelude::*;
use zeroize::Zeroizing;

use crate::merge::origin;

const ROLES: [Role; 3] = [Role::Reader, Role::Writer, Role::Admin];

/// A roster of `ann`, who is always admin, and of others with a role; `*` marks a revoked key.
fn roster(others: &[(&str, Role)]) -> String {
    let member = |(name, role): &(&str, Role)| {
        let id = name.trim_end_matches('*');
        let seed = Zeroizing::new([id.as_bytes()[0]; 32]);
        let key = SigningKey::from_seed(&seed).public_key();
        let revoked = name.ends_with('*').then(|| Day::parse("2026-01-31").unwrap());
        Member {
            id: MemberId::parse(id).unwrap(),
            name: id.to_owned(),
            role: *role,
            keys: vec![MemberKey { key, device: None, added: None, revoked }],
            age: None,
        }
    };
    let all = [("ann", Role::Admin)];
    Roster::from_members(all.iter().chain(others).map(member).collect()).unwrap().render()
}

fn over(bases: &[&str], ours: &str, theirs: &str) -> FileMerge {
    let path = MemoryPath::parse(".memsync/roster.yaml").unwrap();
    let bases: Vec<Option<&[u8]>> = bases.iter().map(|base| Some(base.as_bytes())).collect();
    let (one, two) = (origin(1), origin(2));
    let ours = Input { content: ours.as_bytes(), origin: &one };
    let theirs = Input { content: theirs.as_bytes(), origin: &two };
    let merged = policy_over(&path, &bases, ours, theirs);
    let turned: Vec<Option<&[u8]>> = bases.iter().rev().copied().collect();
    assert_eq!(merged, policy_over(&path, &turned, theirs, ours), "bases and sides swapped");
    merged
}

/// The roles and whether the key works, by id.
fn members(merged: &FileMerge) -> BTreeMap<String, (Role, bool)> {
    let roster = Roster::parse(std::str::from_utf8(&merged.content).unwrap()).unwrap();
    let fact = |member: &Member| {
        (member.id.to_string(), (member.role, member.keys.iter().all(|key| key.revoked.is_none())))
    };
    roster.members().iter().map(fact).collect()
}

#[test]
fn a_member_removed_against_one_base_stays_removed_whichever_base_the_other_side_kept() {
    let (with, without) = (roster(&[("eve", Role::Writer)]), roster(&[]));
    // Ours went back to the state before the removal, theirs kept it: git takes either, by base.
    let merged = over(&[&with, &without], &with, &without);
    assert_eq!(members(&merged).keys().collect::<Vec<_>>(), ["ann"]);
    assert!(merged.conflicts.is_empty());
    let promoted = roster(&[("eve", Role::Admin)]);
    let merged = over(&[&with, &without], &promoted, &without);
    assert_eq!(members(&merged).keys().collect::<Vec<_>>(), ["ann"]);
    assert_eq!(merged.conflicts[0].reason, Reason::EditedAndDeleted);
}

#[test]
fn a_role_and_a_key_taken_against_one_base_stay_taken() {
    let (admin, reader) = (roster(&[("eve", Role::Admin)]), roster(&[("eve", Role::Reader)]));
    let merged = over(&[&admin, &reader], &admin, &reader);
    assert_eq!(members(&merged)["eve"], (Role::Reader, true));
    assert!(merged.conflicts.is_empty());
    let (alive, revoked) = (roster(&[("eve", Role::Writer)]), roster(&[("eve*", Role::Writer)]));
    let merged = over(&[&alive, &revoked], &revoked, &alive);
    assert_eq!(members(&merged)["eve"], (Role::Writer, false));
}

/// Four others, each absent or with one of three roles.
fn some_roster() -> impl Strategy<Value = String> {
    let names = ["bob", "cy", "dan", "eve"];
    proptest::collection::vec(proptest::option::of(0..3_usize), 4).prop_map(move |roles| {
        let there = names.iter().zip(roles).filter_map(|(name, role)| Some((*name, ROLES[role?])));
        roster(&there.collect::<Vec<_>>())
    })
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn a_roster_over_several_bases_is_what_all_merges_over_one_have_with_the_lesser_roles(
        bases in proptest::collection::vec(some_roster(), 1..4),
        ours in some_roster(),
        theirs in some_roster(),
    ) {
        let texts: Vec<&str> = bases.iter().map(String::as_str).collect();
        let merged = members(&over(&texts, &ours, &theirs));
        let mut expected: Option<BTreeMap<String, (Role, bool)>> = None;
        for base in &texts {
            let mut one = members(&over(&[base], &ours, &theirs));
            if let Some(known) = &expected {
                one.retain(|id, _| known.contains_key(id));
                one.iter_mut().for_each(|(id, fact)| fact.0 = fact.0.min(known[id].0));
            }
            expected = Some(one);
        }
        prop_assert_eq!(merged, expected.unwrap());
    }
}

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    let file = |(path, text): &(&str, &str)| {
        (MemoryPath::parse(path).unwrap(), Arc::from(text.as_bytes()))
    };
    files.iter().map(file).collect()
}

fn whole(bases: &[Snapshot], ours: &[(&str, &str)], theirs: &[(&str, &str)]) -> Merged {
    let none = Snapshot::default();
    let (ours, theirs) =
        (Side::of_one(snapshot(ours), origin(1)), Side::of_one(snapshot(theirs), origin(2)));
    let merged = merge_over(bases, &ours, &theirs, &none);
    let turned: Vec<Snapshot> = bases.iter().rev().cloned().collect();
    assert_eq!(merged, merge_over(&turned, &theirs, &ours, &none), "bases and sides swapped");
    merged
}

fn memory(body: &str) -> String {
    format!("---\nname: m\ndescription: about m\ntype: project\n---\n{body}\n")
}

#[test]
fn a_memory_is_merged_over_what_its_bases_share() {
    let (one, two) = (memory("First.\n\nOld.\n\nLast."), memory("First.\n\nNew.\n\nLast."));
    let bases = [snapshot(&[("m.md", &one)]), snapshot(&[("m.md", &two)])];
    // A side that left the file as a base has it follows the other.
    let edited = memory("First.\n\nNewer.\n\nLast.");
    let merged = whole(&bases, &[("m.md", &one)], &[("m.md", &edited)]);
    assert_eq!((merged.snapshot, merged.conflicts.len()), (snapshot(&[("m.md", &edited)]), 0));
    let merged = whole(&bases, &[("m.md", &one)], &[]);
    assert_eq!((merged.snapshot, merged.conflicts.len()), (snapshot(&[]), 0));
    // Both made it anew: what all bases share is what a side may have dropped.
    let ours = memory("1st.\n\nNew.\n\nLast.");
    let theirs = memory("First.\n\nNew.\n\nLast.\n\nMore.");
    let both = memory("1st.\n\nNew.\n\nLast.\n\nMore.");
    let merged = whole(&bases, &[("m.md", &ours)], &[("m.md", &theirs)]);
    assert_eq!((merged.snapshot, merged.conflicts.len()), (snapshot(&[("m.md", &both)]), 0));
}

#[test]
fn a_resolved_record_and_a_removed_member_do_not_come_back_over_two_bases() {
    let (with, without) = (roster(&[("eve", Role::Writer)]), roster(&[]));
    let bases = [
        snapshot(&[(".memsync/roster.yaml", &with)]),
        snapshot(&[
            (".memsync/roster.yaml", &without),
            (".memsync/conflicts/0123456789abcdef0123.yaml", "x\n"),
        ]),
    ];
    let merged = whole(
        &bases,
        &[(".memsync/roster.yaml", &with), (".memsync/conflicts/0123456789abcdef0123.yaml", "x\n")],
        &[(".memsync/roster.yaml", &without)],
    );
    assert_eq!(merged.snapshot, snapshot(&[(".memsync/roster.yaml", &without)]));
}

#[test]
fn one_base_is_the_special_case() {
    let base = snapshot(&[("m.md", &memory("a"))]);
    let ours = Side::of_one(snapshot(&[("m.md", &memory("b"))]), origin(1));
    let theirs = Side::of_one(snapshot(&[("m.md", &memory("c"))]), origin(2));
    let none = Snapshot::default();
    let merged = merge(&base, &ours, &theirs, &none);
    assert_eq!(merged, merge_over(&[base.clone(), base.clone()], &ours, &theirs, &none));
    let path = MemoryPath::parse("m.md").unwrap();
    let input = |side: &'static str, origin| Input { content: side.as_bytes(), origin };
    let (one, two) = (origin(1), origin(2));
    assert_eq!(
        policy_over(&path, &[Some(b"a\n")], input("b\n", &one), input("c\n", &two)),
        file(&path, Some(b"a\n"), input("b\n", &one), input("c\n", &two)),
    );
}
