//! What plain git or an older version committed and may not be sent: correcting the file is enough to go
//! on, and what was never shared does not travel.
//! Border: each kind of bad commit with each way to correct it; why a kind is bad is the gate's rule.
#![expect(clippy::disallowed_methods, reason = "breaks a work tree by hand")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::host::{Team, team};
use crate::support::{Member, any_object_holds, files_at, git, memory, token};

/// How a file is broken. What it must not leave behind on the hub is the word `STRAY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bad {
    Secret,
    NoFrontmatter,
    PrivateKind,
    TooLarge,
    NotUtf8,
    HiddenText,
    Link,
    Executable,
    Roster,
    NoAdmin,
    Policy,
    AllowList,
    Attributes,
    Record,
}

/// How the person corrects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Correction {
    /// The file as it was before, or gone if there was none.
    Back,
    /// The file with a good text.
    Good,
}

const ALL: [Bad; 14] = [
    Bad::Secret,
    Bad::NoFrontmatter,
    Bad::PrivateKind,
    Bad::TooLarge,
    Bad::NotUtf8,
    Bad::HiddenText,
    Bad::Link,
    Bad::Executable,
    Bad::Roster,
    Bad::NoAdmin,
    Bad::Policy,
    Bad::AllowList,
    Bad::Attributes,
    Bad::Record,
];

impl Bad {
    fn path(self) -> &'static str {
        match self {
            Self::Roster | Self::NoAdmin => ".memsync/roster.yaml",
            Self::Policy => ".memsync/policy.yaml",
            Self::AllowList => ".memsync/allow.yaml",
            Self::Attributes => ".gitattributes",
            Self::Record => ".memsync/conflicts/00112233445566778899.yaml",
            _ => "bad.md",
        }
    }

    /// Breaks the file on disk.
    fn make(self, member: &Member) {
        let path = member.team().join(self.path());
        match self {
            Self::Secret => member.write("bad.md", memory("bad", &format!("STRAY {}", token()))),
            Self::NoFrontmatter => member.write("bad.md", "STRAY without a head\n"),
            Self::PrivateKind => {
                member.write("bad.md", memory("bad", "STRAY").replace("project", "user"));
            }
            Self::TooLarge => {
                member.write("bad.md", memory("bad", &"STRAY is long. ".repeat(90_000)));
            }
            Self::NotUtf8 => member.write("bad.md", b"---\nname: bad\n---\nSTRAY \xff\n"),
            Self::HiddenText => {
                member.write("bad.md", memory("bad", "STRAY \u{e0041}\u{e0042}\u{e0043} tags"));
            }
            Self::Link => symlink("STRAY", path).unwrap(),
            Self::Executable => {
                member.write("bad.md", memory("bad", "STRAY"));
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
            Self::Roster => member.edit(self.path(), |text| text.replace("role:", "STRAY:")),
            Self::NoAdmin => member.edit(self.path(), |text| {
                format!("{}# STRAY\n", text.replace("role: admin", "role: writer"))
            }),
            Self::Policy => member.edit(self.path(), |text| format!("{text}STRAY: [\n")),
            Self::AllowList => member.write(self.path(), "- STRAY: [\n"),
            Self::Attributes => member.write(self.path(), "* filter=STRAY\n"),
            Self::Record => member.write(self.path(), "path: STRAY\n"),
        }
    }

    /// A good text for the place, where there is one besides the old.
    fn good(self, before: &str) -> Option<String> {
        match self {
            Self::Roster | Self::NoAdmin => Some(before.replace("name: Bob", "name: Bobby")),
            Self::Policy => Some(before.replace("kinds:", "kinds:\n- reference")),
            Self::AllowList => Some(format!(
                "- fingerprint: {}\n  reason: an example\n",
                "0011223344556677".repeat(2)
            )),
            Self::Attributes | Self::Record => None,
            _ => Some(memory("bad", "Put right.")),
        }
    }
}

/// Lets plain git commit whatever is on disk, as a person does who does not know better.
fn commit(member: &Member, message: &str) {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    member.git(&[&who[..], &["add", "-A"]].concat());
    member.git(&[&who[..], &["commit", "-q", "--no-verify", "-m", message]].concat());
}

