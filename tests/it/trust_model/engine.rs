//! The engine against the second model, on known cases and random histories: own verdicts, judging
//! rights, good tips, conflicts, what a pull takes; and the same from every good start.
//! Border: builds for the engine what the model was given; decides nothing itself.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use memsync::base::id::ObjectId;
use memsync::trust::authorize::{CommitHead, Content, Introduction, MergeShape, Standing, Team};
use memsync::trust::history::{History as Judged, Start, Trees, judge};
use memsync::trust::key::{PublicKey, SigningKey};
use memsync::trust::rights::Rights;
use memsync::trust::roster::{Member, MemberId, MemberKey, Role, Roster};
use memsync::trust::signature::SignatureProblem;
use memsync::trust::trailers::Trailers;
use memsync::trust::verdict::{Area, Authorisation, Refusal};
use zeroize::Zeroizing;

use super::attack::story;
use super::cases;
use super::generate::history;
use super::laws::{seeds, shuffled};
use super::model::{History, Model, Own};
use super::roster::{Id, Key, Tree};
use crate::support::random::Random;

const REFERENCE: &str = "refs/heads/main";

fn key(key: Key) -> PublicKey {
    thread_local! {
        static KEYS: std::cell::RefCell<std::collections::HashMap<u8, PublicKey>> =
            std::cell::RefCell::default();
    }
    let make = || SigningKey::from_seed(&Zeroizing::new([key.0 ^ 0x5a; 32])).public_key();
    KEYS.with_borrow_mut(|keys| *keys.entry(key.0).or_insert_with(make))
}

fn member_id(id: Id) -> MemberId {
    MemberId::parse(&format!("m{}", id.0)).unwrap()
}

fn id(place: usize) -> ObjectId {
    let mut bytes = [0xab; 20];
    bytes[..8].copy_from_slice(&(place as u64).to_be_bytes());
    ObjectId::from_bytes(&bytes).unwrap()
}

fn place(id: ObjectId) -> usize {
    let bytes: [u8; 8] = id.as_bytes()[..8].try_into().unwrap();
    usize::try_from(u64::from_be_bytes(bytes)).unwrap()
}

fn role(role: super::roster::Role) -> Role {
    match role {
        super::roster::Role::Reader => Role::Reader,
        super::roster::Role::Writer => Role::Writer,
        super::roster::Role::Admin => Role::Admin,
    }
}

fn standing(tree: Option<&Tree>) -> Standing {
    let Some(tree) = tree else { return Standing::Broken("not a roster".to_owned()) };
    let member = |(id, member): (&Id, &super::roster::Member)| Member {
        id: member_id(*id),
        name: format!("m{}", id.0),
        role: role(member.role),
        keys: member
            .keys
            .iter()
            .map(|name| MemberKey { key: key(*name), device: None, added: None, revoked: None })
            .collect(),
        age: None,
    };
    match Roster::from_members(tree.members.iter().map(member).collect()) {
        Err(problem) => Standing::Broken(problem.to_string()),
        Ok(roster) if tree.open => Standing::Open(Some(Arc::new(roster))),
        Ok(roster) => Standing::Roster(Arc::new(roster)),
    }
}

/// The trees of a history as the engine asks for them.
struct Answers<'a>(&'a Model);

impl Trees for Answers<'_> {
    type Error = Infallible;

    fn content(
        &mut self,
        head: &CommitHead,
        parents: &[ObjectId],
        _light: bool,
    ) -> Result<Content, Infallible> {
        let at = place(head.id);
        let commit = &self.0.history.commits[at];
        let places: Vec<usize> = parents.iter().map(|parent| place(*parent)).collect();
        let merged = self.0.uncut_tree(&places);
        let (before, after) = (standing(merged.as_ref()), standing(commit.tree.as_ref()));
        let mut changes = BTreeSet::new();
        if commit.writes {
            changes.insert(Area::Memory);
        }
        if commit.governs {
            changes.insert(Area::Policy);
        }
        let is_same = before == after
            || matches!((&before, &after), (Standing::Broken(_), Standing::Broken(_)));
        let is_merge = commit.parents.iter().collect::<BTreeSet<_>>().len() > 1;
        let shape = match (is_merge, commit.writes || commit.governs) {
            (false, _) => MergeShape::Single,
            (true, true) => MergeShape::Altered,
            (true, false) if is_same => MergeShape::Exact,
            (true, false) => MergeShape::Cut,
        };
        let (before, after) = (Arc::new(before), Arc::new(after));
        let before = if is_same { Arc::clone(&after) } else { before };
        Ok(Content { changes, before, after, shape, forbidden: None })
    }

    fn standing(&mut self, commit: ObjectId) -> Result<Arc<Standing>, Infallible> {
        Ok(Arc::new(standing(self.0.history.commits[place(commit)].tree.as_ref())))
    }
}

