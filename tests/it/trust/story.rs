//! A small language for histories: members with keys, commits with rosters, one verdict each.
//! Border: builds commits and answers for their trees; judges nothing itself.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::sync::Arc;

use memsync::base::id::ObjectId;
use memsync::trust::authorize::{CommitHead, Content, Introduction, MergeShape, Standing, Team};
use memsync::trust::history::{History, Judged, Start, Trees, judge};
use memsync::trust::key::{PublicKey, SigningKey};
use memsync::trust::roster::{Member, MemberId, MemberKey, Role, Roster};
use memsync::trust::signature::SignatureProblem;
use memsync::trust::trailers::Trailers;
use memsync::trust::verdict::Area;
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
            device: None,
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

/// A commit of a story and what its tree says.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) head: CommitHead,
    pub(crate) changes: BTreeSet<Area>,
    pub(crate) shape: MergeShape,
    pub(crate) after: Standing,
}

/// A history being told, parents first; the root is `root`, by `ann`.
pub(crate) struct Story {
    pub(crate) team: Team,
    commits: Vec<Told>,
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
    pub(crate) fn commit(&mut self, name: &str, parents: &[&str], signer: &str) -> &mut Told {
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
        let head = CommitHead {
            id: id(name),
            parents: parents.iter().map(|parent| id(parent)).collect(),
            signature: Ok(key(signer.split('/').next_back().unwrap())),
            trailers: Ok(trailers),
        };
        self.commits.push(Told {
            head,
            changes: [Area::Memory, Area::Index].into(),
            shape: if parents.len() > 1 { MergeShape::Altered } else { MergeShape::Single },
            after,
        });
        self.commits.last_mut().unwrap()
    }

    /// The commit everything starts from.
    pub(crate) fn root(&mut self) -> &mut Told {
        &mut self.commits[0]
    }

    /// Adds an unsigned change.
    pub(crate) fn unsigned(&mut self, name: &str, parents: &[&str]) -> &mut Told {
        let commit = self.commit(name, parents, "nobody");
        commit.head.signature = Err(SignatureProblem::Unsigned);
        commit.head.trailers = Ok(Trailers::default());
        commit
    }

    /// Adds an unsigned change without looking its parent up, for long histories.
    pub(crate) fn unsigned_after(&mut self, name: &str, parent: &str, standing: &Standing) {
        let commit = self.unsigned(name, &[]);
        commit.head.parents = vec![id(parent)];
        commit.after = standing.clone();
    }

    /// Adds an unsigned merge that is what its parents merge to, with this roster.
    pub(crate) fn neutral(&mut self, name: &str, parents: &[&str], members: &str) -> &mut Told {
        let commit = self.unsigned(name, parents);
        commit.shape = MergeShape::Exact;
        commit.changes.clear();
        commit.after = Standing::Roster(roster(members));
        commit
    }

    /// Adds a change of the roster.
    pub(crate) fn members(&mut self, name: &str, parents: &[&str], signer: &str, members: &str) {
        let commit = self.commit(name, parents, signer);
        commit.changes = [Area::Roster].into();
        commit.after = Standing::Roster(roster(members));
    }

    /// Adds a commit that vouches for others.
    pub(crate) fn vouch(&mut self, name: &str, parents: &[&str], signer: &str, others: &[&str]) {
        let commit = self.commit(name, parents, signer);
        commit.head.trailers.as_mut().unwrap().vouches =
            others.iter().map(|other| id(other)).collect();
    }

    fn at(&self, name: &str) -> &Told {
        self.commits.iter().find(|told| told.head.id == id(name)).unwrap()
    }

    /// The judged history.
    pub(crate) fn history(&self) -> History {
        let heads: Vec<CommitHead> = self.commits.iter().map(|told| told.head.clone()).collect();
        judge(&self.team, None, &heads, &mut Tellers(&self.commits)).unwrap()
    }

    /// Judges the whole history, as its last commit has it.
    pub(crate) fn judge(&self) -> Vec<Judged> {
        let tip = self.commits.last().unwrap().head.id;
        self.history().judged(tip)
    }

    /// Judges every commit by what it is itself, whatever stands beside it.
    pub(crate) fn own(&self) -> String {
        let history = self.history();
        let tell = |told: &Told| {
            let own = history.own(told.head.id).unwrap();
            let tip = if history.is_good(told.head.id) { "" } else { "*" };
            format!("{} {}{tip}", self.names[&told.head.id], own.name())
        };
        self.commits[1..].iter().map(tell).collect::<Vec<_>>().join(", ")
    }

    /// Judges what is new above a good tip; everything up to `count` commits precedes it.
    pub(crate) fn judge_after(&self, tip: &str, count: usize) -> String {
        let (old, new) = self.commits.split_at(count);
        let standing = &old.iter().find(|told| told.head.id == id(tip)).unwrap().after;
        let start = Start {
            tip: id(tip),
            standing: Arc::new(standing.clone()),
            below: std::collections::HashSet::new(),
        };
        let heads: Vec<CommitHead> = new.iter().map(|told| told.head.clone()).collect();
        let history = judge(&self.team, Some(&start), &heads, &mut Tellers(&self.commits)).unwrap();
        self.told(&history.judged(new.last().unwrap().head.id))
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

/// Answers for the trees of a story.
struct Tellers<'a>(&'a [Told]);

impl Tellers<'_> {
    fn find(&self, id: ObjectId) -> &Told {
        self.0.iter().find(|told| told.head.id == id).unwrap()
    }
}

impl Trees for Tellers<'_> {
    type Error = Infallible;

    fn content(
        &mut self,
        head: &CommitHead,
        parents: &[ObjectId],
        _light: bool,
    ) -> Result<Content, Infallible> {
        let told = self.find(head.id);
        let before = match (told.shape, parents) {
            (MergeShape::Single, [parent]) => self.find(*parent).after.clone(),
            (MergeShape::Single, _) => Standing::Missing,
            // What a merge of the roster gives is what the story says it holds.
            _ => told.after.clone(),
        };
        Ok(Content {
            changes: told.changes.clone(),
            before: Arc::new(before),
            after: Arc::new(told.after.clone()),
            shape: told.shape,
            forbidden: None,
        })
    }

    fn standing(&mut self, commit: ObjectId) -> Result<Arc<Standing>, Infallible> {
        Ok(Arc::new(self.find(commit).after.clone()))
    }
}