fn check(bad: Bad, correction: Correction) {
    let Team { world, ada, bob, .. } = team();
    let before = fs::read_to_string(ada.team().join(bad.path())).ok();
    ada.remember("first", "Before it.");
    commit(&ada, "one before");
    bad.make(&ada);
    commit(&ada, "the bad one");
    ada.remember("last", "After it.");
    commit(&ada, "one after");
    let said = ada.run(&["push"]);
    assert_ne!(said.exit, 0, "{bad:?}: nobody may take it: {said:?}");
    assert!(said.err.contains("next:"), "{bad:?}: {said:?}");
    assert!(!any_object_holds(&world.hub(), "STRAY"), "{bad:?} went out");
    let text = match correction {
        Correction::Back => before.clone(),
        Correction::Good => bad.good(before.as_deref().unwrap_or("kinds:\n")),
    };
    let path = ada.team().join(bad.path());
    fs::remove_file(&path).unwrap();
    if let Some(text) = &text {
        fs::write(&path, text).unwrap();
    }
    let said = ada.run(&["push"]);
    assert_eq!(said.exit, 0, "{bad:?} {correction:?}: {said:?}");
    assert!(!any_object_holds(&world.hub(), "STRAY"), "{bad:?} went out after all");
    let hub = files_at(&world.hub(), "main");
    assert!(hub.contains_key("first.md") && hub.contains_key("last.md"), "{bad:?}: {hub:?}");
    let expected = text.as_deref().map(str::trim_end);
    let found = hub.get(bad.path()).map(|text| text.trim_end());
    assert_eq!(found, expected, "{bad:?} {correction:?}");
    let subjects = git(&world.hub(), &["log", "--format=%s", "main"]);
    assert!(subjects.contains("one before") && subjects.contains("one after"), "{subjects}");
    bob.done(&["pull"]);
    assert!(bob.has("last.md"));
    ada.done(&["push"]);
}

/// Each kind of bad file with each way to correct it; all that fail are named together.
fn check_all(is_meant: impl Fn(Bad) -> bool) {
    let mut failed = Vec::new();
    for bad in ALL.into_iter().filter(|bad| is_meant(*bad)) {
        for correction in [Correction::Back, Correction::Good] {
            let has_way = correction == Correction::Back || bad.good("").is_some();
            if has_way && std::panic::catch_unwind(|| check(bad, correction)).is_err() {
                failed.push((bad, correction));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn a_memory_that_may_not_be_sent_is_put_right_by_correcting_the_file() {
    check_all(|bad| bad.path() == "bad.md");
}

#[test]
fn a_file_that_steers_is_put_right_by_correcting_the_file() {
    check_all(|bad| bad.path() != "bad.md");
}

#[test]
fn what_a_writer_may_not_change_is_taken_back_by_taking_the_file_back() {
    let Team { world, bob, .. } = team();
    bob.done(&["pull"]);
    let before = bob.read(".memsync/roster.yaml");
    bob.remember("mine", "Bob's own.");
    bob.edit(".memsync/roster.yaml", |text| text.replace("role: writer", "role: admin"));
    // memsync itself keeps it out of a commit.
    commit(&bob, "roster and mine");
    bob.fails(&["push"], 4, &["may not change the roster"]);
    bob.write(".memsync/roster.yaml", &before);
    bob.done(&["push"]);
    assert!(world.hub_files().contains_key("mine.md"));
    assert!(!world.hub_files()[".memsync/roster.yaml"].contains("role: writer\n  role: admin"));
}

#[test]
fn what_a_merge_by_plain_git_brings_along_is_put_right_as_well() {
    let Team { world, ada, bob, .. } = team();
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.write("bad.md", memory("bad", &format!("STRAY {}", token())));
    commit(&ada, "the bad one");
    ada.git(&["switch", "-q", "main"]);
    ada.remember("beside", "On the branch itself.");
    commit(&ada, "beside");
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    ada.git(&[&who[..], &["merge", "-q", "--no-edit", "--no-verify", "topic"]].concat());
    assert_ne!(ada.run(&["push"]).exit, 0);
    ada.write("bad.md", memory("bad", "Put right."));
    ada.done(&["push"]);
    assert!(!any_object_holds(&world.hub(), "STRAY"));
    bob.done(&["pull"]);
    assert!(bob.has("beside.md") && bob.read("bad.md").contains("Put right."));
}
