//! What a sealed memory must refuse, and what it must not.

use std::io::Write as _;

use age::armor::{ArmoredWriter, Format};
use zeroize::Zeroizing;

use super::audience::{Audience, Wanted};
use super::envelope::{Envelope, is_sealed_text, without_armor};
use super::header::{ARMOR_BEGIN, ARMOR_END, Header};
use super::lock::seal_document;
use super::readers::check;
use super::unlock::{ReadingKey, UnlockError, open_with};
use super::{SealProblem, shown_ids};
use crate::memory::document::Document;
use crate::trust::key::{AgeRecipient, SigningKey};
use crate::trust::roster::{Day, Member, MemberId, MemberKey, Role, Roster};

const PLAIN: &str =
    "---\nname: incident\ndescription: For named people\ntype: project\n---\nThe text.\n";

fn key(n: u8) -> SigningKey {
    SigningKey::from_seed(&Zeroizing::new([n; 32]))
}

fn id(name: &str) -> MemberId {
    MemberId::parse(name).unwrap()
}

fn member(name: &str, role: Role, n: u8) -> Member {
    let keys =
        vec![MemberKey { key: key(n).public_key(), device: None, added: None, revoked: None }];
    Member { id: id(name), name: name.to_owned(), role, keys, age: None }
}

/// Ada (admin), Ben and Cy (writers) with the keys 1, 2 and 3.
fn roster() -> Roster {
    let members = vec![
        member("ada", Role::Admin, 1),
        member("ben", Role::Writer, 2),
        member("cy", Role::Writer, 3),
    ];
    Roster::from_members(members).unwrap()
}

fn audience(wanted: &[&str], roster: &Roster) -> Audience {
    let wanted = wanted.iter().map(|part| Wanted::parse(part).unwrap()).collect();
    Audience::resolve(wanted, roster).unwrap()
}

fn sealed_in(wanted: &[&str], roster: &Roster) -> String {
    seal_document(&Document::parse(PLAIN), &audience(wanted, roster), roster).unwrap()
}

fn sealed(wanted: &[&str]) -> String {
    sealed_in(wanted, &roster())
}

fn read(text: &str) -> Result<Envelope, SealProblem> {
    Envelope::read(&Document::parse(text))
}

fn open(text: &str, n: u8) -> Result<Option<String>, UnlockError> {
    let keys = [ReadingKey::of_ssh(&key(n)).unwrap()];
    open_with(&read(text)?, &keys).map(|text| text.map(|text| text.as_str().to_owned()))
}

#[test]
fn readers_open_it_and_nobody_else() {
    let text = sealed(&["ada", "ben"]);
    assert!(text.starts_with("---\nname: incident\n") && text.contains("sealed: [ada, ben]\n"));
    assert!(!text.contains("The text") && is_sealed_text(&text) && !is_sealed_text(PLAIN));
    assert_eq!(open(&text, 1).unwrap().unwrap(), "The text.\n");
    assert_eq!(open(&text, 2).unwrap().unwrap(), "The text.\n");
    assert_eq!(open(&text, 3).unwrap(), None);
    assert_eq!(check(&read(&text).unwrap(), &roster()).unwrap().outdated.len(), 0);
    let shown = without_armor(&text);
    assert!(shown.contains("(sealed, ") && !shown.contains(ARMOR_BEGIN), "{shown}");
}

#[test]
fn a_role_means_everyone_who_has_it_and_is_kept() {
    let text = sealed(&["role:writer"]);
    assert!(text.contains("sealed: [ada, ben, cy]\nsealed_for: [role:writer]\n"), "{text}");
    let envelope = read(&text).unwrap();
    assert_eq!(envelope.audience, audience(&["role:writer"], &roster()));
    assert_eq!(envelope.audience.to_string(), "`ada`, `ben`, `cy` (role:writer)");
    assert_eq!(audience(&["role:admin", "cy"], &roster()).readers.len(), 2);
}

#[test]
fn a_list_edited_by_hand_is_refused() {
    let two = sealed(&["ada", "ben"]);
    for (from, to) in [
        ("[ada, ben]", "[ada]"),
        ("[ada, ben]", "[ada, ben, cy]"),
        ("[ada, ben]", "[ada, cy]"),
        ("[ada, ben]", "[ada, ben]\nsealed_for: [\"role:writer\"]"),
    ] {
        let problem = read(&two.replace(from, to)).unwrap_err();
        assert!(matches!(problem, SealProblem::OtherReaders { .. }), "{to}: {problem}");
    }
    for (to, refused) in [
        ("sealed: true", SealProblem::List("sealed")),
        ("sealed: []", SealProblem::List("sealed")),
        ("sealed: [Ada]", SealProblem::List("sealed")),
        ("other: 1", SealProblem::Unnamed),
    ] {
        assert_eq!(read(&two.replace("sealed: [ada, ben]", to)).unwrap_err(), refused, "{to}");
    }
}

