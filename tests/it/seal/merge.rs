//! A sealed memory merges as a plain one: same text, same conflicts, and no needless sealing.
//! Border: the cases of `examples/merge` on values, and two members through a hub.

use std::fs;
use std::path::PathBuf;

use memsync::base::path::MemoryPath;
use memsync::memory::document::Document;
use memsync::merge::conflict::{Part, Reason};
use memsync::merge::{FileMerge, Input, file, file_unlocked};
use memsync::seal::audience::{Audience, Wanted};
use memsync::seal::envelope::{Envelope, is_sealed_text};
use memsync::seal::lock::{seal, seal_document};
use memsync::seal::unlock::{NoKeys, Plain, ReadingKey, Unlock, open_with};
use memsync::trust::key::SigningKey;
use memsync::trust::roster::{Member, MemberId, MemberKey, Role, Roster};
use zeroize::Zeroizing;

use super::{MARKER, Team, assert_nowhere, edit};
use crate::merge::origin;

fn key(n: u8) -> SigningKey {
    SigningKey::from_seed(&Zeroizing::new([n; 32]))
}

fn roster() -> Roster {
    let member = |name: &str, n: u8| {
        let keys =
            vec![MemberKey { key: key(n).public_key(), device: None, added: None, revoked: None }];
        let id = MemberId::parse(name).unwrap();
        Member { id, name: name.to_owned(), role: Role::Admin, keys, age: None }
    };
    Roster::from_members(vec![member("ada", 1), member("ben", 2), member("cy", 3)]).unwrap()
}

fn audience(ids: &[&str]) -> Audience {
    let wanted = ids.iter().map(|id| Wanted::parse(id).unwrap()).collect();
    Audience::resolve(wanted, &roster()).unwrap()
}

/// Holds one member's key.
struct Holder(ReadingKey);

impl Holder {
    fn new(n: u8) -> Self {
        Self(ReadingKey::of_ssh(&key(n)).unwrap())
    }
}

impl Unlock for Holder {
    fn open(&self, envelope: &Envelope) -> Option<Plain> {
        open_with(envelope, std::slice::from_ref(&self.0)).ok().flatten()
    }

    fn seal(&self, plain: &str, wanted: &Audience) -> Option<(Audience, String)> {
        let audience = Audience::resolve(wanted.wanted.clone(), &roster()).ok()?;
        let armor = seal(plain, &audience, &roster()).ok()?;
        Some((audience, armor))
    }
}

fn sealed_for(plain: &str, ids: &[&str]) -> String {
    seal_document(&Document::parse(plain), &audience(ids), &roster()).unwrap()
}

fn sealed(plain: &str) -> String {
    sealed_for(plain, &["ada", "ben"])
}

/// Frontmatter without the lists, and the text.
fn opened(file: &str, n: u8) -> String {
    let document = Document::parse(file);
    let envelope = Envelope::read(&document).unwrap();
    let text = Holder::new(n).open(&envelope).unwrap();
    let mut head = document.frontmatter().unwrap().clone();
    memsync::seal::envelope::unseal_head(&mut head);
    head.render() + text.as_str()
}

fn path() -> MemoryPath {
    MemoryPath::parse("topic.md").unwrap()
}

fn merged(base: Option<&str>, ours: &str, theirs: &str, unlock: &dyn Unlock) -> FileMerge {
    let (one, two) = (origin(1), origin(2));
    let ours = Input { content: ours.as_bytes(), origin: &one };
    let theirs = Input { content: theirs.as_bytes(), origin: &two };
    file_unlocked(&path(), base.map(str::as_bytes), ours, theirs, unlock)
}

fn text(merge: &FileMerge) -> &str {
    std::str::from_utf8(&merge.content).unwrap()
}

