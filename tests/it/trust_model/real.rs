//! Histories of the second model as real signed commits in a real bare repository.
//! Border: builds what it is given; what the program says about it is claimed in `known.rs`.
#![expect(clippy::disallowed_methods, reason = "gives people their keys as files")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use memsync::base::id::ObjectId;
use memsync::base::path::MemoryPath;
use memsync::git::repo::Repo;
use memsync::git::write::Expected;
use memsync::trust::key::{Protection, SigningKey};
use memsync::trust::roster::{self, MemberId, MemberKey, Roster};
use memsync::trust::signature::sign_commit;
use memsync::trust::trailers::Trailers;
use zeroize::Zeroizing;

use crate::support::{Member as Person, World, memory};

use super::model::{History, Verdict, judge};
use super::roster::{Id, Key, Role, Tree};

/// The shared branch.
const MAIN: &str = "refs/heads/main";

/// What `init` writes.
const ATTRIBUTES: &str = "* -text\n*.md merge=memsync\n.memsync/** merge=memsync\n";

/// A history in a hub.
pub(crate) struct Real {
    pub(crate) world: World,
    pub(crate) hub: Repo,
    /// The commits by their places in the history.
    pub(crate) ids: Vec<ObjectId>,
    introduced: SigningKey,
}

/// The key behind a number.
fn signing_key(key: Key) -> SigningKey {
    let mut seed = [5; 32];
    seed[0] = key.0;
    SigningKey::from_seed(&Zeroizing::new(seed))
}

/// The id behind a number.
fn member_id(id: Id) -> MemberId {
    MemberId::parse(&format!("member-{}", id.0)).unwrap()
}

fn policy(tree: &Tree) -> String {
    let trust = if tree.open { "open" } else { "roster" };
    format!("format: memsync.policy/1\ntrust: {trust}\n")
}

fn rendered(tree: &Tree) -> String {
    let line = |(&id, member): (&Id, &super::roster::Member)| roster::Member {
        id: member_id(id),
        name: format!("Member {}", id.0),
        role: match member.role {
            Role::Reader => roster::Role::Reader,
            Role::Writer => roster::Role::Writer,
            Role::Admin => roster::Role::Admin,
        },
        keys: member
            .keys
            .iter()
            .map(|&key| MemberKey {
                key: signing_key(key).public_key(),
                device: None,
                added: None,
                revoked: None,
            })
            .collect(),
        age: None,
    };
    Roster::from_members(tree.members.iter().map(line).collect()).unwrap().render()
}

impl Real {
    /// Builds a history. Each commit that writes changes a memory of its own; a merge holds what its parents hold.
    pub(crate) fn build(history: &History) -> Self {
        let world = World::new();
        let hub = Repo::open(&world.hub()).unwrap();
        let introduced = signing_key(history.introduced);
        let mut real = Self { world, hub, ids: Vec::new(), introduced };
        let verdicts = judge(history);
        let mut memories: Vec<BTreeSet<usize>> = Vec::new();
        for (place, verdict) in verdicts.iter().enumerate() {
            let commit = &history.commits[place];
            let mut held: BTreeSet<usize> =
                commit.parents.iter().flat_map(|&parent| memories[parent].clone()).collect();
            if commit.writes {
                held.insert(place);
            }
            let id = real.commit(history, place, verdict, &held);
            real.ids.push(id);
            memories.push(held);
        }
        real
    }

