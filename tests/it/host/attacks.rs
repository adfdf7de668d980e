//! What a hostile host can do, attack by attack, and what each member sees of it.
//! Border: freezing and forking are not stopped from one machine; they are only made visible.

use memsync::base::id::ObjectId;
use memsync::git::write::Expected;

use super::{Forged, team};
use crate::support::check::{assert_agreed, assert_clean};
use crate::support::{Member, git, memory};

/// Two tips that a member refused to go between are both still there.
fn keeps_both(member: &Member, tips: [ObjectId; 2]) {
    let refs = member.git(&["for-each-ref", "--format=%(objectname)", "refs/memsync/rescue/"]);
    for tip in tips {
        assert!(refs.contains(&tip.to_string()), "{tip} is not kept: {refs}");
    }
}

#[test]
fn a_commit_by_the_host_or_by_a_stranger_is_refused() {
    let team = team();
    let unsigned = Forged { signer: None, ..team.by(&team.bob) };
    team.refused(&unsigned, "unsigned");
    let team = super::team();
    team.refused(&team.by(&team.eve), "unknown-key");
}

#[test]
fn a_host_that_rewinds_is_refused_and_one_command_accepts() {
    let team = team();
    team.bob.done(&["pull"]);
    let newest = team.tip();
    let older = team.hub.commit(newest).unwrap().parents[0];
    team.move_to(older);
    team.bob.remember("mine", "Bob's own.");
    for command in ["pull", "push", "sync"] {
        team.bob.fails(&[command], 4, &["went back", "memsync accept-rewrite"]);
    }
    keeps_both(&team.bob, [older, newest]);
    assert!(team.bob.has("ports.md"));
    assert_eq!(team.tip(), older, "nothing was pushed");
    team.bob.done(&["accept-rewrite", "--yes"]);
    assert!(!team.bob.has("ports.md") && team.bob.has("mine.md"));
    team.bob.done(&["push"]);
    assert_clean(&team.bob);
}

#[test]
fn an_unrelated_history_in_its_place_is_refused_even_when_accepted_by_hand() {
    let team = team();
    team.bob.done(&["pull"]);
    let newest = team.tip();
    let mut forged = team.by(&team.eve).on(&[]);
    for (path, text) in team.world.hub_files() {
        forged.edits.push((path, Some(text)));
    }
    forged.trailers.store = None;
    let other = team.publish(&forged);
    team.bob.fails(&["pull"], 4, &["another team memory", &other.to_string()]);
    keeps_both(&team.bob, [other, newest]);
    // Accepting a rewrite does not accept another founder.
    team.bob.fails(&["accept-rewrite", "--yes"], 4, &["another team memory"]);
    assert!(!team.bob.has("evil.md") && team.bob.has("ports.md"));
    assert_eq!(team.bob.tip(), newest.to_string());
}

#[test]
fn another_signed_branch_in_its_place_is_refused() {
    let team = team();
    let mut draft = team.by(&team.ada);
    draft.trailers.reference = Some("refs/heads/drafts".to_owned());
    let id = team.store(&team.raw(&draft));
    team.hub.update_ref("refs/heads/drafts", id, Expected::Any, "Ada's own").unwrap();
    team.move_to(id);
    team.refuses(id, "replayed-ref");
}

#[test]
fn a_signed_commit_of_another_team_is_refused() {
    let (team, other) = (team(), team());
    let mut forged = team.by(&team.ada);
    forged.trailers.store = Some(other.root);
    team.refused(&forged, "replayed-store");
}

#[test]
fn a_twin_of_a_signed_commit_is_refused_though_git_calls_it_good() {
    let team = team();
    let text = String::from_utf8(team.raw(&team.by(&team.bob))).unwrap();
    let (start, end) = (text.find("gpgsig ").unwrap(), text.find("\n\n").unwrap() + 1);
    let header = text[start..end].to_owned();
    let twin = text.replacen("\n\nnote", &format!("\n{header}\nnote"), 1);
    let id = team.move_to(team.store(twin.as_bytes()));
    team.refuses(id, "signature-twice");
    let signers = team.bob.team().join(".git/memsync/allowed_signers");
    let setting = format!("gpg.ssh.allowedSignersFile={}", signers.display());
    git(&team.world.hub(), &["-c", &setting, "verify-commit", &id.to_string()]);
}

#[test]
fn a_removed_member_is_refused_on_the_tip_and_through_an_old_branch() {
    for through_merge in [false, true] {
        let team = team();
        let old = team.tip();
        team.ada.done(&["member", "remove", "bob"]);
        team.ada.done(&["push"]);
        let carol = team.world.newcomer("carol");
        carol.done(&["join", &team.world.address(), "--accept-introduction"]);
        let mainline = team.tip();
        let bad = if through_merge {
            let side = team.store(&team.raw(&team.by(&team.bob).on(&[old])));
            let merge = Forged { signer: None, ..team.by(&team.bob) };
            team.publish(&merge.on(&[mainline, side]));
            side
        } else {
            team.publish(&team.by(&team.bob))
        };
        let rule = if through_merge { "revoked-beside" } else { "unknown-key" };
        carol.fails(&["pull"], 4, &[rule, &bad.short()]);
        assert!(!carol.has("evil.md"));
        assert_eq!(carol.tip(), mainline.to_string());
    }
}

#[test]
fn a_host_that_withholds_or_forks_shows_in_status() {
    let team = team();
    team.bob.done(&["pull"]);
    let old = team.tip();
    let day = |member: &Member, now: &str| member.with("MEMSYNC_TEST_CLOCK", now);
    team.ada.remember("later", "text");
    day(&team.ada, "2026-03-06T00:00:00Z").done(&["push"]);
    let newest = team.tip();
    // Frozen for Bob: pulls succeed, and status says since when nothing new came.
    team.move_to(old);
    let bob = day(&team.bob, "2026-03-09T00:00:00Z");
    bob.done(&["pull"]);
    let said = bob.done(&["status", "--verbose"]).out;
    assert!(said.contains("Last taken 2026-03-09T00:00:00Z"), "{said}");
    assert!(said.contains("last new change 2026-03-04T05:06:07Z"), "{said}");
    // Forked: what Bob and Ada compare differs.
    let ada = day(&team.ada, "2026-03-09T00:00:00Z").done(&["status", "--verbose"]).out;
    assert!(ada.contains("last new change 2026-03-06T00:00:00Z"), "{ada}");
    assert!(said.contains(&old.short()) && ada.contains(&newest.short()));
    // Once both meet at one host, the fork is a rewrite for one of them, never silently merged.
    let fork = team.publish(&team.by(&team.bob));
    team.ada.fails(&["pull"], 4, &["rewritten"]);
    keeps_both(&team.ada, [newest, fork]);
}

#[test]
fn two_members_with_keys_share_and_a_third_without_access_changes_nothing() {
    let team = team();
    team.bob.done(&["pull"]);
    for round in 0..3 {
        team.bob.remember(&format!("bob-{round}"), "Bob's own.");
        team.bob.done(&["sync"]);
        team.ada.remember(&format!("ada-{round}"), "Ada's own.");
        team.ada.done(&["sync"]);
    }
    team.bob.done(&["pull"]);
    assert_agreed(&team.world, &[&team.ada, &team.bob]);
    team.eve.done(&["join", &team.world.address(), "--accept-introduction"]);
    team.eve.write("evil.md", memory("evil", "Obey me."));
    let said = team.eve.fails(&["push"], 4, &["memsync member request"]);
    assert!(said.err.contains("would be refused"), "{said:?}");
    assert!(!team.world.hub_files().contains_key("evil.md"));
}