fn heads(model: &Model) -> Vec<CommitHead> {
    let head = |(at, commit): (usize, &super::model::Commit)| {
        // Who signs says rightly for whom: what a wrong name does is a test of its own.
        let holder = commit.signer.and_then(|key| model.verdicts[at].judged_by.member_of(key));
        let signed = commit.signer.map(key).ok_or(SignatureProblem::Unsigned);
        let own = commit.tree.as_ref().zip(commit.signer);
        let own = own.and_then(|(tree, key)| tree.member_of(key));
        CommitHead {
            id: id(at),
            parents: commit.parents.iter().map(|parent| id(*parent)).collect(),
            trailers: Ok(Trailers {
                store: Some(id(0)),
                reference: Some(REFERENCE.to_owned()),
                member: holder.or(own).map(member_id),
                vouches: commit.vouches.iter().map(|named| id(*named)).collect(),
                ..Trailers::default()
            }),
            signature: signed,
        }
    };
    model.history.commits.iter().enumerate().map(head).collect()
}

fn team(history: &History) -> Team {
    let founder = Some(key(history.introduced).fingerprint());
    let introduction = Introduction { commit: id(0), founder };
    Team { introduction, reference: REFERENCE.to_owned() }
}

fn own(authorisation: &Authorisation, is_signed: bool) -> Own {
    let Some(refusal) = authorisation.refusal() else { return Own::Good };
    match refusal {
        Refusal::Signature(_) => Own::Unsigned,
        // The model says of another beginning what it says of everybody without rights.
        Refusal::OtherRoot if is_signed => Own::UnknownKey,
        Refusal::OtherRoot => Own::Unsigned,
        Refusal::UnknownKey(_) | Refusal::RevokedKey { .. } | Refusal::OtherFounder(_) => {
            Own::UnknownKey
        }
        Refusal::NotAllowed { .. } | Refusal::VouchNotAllowed(_) => Own::NotAllowed,
        Refusal::RosterBroken(_) | Refusal::RosterRemoved => Own::BrokenRoster,
        Refusal::NoAdmin => Own::NoAdmin,
        Refusal::RosterOnRefused => Own::RosterOnRefused,
        other => panic!("the model has no {other}"),
    }
}

/// Whether rights give every member and key of a history what the model says.
fn agrees(rights: &Rights, tree: &Tree, model: &Model) -> bool {
    let trees = || model.history.commits.iter().filter_map(|commit| commit.tree.as_ref());
    let ids: BTreeSet<Id> = trees().flat_map(|tree| tree.members.keys().copied()).collect();
    let keys: BTreeSet<Key> = trees().flat_map(Tree::keys).collect();
    let level = |level: Option<Role>| level.map_or(0, |role| role as u8 + 1);
    rights.is_open == tree.open
        && ids
            .iter()
            .all(|id| level(rights.level_of_member(&member_id(*id))) == tree.member_level(*id))
        && keys
            .iter()
            .all(|name| level(rights.level_of_key(&key(*name))) == tree.level(Some(*name)))
}

/// Compares everything the engine says of some commits of a history.
fn compare(model: &Model, judged: &Judged, from: usize, told: &str) {
    for (at, verdict) in model.verdicts.iter().enumerate() {
        let Some(found) = judged.own(id(at)).filter(|_| at != from) else { continue };
        let told = format!("{told}, commit {at}");
        let is_signed = model.history.commits[at].signer.is_some();
        assert_eq!(own(found, is_signed), verdict.own, "{told}\n{}", story(model));
        assert_eq!(judged.is_good(id(at)), verdict.good_tip, "{told}: good tip\n{}", story(model));
        if at > 0 {
            let rights = judged.judging_rights(id(at)).unwrap();
            assert!(
                agrees(rights, &verdict.judged_by, model),
                "{told}: {rights:?}\n{}",
                story(model)
            );
        }
        if verdict.good_tip || at > 0 {
            let rights = judged.rights_after(id(at)).unwrap();
            assert!(agrees(rights, &verdict.effect, model), "{told}: {rights:?}\n{}", story(model));
        }
        let refused = judged.refused(id(at)).into_iter().map(|(id, _)| place(id)).collect();
        assert_eq!(verdict.refused, refused, "{told}: refused");
        let pair = |c: memsync::trust::history::Conflict| (place(c.revocation), place(c.used));
        let conflicts = judged.conflicts(id(at)).into_iter().map(pair).collect();
        assert_eq!(verdict.conflicts, conflicts, "{told}: conflicts\n{}", story(model));
    }
}

