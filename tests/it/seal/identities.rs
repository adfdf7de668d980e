//! Which key opens, who is asked for its passphrase and how often; keys that cannot open at all.
//! Border: the key ring of the library, and the program with ssh-agent.
#![expect(clippy::disallowed_methods, reason = "starts ssh's programs and prepares keys")]

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use memsync::memory::document::Document;
use memsync::seal::envelope::Envelope;
use memsync::seal::unlock::{Keys as _, UnlockError};
use memsync::sync::keys::identities::{KeyRing, generate_age};
use memsync::trust::key::{Passphrase, PassphrasePrompt};

use super::{Team, key_of, newcomer, remember, request};

/// Answers by what is asked for, and remembers the questions.
struct Answers {
    known: Vec<(String, &'static str)>,
    asked: Rc<RefCell<Vec<String>>>,
}

impl PassphrasePrompt for Answers {
    fn passphrase(&mut self, subject: &str, _: u32) -> Option<Passphrase> {
        self.asked.borrow_mut().push(subject.to_owned());
        let answer = self.known.iter().find(|(of, _)| subject.ends_with(of.as_str()));
        answer.map(|(_, answer)| Passphrase::new((*answer).to_owned()))
    }
}

fn protect(key: &Path, passphrase: &str) {
    let output = Command::new("ssh-keygen")
        .args(["-q", "-p", "-P", "", "-N", passphrase, "-f"])
        .arg(key)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn envelope(team: &Team) -> Envelope {
    Envelope::read(&Document::parse(&team.cy.read("incident.md"))).unwrap()
}

/// A ring of both members' protected keys, and the questions it asks.
fn ring(team: &Team, known: &[(&str, &'static str)]) -> (KeyRing, Rc<RefCell<Vec<String>>>) {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let known = known.iter().map(|(of, answer)| (format!("{of}/memsync/id_ed25519"), *answer));
    let prompt = Answers { known: known.collect(), asked: Rc::clone(&asked) };
    let files: Vec<PathBuf> = ["cy", "ben"].map(|name| key_of(&team.world, name)).into();
    (KeyRing::new(files, Box::new(prompt)), asked)
}

#[test]
fn of_two_protected_keys_only_the_right_one_is_asked_for_and_once() {
    let team = Team::with_incident("Text.\n");
    protect(&key_of(&team.world, "ben"), "four words");
    protect(&key_of(&team.world, "cy"), "other words");
    let (ring, asked) = ring(&team, &[("ben-home", "four words"), ("cy-home", "other words")]);
    for _ in 0..3 {
        assert_eq!(ring.open(&envelope(&team)).unwrap().as_str(), "Text.\n");
    }
    let asked = asked.borrow();
    assert!(matches!(asked.as_slice(), [only] if only.contains("ben-home")), "{asked:?}");
}

#[test]
fn a_wrong_passphrase_opens_nothing_and_is_said() {
    let team = Team::with_incident("Text.\n");
    protect(&key_of(&team.world, "ben"), "four words");
    let (ring, asked) = ring(&team, &[("ben-home", "wrong")]);
    let error = ring.open(&envelope(&team)).unwrap_err();
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        said = format!("{said}: {inner}");
        cause = inner.source();
    }
    assert!(said.contains("the passphrase does not open") && !said.contains("wrong"), "{said}");
    assert_eq!(asked.borrow().len(), 3);
}

#[test]
fn a_key_in_an_agent_cannot_open_and_a_separate_age_identity_can() {
    let team = Team::new();
    let world = &team.world;
    let dee = newcomer(world, "dee");
    dee.done(&["key", "generate"]);
    // The private key goes where memsync cannot read it, as in an agent or on a security key.
    let key = key_of(world, "dee");
    fs::rename(&key, world.path().join("in-the-agent")).unwrap();
    fs::rename(key.with_extension("pub"), &key).unwrap();
    let socket = world.path().join("agent");
    let mut agent = Command::new("ssh-agent").args(["-D", "-a"]).arg(&socket).spawn().unwrap();
    while !socket.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let dee = dee.with("SSH_AUTH_SOCK", socket.to_str().unwrap());
    let added = dee.command("ssh-add").arg(world.path().join("in-the-agent")).output().unwrap();
    assert!(added.status.success(), "{added:?}");
    let said = dee.done(&["join", &world.address(), "--accept-introduction"]);
    assert!(said.err.contains("cannot open sealed memories"), "{said:?}");
    assert!(said.err.contains("memsync key age --make"), "{said:?}");
    team.ada.done(&["member", "add", &request(&dee)]);
    assert_eq!(remember(&team.ada, &["--for", "dee"], "Text.\n").exit, 0);
    team.ada.done(&["push"]);
    dee.done(&["pull"]);
    dee.fails(&["open", "incident"], 2, &["can sign but not open", "memsync key age --make"]);
    dee.fails(&["member", "age"], 2, &["no age identity"]);
    dee.done(&["key", "age", "--make"]);
    dee.fails(&["key", "age", "--make"], 1, &["already"]);
    dee.done(&["member", "age"]);
    dee.done(&["push"]);
    assert!(
        dee.json(&["member", "list"])["members"][3]["age"].as_str().unwrap().starts_with("age1")
    );
    team.ada.done(&["pull"]);
    let said = team.ada.done(&["reseal", "--all"]);
    assert!(said.out.contains("for ada, dee (their present keys)"), "{said:?}");
    team.ada.done(&["push"]);
    dee.done(&["pull"]);
    assert_eq!(dee.done(&["open", "incident"]).out, "Text.\n");
    team.ben.done(&["pull"]);
    team.ben.fails(&["open", "incident"], 1, &["none of your keys"]);
    team.ben.done(&["check"]);
    // Whoever swaps the anonymous reader for another is found out all the same.
    team.ben.edit("incident.md", |file| file.replace("[ada, dee]", "[ada, ben]"));
    team.ben.fails(&["push"], 1, &["sealed-readers"]);
    agent.kill().unwrap();
    agent.wait().unwrap();
}

#[test]
fn whoever_joins_with_an_age_identity_is_a_reader_from_the_start() {
    let team = Team::new();
    let dee = newcomer(&team.world, "dee");
    dee.done(&["key", "age", "--make"]);
    dee.done(&["join", &team.world.address(), "--accept-introduction"]);
    team.ada.done(&["member", "add", &request(&dee)]);
    assert!(team.ada.read(".memsync/roster.yaml").contains("age: age1"));
    assert_eq!(remember(&team.ada, &["--for", "dee"], "Text.\n").exit, 0);
    team.ada.done(&["push"]);
    dee.done(&["pull"]);
    assert_eq!(dee.done(&["open", "incident"]).out, "Text.\n");
}

#[test]
fn an_age_identity_is_for_its_owner_alone_and_never_replaced() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/identity.txt");
    let recipient = generate_age(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(&format!("# public key: {recipient}\nAGE-SECRET-KEY-1")));
    assert!(generate_age(&path).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let team = Team::with_incident("Text.\n");
    let (nobody, _) = (KeyRing::new(vec![path], Box::new(Nobody)), ());
    assert!(matches!(nobody.open(&envelope(&team)), Err(UnlockError::Key(_))));
}

/// Nobody to ask.
struct Nobody;

impl PassphrasePrompt for Nobody {
    fn passphrase(&mut self, _: &str, _: u32) -> Option<Passphrase> {
        None
    }
}
