//! The record of verified tips: it spares work only when nobody else could have written it.
//! Border: what a pull judges and what it does not; the figures are in `benches`.
#![expect(clippy::disallowed_methods, reason = "tampers with files of a clone")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::{Forged, Team, team};
use crate::support::Member;
use crate::support::check::assert_agreed;

const TRACKING: &str = "refs/memsync/verified/main";

fn record(member: &Member) -> PathBuf {
    member.team().join(".git/memsync/verified")
}

/// A team whose hub and whose Bob both stand at an unsigned commit that nobody verified: plain git or
/// another program moved Bob's ref.
fn deceived() -> Team {
    let team = team();
    team.bob.done(&["pull"]);
    let bad = team.publish(&Forged { signer: None, ..team.by(&team.bob) });
    team.bob.git(&["fetch", "-q", "origin", &format!("+refs/heads/main:{TRACKING}")]);
    assert_eq!(team.bob.git(&["rev-parse", TRACKING]), bad.to_string());
    team
}

#[test]
fn a_ref_that_was_moved_by_hand_is_not_taken_for_verified() {
    let team = deceived();
    let bad = team.tip();
    team.refuses(bad, "unsigned");
    assert_ne!(team.bob.git(&["rev-parse", TRACKING]), bad.to_string(), "the ref is put right");
    team.ada.done(&["vouch", &bad.short()]);
    team.bob.done(&["sync"]);
    team.ada.done(&["sync"]);
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
}

#[test]
fn a_record_that_others_could_write_or_of_another_team_counts_for_nothing() {
    let forge = |team: &Team| {
        let text = fs::read_to_string(record(&team.bob)).unwrap();
        fs::write(record(&team.bob), format!("{text}{}\n", team.tip())).unwrap();
    };
    let mode = |team: &Team, mode| {
        fs::set_permissions(record(&team.bob), fs::Permissions::from_mode(mode)).unwrap();
    };
    for wrong in [0o644, 0o620, 0o602] {
        let team = deceived();
        forge(&team);
        mode(&team, wrong);
        team.refuses(team.tip(), "unsigned");
        let now = fs::metadata(record(&team.bob)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(now, 0o600, "it is written afresh");
    }
    let team = deceived();
    forge(&team);
    let text = fs::read_to_string(record(&team.bob)).unwrap();
    fs::write(record(&team.bob), text.replacen("SHA256:", "SHA256:A", 1)).unwrap();
    team.refuses(team.tip(), "unsigned");
    // What runs with Bob's rights can write it: then it counts, as his keys would be lost as well.
    let team = deceived();
    forge(&team);
    team.bob.done(&["pull"]);
}

#[test]
fn without_the_record_everything_is_verified_again_once() {
    let team = team();
    team.bob.done(&["pull"]);
    fs::remove_file(record(&team.bob)).unwrap();
    team.bob.remember("mine", "Bob's own.");
    team.bob.done(&["sync"]);
    team.ada.done(&["sync"]);
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
    let text = fs::read_to_string(record(&team.bob)).unwrap();
    assert!(text.starts_with("memsync.verified/1 ") && text.contains(&team.tip().to_string()));
}