#[test]
fn every_case_of_a_memory_merges_sealed_as_it_does_plain() {
    let cases = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/merge");
    let mut compared = 0;
    for case in fs::read_dir(cases).unwrap() {
        let folder = case.unwrap().path();
        let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
        let (base, ours, theirs) = (read("base.md"), read("ours.md"), read("theirs.md"));
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        let both = [&ours, &theirs].into_iter().chain(&base);
        let is_memory = |text: &String| {
            let head = Document::parse(text).frontmatter().map(|head| head.render());
            // Line ends and byte order marks go around the frontmatter of a sealed file, not into it.
            head.is_some_and(|head| !head.contains('\r') && !head.starts_with('\u{FEFF}'))
        };
        if !both.clone().all(is_memory) || folder.to_string_lossy().contains("index-") {
            continue;
        }
        compared += 1;
        let (one, two) = (origin(1), origin(2));
        let plain = file(
            &path(),
            base.as_deref().map(str::as_bytes),
            Input { content: ours.as_bytes(), origin: &one },
            Input { content: theirs.as_bytes(), origin: &two },
        );
        let merge = merged(
            base.as_deref().map(sealed).as_deref(),
            &sealed(&ours),
            &sealed(&theirs),
            &Holder::new(2),
        );
        let name = folder.display();
        assert_eq!(opened(text(&merge), 1), text(&plain), "{name}");
        assert_eq!(merge.conflicts.is_empty(), plain.conflicts.is_empty(), "{name}");
        let record = merge.conflicts.iter().map(|conflict| conflict.render()).collect::<String>();
        let body = |text: &str| Document::parse(text).body().trim().to_owned();
        for line in body(&ours).lines().filter(|line| line.len() > 12) {
            assert!(!record.contains(line), "{name}: the record holds {line:?}");
        }
    }
    assert!(compared >= 20, "{compared} cases");
}

const BASE: &str = "---\nname: topic\ndescription: d\ntype: project\n---\nFirst.\n\nSecond.\n";

#[test]
fn without_a_key_only_what_needs_none_is_merged() {
    let (base, other) = (sealed(BASE), sealed(&BASE.replace("First", "1st")));
    // One side changed the text, the other the description.
    let described = base.replace("description: d", "description: new");
    let merge = merged(Some(&base), &other, &described, &NoKeys);
    assert!(merge.conflicts.is_empty());
    assert_eq!(opened(text(&merge), 1), BASE.replace("First", "1st").replace(": d\n", ": new\n"));
    // Both changed the text: both ciphertexts are kept, and the file is one of them.
    let third = sealed(&BASE.replace("Second", "2nd"));
    let merge = merged(Some(&base), &other, &third, &NoKeys);
    let [conflict] = merge.conflicts.as_slice() else { panic!("{:?}", merge.conflicts) };
    assert_eq!((conflict.reason, &conflict.part), (Reason::Sealed, &Part::File));
    let sides = [&conflict.kept, &conflict.other].map(|side| side.content.clone().unwrap());
    assert_eq!(sides[0].as_bytes(), merge.content);
    for side in [&other, &third] {
        assert!(sides.iter().any(|content| content.as_bytes() == side.as_bytes()));
    }
    assert_eq!(merge, merged(Some(&base), &other, &third, &Holder::new(3)), "a key of another");
    let swapped = merged(Some(&base), &third, &other, &NoKeys);
    assert!(swapped.conflicts.len() == 1 && is_sealed_text(text(&swapped)));
}

#[test]
fn a_text_that_did_not_change_is_not_sealed_anew() {
    let base = sealed(BASE);
    // Only resealed on one side, edited on the other and taken back: the texts are equal.
    let (one, two) = (sealed(BASE), sealed(BASE));
    assert_ne!(one, two);
    let merge = merged(Some(&base), &one, &two, &Holder::new(1));
    assert!(merge.conflicts.is_empty());
    assert!(text(&merge) == one || text(&merge) == two);
    // Ours edited, theirs only sealed the same text again: our file stands as it is.
    let edited = sealed(&BASE.replace("First", "1st"));
    assert_eq!(text(&merged(Some(&base), &edited, &two, &Holder::new(1))), edited);
    assert_eq!(text(&merged(Some(&base), &two, &edited, &Holder::new(1))), edited);
}

#[test]
fn readers_merge_as_a_set_and_whoever_was_taken_out_stays_out() {
    let base = sealed_for(BASE, &["ada", "ben"]);
    let without_ben = sealed_for(BASE, &["ada"]);
    let with_cy = sealed_for(&BASE.replace("First", "1st"), &["ada", "ben", "cy"]);
    let merge = merged(Some(&base), &without_ben, &with_cy, &Holder::new(1));
    assert!(merge.conflicts.is_empty(), "{:?}", merge.conflicts);
    let file = text(&merge);
    assert!(file.contains("sealed: [ada, cy]\n"), "{file}");
    let envelope = Envelope::read(&Document::parse(file)).unwrap();
    assert!(Holder::new(2).open(&envelope).is_none(), "ben can still open it");
    assert_eq!(opened(file, 3), BASE.replace("First", "1st"));
}

