//! Writes team histories commit by commit, good and bad: any tree, key, namespace and message.
//! Border: raw objects put into a bare hub with git; claims are made by the tests.
#![expect(clippy::disallowed_methods, reason = "a history is made with git")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use memsync::trust::key::SigningKey;
use memsync::trust::roster::{Member, MemberId, MemberKey, Role, Roster};
use memsync::trust::signature::{sign, sign_commit};
use memsync::trust::trailers::Trailers;
use zeroize::Zeroizing;

use crate::support::{Member as Person, World, git, memory};

/// When the first commit of a forged history was made: 300 days before a world's now.
const START: i64 = 1_772_600_767 - 300 * 86_400;

/// A hub whose history is written by hand: `ann` is admin, `wim` writer, `rea` reader, `sol` a
/// writer who never writes. `eve` has a key that nobody knows.
pub(crate) struct Forge {
    pub(crate) world: World,
    /// The root commit, once there is one.
    pub(crate) root: String,
    /// The newest commit.
    pub(crate) tip: String,
    pub(crate) files: BTreeMap<String, String>,
    count: i64,
}

/// One commit to be made.
pub(crate) struct Draft {
    pub(crate) member: &'static str,
    pub(crate) author: String,
    pub(crate) agent: Option<String>,
    pub(crate) subject: String,
    pub(crate) parents: Vec<String>,
    pub(crate) vouches: Vec<String>,
    /// Days since the start.
    pub(crate) day: i64,
}

/// How a commit is signed.
pub(crate) enum Seal {
    /// By the member's own key.
    Own,
    /// By a key in another namespace.
    Namespace(&'static str),
    /// By the member's own key, and changed afterwards.
    Tampered,
    /// Not at all.
    None,
}

/// The key of a person.
pub(crate) fn key(name: &str) -> SigningKey {
    let mut seed = Zeroizing::new([9; 32]);
    name.bytes().zip(seed.iter_mut()).for_each(|(from, to)| *to = from);
    SigningKey::from_seed(&seed)
}

/// The roster every forged history begins with.
pub(crate) fn roster() -> Roster {
    let member = |(id, name, role): (&str, &str, Role)| Member {
        id: MemberId::parse(id).unwrap(),
        name: name.to_owned(),
        role,
        keys: vec![MemberKey {
            key: key(id).public_key(),
            device: None,
            added: None,
            revoked: None,
        }],
        age: None,
    };
    let members = [
        ("ann", "Ann Admin", Role::Admin),
        ("wim", "Wim Writer", Role::Writer),
        ("rea", "Rea Reader", Role::Reader),
        ("sol", "Sol Silent", Role::Writer),
    ];
    Roster::from_members(members.map(member).into()).unwrap()
}

impl Forge {
    /// A hub with a root commit by `ann`.
    pub(crate) fn new() -> Self {
        let world = World::new();
        let files = BTreeMap::from([
            (
                ".memsync/policy.yaml".to_owned(),
                "format: memsync.policy/1\ntrust: roster\n".to_owned(),
            ),
            (".memsync/roster.yaml".to_owned(), roster().render()),
            ("MEMORY.md".to_owned(), "# Team memory\n".to_owned()),
        ]);
        let empty = String::new();
        let mut forge = Self { world, root: empty.clone(), tip: empty, files, count: 0 };
        let draft = Draft { parents: Vec::new(), ..forge.draft("ann", "Start team memory") };
        forge.root = forge.commit(&draft, Seal::Own);
        forge
    }

    /// A commit on the tip, still to be made.
    pub(crate) fn draft(&self, member: &'static str, subject: &str) -> Draft {
        Draft {
            member,
            author: member.to_owned(),
            agent: None,
            subject: subject.to_owned(),
            parents: vec![self.tip.clone()],
            vouches: Vec::new(),
            day: self.count,
        }
    }

    /// Sets a memory and its entry in the index.
    pub(crate) fn write(&mut self, name: &str, body: &str) {
        let file = format!("{name}.md");
        let index = self.files.get_mut("MEMORY.md").unwrap();
        if !index.contains(&format!("({file})")) {
            index.push_str(&format!("- [{name}]({file}) — About {name}\n"));
        }
        self.files.insert(file, memory(name, body));
    }