    fn commit(
        &self,
        history: &History,
        place: usize,
        verdict: &Verdict,
        held: &BTreeSet<usize>,
    ) -> ObjectId {
        let commit = &history.commits[place];
        let tree = commit.tree.as_ref().expect("because only rosters that parse are built");
        assert!(!commit.governs, "policy besides trust is not built");
        let mut files = BTreeMap::from([
            (".gitattributes".to_owned(), ATTRIBUTES.to_owned()),
            (".memsync/policy.yaml".to_owned(), policy(tree)),
            (".memsync/roster.yaml".to_owned(), rendered(tree)),
        ]);
        let mut index = "# Team memory\n\n".to_owned();
        for place in 0..history.commits.len() {
            let name = format!("m{place:02}");
            let body = if held.contains(&place) { "Said later." } else { "Said first." };
            files.insert(format!("{name}.md"), memory(&name, body));
            index.push_str(&format!("- [{name}]({name}.md) — About {name}\n"));
        }
        files.insert("MEMORY.md".to_owned(), index);
        let edit = |(path, text): (&String, &String)| {
            let name = if path == ".gitattributes" {
                MemoryPath::git_attributes()
            } else {
                MemoryPath::parse(path).unwrap()
            };
            (name, Some(self.hub.write_blob(text.as_bytes()).unwrap()))
        };
        let edits: Vec<_> = files.iter().map(edit).collect();
        let tree_id = self.hub.write_tree(None, &edits).unwrap();
        let parents: String =
            commit.parents.iter().map(|&p| format!("parent {}\n", self.ids[p])).collect();
        // A day for each commit, so that no two are the same object.
        let seconds = 1_772_600_767 - 300 * 86_400 + place as i64 * 86_400;
        let who = format!("Member <member@example.com> {seconds} +0000");
        let stands_for =
            commit.signer.and_then(|key| verdict.judged_by.member_of(key).or(tree.member_of(key)));
        let trailers = Trailers {
            store: (place > 0).then(|| self.ids[0]),
            reference: Some(MAIN.to_owned()),
            member: stands_for.map(member_id),
            vouches: commit.vouches.iter().map(|&v| self.ids[v]).collect(),
            ..Trailers::default()
        };
        let message = trailers.compose(&format!("Step {place}"));
        let unsigned =
            format!("tree {tree_id}\n{parents}author {who}\ncommitter {who}\n\n{message}");
        let raw = match commit.signer {
            Some(key) => sign_commit(&signing_key(key), unsigned.as_bytes()).unwrap(),
            None => unsigned.into_bytes(),
        };
        self.hub.write_commit(&raw).unwrap()
    }

    /// Moves the hub's branch.
    pub(crate) fn show(&self, place: usize) {
        self.hub.update_ref(MAIN, self.ids[place], Expected::Any, "host").unwrap();
    }

    /// The introduction as `join` takes it.
    pub(crate) fn introduction(&self) -> String {
        format!("{}:{}", self.ids[0], self.introduced.public_key().fingerprint())
    }

    /// Where the hub's branch is.
    pub(crate) fn tip(&self) -> String {
        self.hub.find_ref(MAIN).unwrap().unwrap().to_string()
    }

    /// The same with a key that the history knows.
    pub(crate) fn keyed_joiner(&self, name: &str, key: Key) -> (Person, i32) {
        let person = self.world.newcomer(name);
        let file = self.world.path().join(format!("{name}-key"));
        let text = signing_key(key).to_openssh(name, &Protection::Plain);
        fs::write(&file, text.as_bytes()).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        self.join(person.with("MEMSYNC_KEY", file.to_str().unwrap()))
    }

    /// A person who joins while the hub is as it is, and the exit code.
    pub(crate) fn joiner(&self, name: &str) -> (Person, i32) {
        self.join(self.world.newcomer(name))
    }

    fn join(&self, person: Person) -> (Person, i32) {
        let said =
            person.run(&["join", &self.world.address(), "--introduction", &self.introduction()]);
        assert!(matches!(said.exit, 0 | 4), "{said:?}");
        (person, said.exit)
    }

    /// The place of the verified tip of a person.
    pub(crate) fn at(&self, person: &Person) -> usize {
        let status = person.json(&["status"]);
        let tip =
            status["verified"].as_str().unwrap_or_else(|| panic!("no verified tip: {status}"));
        self.ids
            .iter()
            .position(|id| id.to_string() == tip)
            .unwrap_or_else(|| panic!("{tip} is no commit of it"))
    }
}