#[test]
fn what_one_side_unsealed_stays_sealed_until_a_person_decides() {
    let base = sealed(BASE);
    let edited = sealed(&BASE.replace("First", MARKER));
    let merge = merged(Some(&base), BASE, &edited, &Holder::new(1));
    assert_eq!(text(&merge), edited);
    assert_eq!(merge.conflicts[0].reason, Reason::Sealed);
    assert_eq!(text(&merged(Some(&base), &edited, BASE, &Holder::new(1))), edited);
}

#[test]
fn a_list_changed_by_hand_is_not_merged_into_a_fresh_seal() {
    let base = sealed(BASE);
    let edited = sealed(&BASE.replace("First", "1st"));
    let forged = sealed(&BASE.replace("Second", "2nd")).replace("[ada, ben]", "[ada, ben, cy]");
    let merge = merged(Some(&base), &edited, &forged, &Holder::new(1));
    assert_eq!(merge.conflicts[0].reason, Reason::Sealed);
    let forged = base.replace("[ada, ben]", "[ada, ben, cy]");
    let merge = merged(Some(&base), &edited, &forged, &Holder::new(1));
    let envelope = Envelope::read(&Document::parse(text(&merge)));
    assert!(envelope.is_err() || Holder::new(3).open(&envelope.unwrap()).is_none());
}

#[test]
fn two_members_edit_at_once_and_both_edits_are_there() {
    let team = Team::with_incident("First.\n\nSecond.\n");
    edit(&team.world, &team.ada, "s/First/1st/");
    edit(&team.world, &team.ben, "s/Second/2nd/");
    team.ada.done(&["push"]);
    team.ben.done(&["push"]);
    team.ada.done(&["pull"]);
    for reader in [&team.ada, &team.ben] {
        assert_eq!(reader.done(&["open", "incident"]).out, "1st.\n\n2nd.\n");
    }
    assert_eq!(team.ada.tip(), team.ben.tip());
    assert_eq!(team.ada.json(&["status"])["conflicts"], serde_json::json!([]));
}

#[test]
fn an_open_conflict_is_shown_to_readers_and_closed_by_one() {
    let team = Team::with_incident("The port is 80.\n");
    edit(&team.world, &team.ada, "s/80/81/");
    edit(&team.world, &team.ben, "s/80/82/");
    team.ada.done(&["push"]);
    team.ben.run(&["push"]);
    team.ada.done(&["pull"]);
    let conflicts = team.ada.json(&["status"])["conflicts"].clone();
    let id = conflicts[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(conflicts.as_array().unwrap().len(), 1);
    let said = team.ada.done(&["open", "--conflict", &id]).out;
    assert!(said.contains("The port is 81.") && said.contains("The port is 82."), "{said}");
    let listed = team.ada.done(&["resolve", "--list"]).out;
    assert!(!listed.contains("BEGIN AGE") && !listed.contains("The port"), "{listed}");
    team.ada.fails(&["resolve", &id, "--both"], 1, &["a side is sealed", "memsync open"]);
    team.ada.fails(&["resolve", &id, "--edit"], 2, &["is sealed", "open --conflict"]);
    team.cy.done(&["pull"]);
    team.cy.fails(&["open", "--conflict", &id], 1, &["none of your keys"]);
    team.ada.done(&["resolve", &id, "--theirs"]);
    team.ada.done(&["push"]);
    team.ben.done(&["pull"]);
    let text = team.ben.done(&["open", "incident"]).out;
    assert!(text == "The port is 81.\n" || text == "The port is 82.\n", "{text}");
}

#[test]
fn a_member_without_a_key_to_it_carries_it_along_unharmed() {
    let team = Team::with_incident(&format!("{MARKER}\n"));
    team.cy.edit("incident.md", |file| file.replace("An incident", "An old incident"));
    edit(&team.world, &team.ben, "$ a More.");
    team.ben.done(&["push"]);
    team.cy.done(&["push"]);
    team.ada.done(&["pull"]);
    assert!(team.ada.read("incident.md").contains("description: An old incident\n"));
    assert_eq!(team.ada.done(&["open", "incident"]).out, format!("{MARKER}\nMore.\n"));
    assert_nowhere(&team.world, MARKER);
}