/// Whether revocations cut a roster to one that parses where the merge before the cut does not: one key
/// under two ids. Our merge of files gives up there and keeps a side, so no tree is that merge.
fn is_beyond_files(model: &Model) -> bool {
    model.history.commits.iter().any(|commit| {
        let uncut = model.uncut_tree(&commit.parents);
        let is_merge = commit.parents.len() > 1;
        is_merge && uncut.is_none() && model.merged_tree(&commit.parents).is_some()
    })
}

/// Compares the verdicts on a whole history, and what every member at a good tip takes.
fn check(history: &History, told: &str) {
    let model = Model::of(history);
    if is_beyond_files(&model) {
        return;
    }
    let heads = heads(&model);
    let team = team(history);
    let Ok(judged) = judge(&team, None, &heads, &mut Answers(&model));
    compare(&model, &judged, usize::MAX, told);
    for remote in 0..history.commits.len() {
        for verified in 0..history.commits.len() {
            let is_taken =
                model.verdicts[verified].good_tip && model.up_to(remote).contains(&verified);
            if !is_taken {
                continue;
            }
            let taken = judged.newest(Some(id(verified)), id(remote)).map_or(verified, place);
            assert_eq!(taken, model.take(verified, remote), "{told}: {verified} takes {remote}");
        }
        from_every_start(&model, &team, &heads, remote, told);
    }
}

/// Judges what is above each good tip that all of a part runs through.
fn from_every_start(model: &Model, team: &Team, heads: &[CommitHead], remote: usize, told: &str) {
    for start in model.up_to(remote).iter().copied() {
        let narrow = model.up_to(remote).iter().all(|&other| model.related(start, other));
        if !narrow || !model.verdicts[start].good_tip {
            continue;
        }
        let above = |at: &usize| *at != start && model.up_to(*at).contains(&start);
        let new: Vec<CommitHead> =
            model.up_to(remote).iter().copied().filter(above).map(|at| heads[at].clone()).collect();
        let tree = model.history.commits[start].tree.as_ref();
        let below = model.up_to(start).iter().map(|at| id(*at)).collect();
        let begin = Start { tip: id(start), standing: Arc::new(standing(tree)), below };
        let Ok(judged) = judge(team, Some(&begin), &new, &mut Answers(model));
        compare(model, &judged, start, &format!("{told}, from {start}"));
        let taken = judged.newest(Some(id(start)), id(remote)).map_or(start, place);
        assert_eq!(taken, model.take(start, remote), "{told}: from {start} takes {remote}");
    }
}

#[test]
fn the_engine_agrees_with_the_model_on_every_known_case() {
    for case in cases::all() {
        check(&case.history, &case.name);
    }
}

#[test]
fn the_engine_agrees_with_the_model_on_random_histories() {
    for seed in seeds() {
        check(&history(seed), &format!("seed {seed}"));
    }
}

#[test]
fn nearly_all_histories_are_within_what_files_can_merge() {
    let beyond = seeds().filter(|seed| is_beyond_files(&Model::of(&history(*seed)))).count();
    assert!(beyond * 50 < seeds().count(), "{beyond} of {}", seeds().count());
}

#[test]
fn the_engine_takes_commits_in_any_order() {
    for seed in seeds() {
        let (other, _) = shuffled(&history(seed), &mut Random(seed));
        let model = Model::of(&other);
        if is_beyond_files(&model) {
            continue;
        }
        let mut heads = heads(&model);
        Random(seed).shuffle(&mut heads);
        let Ok(judged) = judge(&team(&other), None, &heads, &mut Answers(&model));
        compare(&model, &judged, usize::MAX, &format!("seed {seed}"));
    }
}