    /// Writes and signs a good change of one memory.
    pub(crate) fn change(&mut self, member: &'static str, name: &str, body: &str) -> String {
        self.write(name, body);
        let draft = self.draft(member, &format!("Edit {name}"));
        self.commit(&draft, Seal::Own)
    }

    /// Makes a commit of the files as they are, and moves the hub's branch to it.
    pub(crate) fn commit(&mut self, draft: &Draft, seal: Seal) -> String {
        self.count += 1;
        let unsigned = self.unsigned(draft, &self.tree());
        let own = || sign_commit(&key(draft.member), unsigned.as_bytes()).unwrap();
        let raw = match seal {
            Seal::None => unsigned.clone().into_bytes(),
            Seal::Own => own(),
            Seal::Tampered => {
                let text = String::from_utf8(own()).unwrap();
                text.replace(&draft.subject, &format!("{}!", draft.subject)).into_bytes()
            }
            Seal::Namespace(name) => {
                let armor = sign(&key(draft.member), name, unsigned.as_bytes()).unwrap();
                let header = format!("gpgsig {}\n\n", armor.trim_end().replace('\n', "\n "));
                unsigned.replacen("\n\n", &format!("\n{header}"), 1).into_bytes()
            }
        };
        self.store(&raw)
    }

    /// Puts raw bytes into the hub as its newest commit.
    pub(crate) fn store(&mut self, raw: &[u8]) -> String {
        let arguments = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"];
        self.tip = self.feed(&arguments, raw);
        git(&self.world.hub(), &["update-ref", "refs/heads/main", &self.tip]);
        self.tip.clone()
    }

    fn unsigned(&self, draft: &Draft, tree: &str) -> String {
        let parents: String = draft.parents.iter().map(|id| format!("parent {id}\n")).collect();
        let seconds = START + draft.day * 86_400;
        let who = format!("{} <{}@example.com> {seconds} +0000", draft.author, draft.member);
        let is_root = draft.parents.is_empty();
        let trailers = Trailers {
            store: (!is_root).then(|| self.root.parse().unwrap()),
            reference: Some("refs/heads/main".to_owned()),
            member: Some(MemberId::parse(draft.member).unwrap()),
            agent: draft.agent.clone(),
            session: draft.agent.as_ref().map(|_| "s-42".to_owned()),
            vouches: draft.vouches.iter().map(|id| id.parse().unwrap()).collect(),
            ..Trailers::default()
        };
        let message = trailers.compose(&draft.subject);
        format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\n{message}")
    }

    /// The tree of the files as they are.
    pub(crate) fn tree(&self) -> String {
        let hub = self.world.hub();
        let mut folders: BTreeMap<&str, String> = BTreeMap::new();
        for (path, text) in &self.files {
            let id = self.feed(&["hash-object", "-w", "--stdin"], text.as_bytes());
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            *folders.entry(folder).or_default() += &format!("100644 blob {id}\t{name}\n");
        }
        let mut root = folders.remove("").unwrap_or_default();
        for (folder, entries) in folders {
            let id = self.feed(&["mktree"], entries.as_bytes());
            root += &format!("040000 tree {id}\t{folder}\n");
        }
        assert!(hub.is_dir());
        self.feed(&["mktree"], root.as_bytes())
    }

    /// Runs git in the hub with input.
    pub(crate) fn feed(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.world.hub());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// The introduction as `join` takes it.
    pub(crate) fn introduction(&self) -> String {
        format!("{}:{}", self.root, key("ann").public_key().fingerprint())
    }

    /// A person whose machine has the team memory as it is now.
    pub(crate) fn joiner(&self, name: &str) -> Person {
        let person = self.world.newcomer(name);
        let join = ["join", &self.world.address(), "--introduction", &self.introduction()];
        let said = person.run(&join);
        // 4: the part before a refused commit was taken.
        assert!(matches!(said.exit, 0 | 4), "{said:?}");
        person
    }

    /// Puts the hub's history into a person's branch past memsync, as somebody with access to the
    /// machine could.
    pub(crate) fn force(&self, person: &Person) {
        let hub: PathBuf = self.world.hub();
        person.git(&["fetch", "-q", hub.to_str().unwrap(), "main"]);
        person.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    }
}