/// An age file as `age -R` writes it: nobody is named inside.
fn by_age(keys: &[u8], ids: &str) -> String {
    let recipients: Vec<age::ssh::Recipient> =
        keys.iter().map(|n| key(*n).public_key().to_string().parse().unwrap()).collect();
    let recipients = recipients.iter().map(|one| one as &dyn age::Recipient);
    armored(age::Encryptor::with_recipients(recipients).unwrap(), ids)
}

fn armored(encryptor: age::Encryptor, ids: &str) -> String {
    let armor = ArmoredWriter::wrap_output(Vec::new(), Format::AsciiArmor).unwrap();
    let mut writer = encryptor.wrap_output(armor).unwrap();
    writer.write_all(b"The text.\n").unwrap();
    let body = writer.finish().unwrap().finish().unwrap();
    let head = format!("---\nname: a\ndescription: b\ntype: project\nsealed: {ids}\n---\n");
    head + &String::from_utf8(body).unwrap()
}

#[test]
fn a_file_by_plain_age_is_checked_by_its_keys() {
    let hidden = |keys: &[u8], ids: &str| check(&read(&by_age(keys, ids)).unwrap(), &roster());
    assert_eq!(open(&by_age(&[1, 2], "[ada, ben]"), 2).unwrap().unwrap(), "The text.\n");
    assert!(hidden(&[1, 2], "[ada, ben]").is_ok());
    for (keys, ids) in [
        (&[1, 2][..], "[ada]"),
        (&[1], "[ada, ben]"),
        (&[1, 3], "[ada, ben]"),
        (&[1, 1], "[ada]"),
        (&[9], "[ada]"),
    ] {
        let problem = hidden(keys, ids).unwrap_err();
        assert!(matches!(problem, SealProblem::HiddenReaders(_)), "{keys:?} {ids}: {problem}");
    }
    let unknown = hidden(&[1], "[ada, dee]").unwrap_err();
    assert_eq!(unknown, SealProblem::UnknownReaders([id("dee")].into()));
    assert!(unknown.to_string().contains(&shown_ids(&[id("dee")])));
}

#[test]
fn other_ways_to_seal_are_refused_by_name() {
    let passphrase = age::secrecy::SecretString::from("x".to_owned());
    let by_passphrase = armored(age::Encryptor::with_user_passphrase(passphrase), "[ada]");
    assert_eq!(read(&by_passphrase), Err(SealProblem::Kind("scrypt".to_owned())));
    let anonymous = age::x25519::Identity::generate().to_public();
    let one = std::iter::once(&anonymous as &dyn age::Recipient);
    let by_identity = armored(age::Encryptor::with_recipients(one).unwrap(), "[ada]");
    assert_eq!(read(&by_identity), Err(SealProblem::Anonymous));
    let header = |text: &str| {
        let mut armor = ArmoredWriter::wrap_output(Vec::new(), Format::AsciiArmor).unwrap();
        armor.write_all(text.as_bytes()).unwrap();
        Header::read(&String::from_utf8(armor.finish().unwrap()).unwrap())
    };
    let version = SealProblem::Version("age-encryption.org/v2".to_owned());
    assert_eq!(header("age-encryption.org/v2\nwhat follows is unknown\n"), Err(version));
    let rsa = "age-encryption.org/v1\n-> ssh-rsa abcdef\nAAAA\n--- mac\n";
    assert_eq!(header(rsa), Err(SealProblem::Kind("ssh-rsa".to_owned())));
    assert!(matches!(header("not age at all\n"), Err(SealProblem::Damaged(_))));
}

#[test]
fn a_plain_text_is_not_taken_for_a_sealed_one() {
    let text = sealed(&["ada"]);
    let (head, armor) = text.split_at(text.find(ARMOR_BEGIN).unwrap());
    for body in [
        "The text.\n".to_owned(),
        String::new(),
        format!("The text.\n{armor}"),
        format!("{armor}The text.\n"),
    ] {
        assert_eq!(read(&format!("{head}{body}")), Err(SealProblem::Plain), "{body}");
    }
    let twice = SealProblem::Damaged("it holds two sealed texts");
    assert_eq!(read(&format!("{head}{armor}{armor}")), Err(twice));
    let huge = format!("{head}{ARMOR_BEGIN}\n{}\n{ARMOR_END}\n", "A".repeat(50_000_000));
    assert_eq!(read(&huge), Err(SealProblem::Damaged("it is far too large")));
}

