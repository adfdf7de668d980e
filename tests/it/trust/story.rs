//! A small language for histories: members with keys, commits with rosters, one verdict each.
//! Border: builds `CommitFacts`; judges nothing itself.

use std::collections::HashMap;
use std::sync::Arc;

use memsync::base::id::ObjectId;
use memsync::trust::authorize::{CommitFacts, Introduction, MergeShape, Standing, Team};
use memsync::trust::history::{Judged, Verified, judge};
use memsync::trust::key::{PublicKey, SigningKey};
use memsync::trust::roster::{Member, MemberId, MemberKey, Role, Roster};
use memsync::trust::signature::SignatureProblem;
use memsync::trust::trailers::Trailers;
use memsync::trust::verdict::ChangeKind;
use zeroize::Zeroizing;

/// The ref all stories play on.
pub(crate) const REFERENCE: &str = "refs/heads/main";

/// The key of a person, the same in every story.
pub(crate) fn key(name: &str) -> PublicKey {
    let mut seed = Zeroizing::new([7; 32]);
    name.bytes().zip(seed.iter_mut()).for_each(|(from, to)| *to = from);
    SigningKey::from_seed(&seed).public_key()
}

/// A roster from `ann:admin wim:writer rea:reader`; `-wim` before a key name in
/// `ann:admin:old!,new` marks keys, `!` revoked.
pub(crate) fn roster(text: &str) -> Arc<Roster> {
    let member = |part: &str| {
        let mut fields = part.split(':');
        let id = fields.next().unwrap();
        let role = Role::parse(fields.next().unwrap()).unwrap();
        let keys = fields.next().unwrap_or(id).split(',').map(|name| MemberKey {
            key: key(name.trim_end_matches('!')),
            added: None,
            revoked: name
                .ends_with('!')
                .then(|| memsync::trust::roster::Day::parse("2026-01-31").unwrap()),
        });
        let keys = keys.collect();
        Member { id: MemberId::parse(id).unwrap(), name: id.to_owned(), role, keys, age: None }
    };
    Arc::new(Roster::from_members(text.split(' ').map(member).collect()).unwrap())
}

/// The made-up id of a commit in a story.
pub(crate) fn id(name: &str) -> ObjectId {
    let mut bytes = [b'.'; 20];
    name.bytes().zip(bytes.iter_mut()).for_each(|(from, to)| *to = from);
    ObjectId::from_bytes(&bytes).unwrap()
}

/// A history being told, parents first; the root is `root`, by `ann`.
pub(crate) struct Story {
    pub(crate) team: Team,
    commits: Vec<CommitFacts>,
    names: HashMap<ObjectId, String>,
}

impl Story {
    /// A team of roster trust.
    pub(crate) fn new(members: &str) -> Self {
        let founder = Some(key("ann").fingerprint());
        let introduction = Introduction { commit: id("root"), founder };
        let team = Team { introduction, reference: REFERENCE.to_owned() };
        let mut story = Self { team, commits: Vec::new(), names: HashMap::new() };
        story.commit("root", &[], "ann").after = Standing::Roster(roster(members));
        story
    }

    /// Adds a change of one memory on top of `parents`, signed by `signer` and recorded rightly.
    pub(crate) fn commit(
        &mut self,
        name: &str,
        parents: &[&str],
        signer: &str,
    ) -> &mut CommitFacts {
        let after = match parents.first() {
            Some(first) => self.at(first).after.clone(),
            None => Standing::Missing,
        };
        let trailers = Trailers {
            store: Some(self.team.introduction.commit),
            reference: Some(REFERENCE.to_owned()),
            member: Some(MemberId::parse(signer.split('/').next().unwrap()).unwrap()),
            ..Trailers::default()
        };
        self.names.insert(id(name), name.to_owned());
        self.commits.push(CommitFacts {
            id: id(name),
            parents: parents.iter().map(|parent| id(parent)).collect(),
            signature: Ok(key(signer.split('/').next_back().unwrap())),
            trailers: Ok(trailers),
            changes: [ChangeKind::Memory, ChangeKind::Index].into(),
            shape: if parents.len() > 1 { MergeShape::Altered } else { MergeShape::Single },
            after,
        });
        self.commits.last_mut().unwrap()
    }

    /// The commit everything starts from.
    pub(crate) fn root(&mut self) -> &mut CommitFacts {
        &mut self.commits[0]
    }

    /// Adds an unsigned change.
    pub(crate) fn unsigned(&mut self, name: &str, parents: &[&str]) -> &mut CommitFacts {
        let commit = self.commit(name, parents, "nobody");
        commit.signature = Err(SignatureProblem::Unsigned);
        commit.trailers = Ok(Trailers::default());
        commit
    }

    /// Adds an unsigned change without looking its parent up, for long histories.
    pub(crate) fn unsigned_after(&mut self, name: &str, parent: &str, standing: &Standing) {
        let commit = self.unsigned(name, &[]);
        commit.parents = vec![id(parent)];
        commit.after = standing.clone();
    }

    /// Adds an unsigned merge that is what its parents merge to, with this roster.
    pub(crate) fn neutral(
        &mut self,
        name: &str,
        parents: &[&str],
        members: &str,
    ) -> &mut CommitFacts {
        let commit = self.unsigned(name, parents);
        commit.shape = MergeShape::Neutral;
        commit.changes.clear();
        commit.after = Standing::Roster(roster(members));
        commit
    }

    /// Adds a change of the roster.
    pub(crate) fn members(&mut self, name: &str, parents: &[&str], signer: &str, members: &str) {
        let commit = self.commit(name, parents, signer);
        commit.changes = [ChangeKind::Roster].into();
        commit.after = Standing::Roster(roster(members));
    }

    /// Adds a commit that vouches for others.
    pub(crate) fn vouch(&mut self, name: &str, parents: &[&str], signer: &str, others: &[&str]) {
        let commit = self.commit(name, parents, signer);
        commit.trailers.as_mut().unwrap().vouches = others.iter().map(|other| id(other)).collect();
    }

    fn at(&self, name: &str) -> &CommitFacts {
        self.commits.iter().find(|commit| commit.id == id(name)).unwrap()
    }

    /// Judges the whole history.
    pub(crate) fn judge(&self) -> Vec<Judged> {
        judge(&self.team, &Verified::default(), &self.commits)
    }

    /// Judges what is new after a verified tip; everything up to `count` commits is verified.
    pub(crate) fn judge_after(&self, tip: &str, count: usize) -> String {
        let (old, new) = self.commits.split_at(count);
        let standings = old.iter().map(|commit| (commit.id, commit.after.clone())).collect();
        let verified = Verified { tip: Some(id(tip)), standings };
        self.told(&judge(&self.team, &verified, new))
    }

    /// Every commit but the root with its verdict, `<name> <verdict>`, and `< x` when x blocks it.
    pub(crate) fn verdicts(&self) -> String {
        let judged = self.judge();
        assert_eq!(judged[0].authorisation.name(), "good", "the root itself");
        self.told(&judged[1..])
    }

    fn told(&self, judged: &[Judged]) -> String {
        let tell = |commit: &Judged| {
            let name = &self.names[&commit.id];
            let blocked = commit.blocked_by.filter(|by| *by != commit.id);
            let blocked = blocked.map(|by| format!(" < {}", self.names[&by]));
            let refused = commit.authorisation.refusal().is_some();
            assert!(!refused || commit.blocked_by.is_some(), "{name} is refused and not blocked");
            format!("{name} {}{}", commit.authorisation.name(), blocked.unwrap_or_default())
        };
        judged.iter().map(tell).collect::<Vec<_>>().join(", ")
    }
}