#[test]
fn a_cut_or_altered_text_gives_an_error_and_nothing_of_the_text() {
    let text = sealed(&["ada"]);
    let start = text.find(ARMOR_BEGIN).unwrap();
    for end in (start + 10)..(text.len() - 1) {
        let found = open(&text[..end], 1);
        assert!(found.is_err() || end + 1 >= text.len(), "cut at {end}: {found:?}");
    }
    let inner = start + ARMOR_BEGIN.len() + 1..text.len() - ARMOR_END.len() - 3;
    for at in inner {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let Ok(altered) = String::from_utf8(bytes) else { continue };
        assert!(!matches!(open(&altered, 1), Ok(Some(_))), "altered at {at}");
    }
}

#[test]
fn a_renewed_key_is_outdated_and_not_hand_edited() {
    let mut roster = roster();
    let text = sealed(&["ada", "ben"]);
    roster.rotate(&id("ben"), key(7).public_key(), Day::parse("2026-01-31").unwrap()).unwrap();
    let standing = check(&read(&text).unwrap(), &roster).unwrap();
    assert_eq!(standing.outdated, [id("ben")].into());
    let again = sealed_in(&["ada", "ben"], &roster);
    assert!(check(&read(&again).unwrap(), &roster).unwrap().outdated.is_empty());
    assert_eq!(open(&again, 2).unwrap(), None);
    roster.remove(&id("ben")).unwrap();
    let gone = check(&read(&again).unwrap(), &roster);
    assert_eq!(gone, Err(SealProblem::UnknownReaders([id("ben")].into())));
}

#[test]
fn a_member_with_an_age_identity_opens_with_that() {
    let identity = age::x25519::Identity::generate();
    let recipient = AgeRecipient::parse(&identity.to_public().to_string()).unwrap();
    let mut roster = roster();
    let before = sealed(&["ada", "ben"]);
    roster.set_age(&id("ben"), Some(recipient)).unwrap();
    let standing = check(&read(&before).unwrap(), &roster).unwrap();
    assert_eq!(standing.outdated, [id("ben")].into());
    let text = sealed_in(&["ada", "ben"], &roster);
    let envelope = read(&text).unwrap();
    assert_eq!((envelope.header.tags.len(), envelope.header.anonymous), (1, 1));
    assert!(check(&envelope, &roster).unwrap().outdated.is_empty());
    assert_eq!(open(&text, 2).unwrap(), None);
    use age::secrecy::ExposeSecret as _;
    let keys = [ReadingKey::of_age(identity.to_string().expose_secret()).unwrap()];
    assert_eq!(open_with(&envelope, &keys).unwrap().unwrap().as_str(), "The text.\n");
    // Age keeps identities anonymous, but the names inside the file tell a swapped one.
    let swapped = read(&text.replace("[ada, ben]", "[ada, cy]"));
    assert!(matches!(swapped, Err(SealProblem::OtherReaders { .. })));
}

#[test]
fn nothing_is_sealed_for_nobody() {
    let none = Audience::resolve([Wanted::Member(id("dee"))].into(), &roster());
    assert_eq!(none, Err(SealProblem::Nobody));
    for bad in ["", "role:", "role:boss", "Ada", "a b"] {
        assert!(Wanted::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn no_header_makes_the_reader_panic() {
    let pieces = "(age-encryption.org/v1\n|-> |ssh-ed25519 |X25519 |scrypt |memsync-readers |AAAA|\n|---|[ -~]{0,70})";
    let text = proptest::string::string_regex(&format!("{pieces}{{0,12}}")).unwrap();
    let config = proptest::test_runner::Config { failure_persistence: None, ..Default::default() };
    let seed = proptest::test_runner::TestRng::deterministic_rng(
        proptest::test_runner::RngAlgorithm::ChaCha,
    );
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(config, seed);
    let result = runner.run(&text, |text| {
        let mut armor = ArmoredWriter::wrap_output(Vec::new(), Format::AsciiArmor).unwrap();
        armor.write_all(text.as_bytes()).unwrap();
        let armor = String::from_utf8(armor.finish().unwrap()).unwrap();
        drop(Header::read(&armor));
        drop(Header::read(&text));
        drop(without_armor(&(text + &armor)));
        Ok(())
    });
    result.unwrap();
}
