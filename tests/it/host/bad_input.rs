//! Each kind of bad commit, published by a host, is refused by the rule that names its fault.
//! Border: commits and what they hold; hostile trees and names are `sync::hostile` and `paths`.
#![expect(clippy::disallowed_methods, reason = "a host damages its own files")]

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memsync::trust::signature::sign;

use super::{Forged, key, team, team_of};
use crate::support::{Hash, memory, say};

/// Bob's signed change as text, and its signature header.
fn signed(team: &super::Team) -> (String, String) {
    let text = String::from_utf8(team.raw(&team.by(&team.bob))).unwrap();
    let (start, end) = (text.find("gpgsig").unwrap(), text.find("\n\n").unwrap() + 1);
    let header = text[start..end].to_owned();
    (text, header)
}

/// Publishes altered bytes, which must be refused by a rule.
fn altered(team: &super::Team, rule: &str, change: impl Fn(&str, &str) -> String) {
    let good = team.tip();
    let (text, header) = signed(team);
    let changed = change(&text, &header);
    assert_ne!(changed, text, "{rule}");
    let bad = team.move_to(team.store(changed.as_bytes()));
    team.refuses(bad, rule);
    team.move_to(good);
}

/// Puts an armored signature into an unsigned commit.
fn with_armor(unsigned: &str, armor: &str) -> String {
    let folded = armor.trim_end().replace('\n', "\n ");
    unsigned.replacen("\n\n", &format!("\ngpgsig {folded}\n\n"), 1)
}

/// Armors a signature blob as ssh-keygen does.
fn armored(blob: &[u8]) -> String {
    let text = STANDARD.encode(blob);
    let lines: Vec<&str> =
        text.as_bytes().chunks(70).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let (begin, end) = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----");
    format!("{begin}\n{}\n{end}\n", lines.join("\n"))
}

/// The blob inside an armored signature.
fn blob(armor: &str) -> Vec<u8> {
    let lines: String = armor.lines().filter(|line| !line.starts_with("-----")).collect();
    STANDARD.decode(lines).unwrap()
}

/// Replaces a length-prefixed string in a blob.
fn replaced(blob: &[u8], from: &str, to: &str) -> Vec<u8> {
    let string = |text: &str| {
        [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat()
    };
    let (from, to) = (string(from), string(to));
    let at = blob.windows(from.len()).position(|part| part == from).unwrap();
    [&blob[..at], &to, &blob[at + from.len()..]].concat()
}

#[test]
fn a_signature_of_another_namespace_is_refused() {
    let team = team();
    let unsigned = String::from_utf8(team.unsigned(&team.by(&team.bob))).unwrap();
    let armor = sign(&key(&team.world, &team.bob), "file", unsigned.as_bytes()).unwrap();
    let bad = team.move_to(team.store(with_armor(&unsigned, &armor).as_bytes()));
    team.refuses(bad, "signature-namespace");
}

#[test]
fn a_second_or_junk_signature_header_is_refused() {
    let team = team();
    altered(&team, "signature-twice", |text, header| {
        text.replacen("\n\nnote", &format!("\n{header}\nnote"), 1)
    });
    altered(&team, "signature-twice", |text, _| {
        text.replacen("\n\nnote", "\ngpgsig junk\n\nnote", 1)
    });
    altered(&team, "commit-extra-header", |text, _| {
        text.replacen("\n\nnote", "\nx-junk junk\n\nnote", 1)
    });
}

#[test]
fn a_signature_header_of_the_other_hash_is_refused_in_both_kinds_of_repository() {
    for (hash, foreign) in [(Hash::Sha1, "gpgsig-sha256"), (Hash::Sha256, "gpgsig")] {
        altered(&team_of(hash), "signature-other-hash", |text, _| {
            text.replacen("\n\nnote", &format!("\n{foreign} junk\n\nnote"), 1)
        });
    }
}

#[test]
fn a_signature_header_in_another_place_does_not_even_arrive() {
    // Of this twin git's own check says that the author is missing; `verify-commit` says "Good".
    let team = team();
    let (text, header) = signed(&team);
    let moved = text.replacen(&header, "", 1).replacen("author ", &format!("{header}author "), 1);
    team.move_to(team.store(moved.as_bytes()));
    team.bob.fails(&["pull"], 4, &["git's own check refuses", "next:"]);
    assert!(!team.bob.has("evil.md"));
}

#[test]
fn a_signature_over_another_hash_is_refused() {
    for (from, to, rule) in
        [("sha512", "sha1", "signature-hash"), ("sha512", "sha256", "signature-mismatch")]
    {
        let team = team();
        let unsigned = String::from_utf8(team.unsigned(&team.by(&team.bob))).unwrap();
        let armor = sign(&key(&team.world, &team.bob), "git", unsigned.as_bytes()).unwrap();
        let armor = armored(&replaced(&blob(&armor), from, to));
        let bad = team.move_to(team.store(with_armor(&unsigned, &armor).as_bytes()));
        team.refuses(bad, rule);
    }
}

#[test]
fn a_signature_by_another_kind_of_key_is_refused() {
    let team = team();
    let unsigned = String::from_utf8(team.unsigned(&team.by(&team.bob))).unwrap();
    let folder = team.world.path();
    fs::write(folder.join("payload"), &unsigned).unwrap();
    for arguments in [
        &["-q", "-t", "ecdsa", "-N", "", "-f", "other"][..],
        &["-q", "-Y", "sign", "-f", "other", "-n", "git", "payload"],
    ] {
        let said = say(team.eve.command("ssh-keygen").current_dir(folder).args(arguments));
        assert_eq!(said.exit, 0, "{said:?}");
    }
    let armor = fs::read_to_string(folder.join("payload.sig")).unwrap();
    let bad = team.move_to(team.store(with_armor(&unsigned, &armor).as_bytes()));
    team.refuses(bad, "signature-key-type");
}

#[test]
fn a_pgp_signature_is_refused_as_such() {
    let team = team();
    let unsigned = String::from_utf8(team.unsigned(&team.by(&team.bob))).unwrap();
    let pgp =
        ["-----BEGIN PGP", " SIGNATURE-----\n\nAAAA\n-----END PGP", " SIGNATURE-----"].concat();
    let bad = team.move_to(team.store(with_armor(&unsigned, &pgp).as_bytes()));
    team.refuses(bad, "signature-not-ssh");
}

#[test]
fn a_changed_commit_under_an_old_signature_is_refused() {
    let team = team();
    altered(&team, "signature-mismatch", |text, _| text.replacen("note: add", "note: Add", 1));
    altered(&team_of(Hash::Sha256), "signature-mismatch", |text, _| {
        text.replacen("bob@", "ada@", 1)
    });
    altered(&team, "commit-encoding", |text, header| {
        text.replacen(header, &format!("encoding UTF-8\n{header}"), 1)
    });
}

#[test]
fn a_revoked_key_is_refused() {
    let team = team();
    let roster = team.file(".memsync/roster.yaml");
    let (before, bobs) = roster.split_once("id: bob").unwrap();
    let added = bobs.find("added:").unwrap();
    let line = bobs[added..].lines().next().unwrap();
    let indent = bobs[..added].rsplit('\n').next().unwrap();
    let revoked = format!("{line}\n{indent}revoked: \"2026-03-04\"");
    let text = format!("{before}id: bob{}", bobs.replacen(line, &revoked, 1));
    team.publish(&team.by(&team.ada).edit(".memsync/roster.yaml", Some(text)));
    team.refused(&team.by(&team.bob), "revoked-key");
}

#[test]
fn a_roster_edited_by_a_writer_and_one_that_is_gone_are_refused() {
    let promoted = |team: &super::Team| {
        Some(team.file(".memsync/roster.yaml").replacen("role: writer", "role: admin", 1))
    };
    let team = team();
    let good = team.tip();
    let forged = team.by(&team.bob).edit(".memsync/roster.yaml", promoted(&team));
    team.refused(&forged, "not-allowed");
    for path in [".memsync/policy.yaml", ".memsync/roster.yaml"] {
        team.move_to(good);
        team.refused(&team.by(&team.ada).edit(path, None), "roster-removed");
    }
    team.move_to(good);
    let open = team.file(".memsync/policy.yaml").replacen("roster", "open", 1);
    team.refused(&team.by(&team.bob).edit(".memsync/policy.yaml", Some(open)), "not-allowed");
    team.move_to(good);
    let attributes = Some("* text\n".to_owned());
    team.refused(&team.by(&team.bob).edit(".gitattributes", attributes), "not-allowed");
}

#[test]
fn forged_trailers_are_refused() {
    let team = team();
    let good = team.tip();
    let mut forged = team.by(&team.bob);
    forged.trailers = team.by(&team.ada).trailers;
    team.refused(&forged, "other-member");
    for (line, rule) in [
        ("Memsync-Ref: refs/heads/main", "trailer-twice"),
        ("memsync-member: ada", "trailer-line"),
        ("Memsync-Member ada", "trailer-line"),
        ("Memsync-Vouch: 12", "trailer-value"),
    ] {
        team.move_to(good);
        let unsigned = String::from_utf8(team.unsigned(&team.by(&team.bob))).unwrap();
        let unsigned = format!("{unsigned}{line}\n");
        let key = key(&team.world, &team.bob);
        let raw = memsync::trust::signature::sign_commit(&key, unsigned.as_bytes()).unwrap();
        let bad = team.move_to(team.store(&raw));
        team.refuses(bad, rule);
    }
}

#[test]
fn a_vouch_by_a_writer_is_refused() {
    let team = team();
    let bad = team.publish(&Forged { signer: None, ..team.by(&team.bob) });
    let mut vouch = team.by(&team.bob).edit("more.md", Some(memory("more", "text")));
    vouch.trailers.vouches = vec![bad];
    team.publish(&vouch);
    team.bob.fails(&["pull"], 4, &["(unsigned)", &bad.short()]);
    assert!(!team.bob.has("evil.md") && !team.bob.has("more.md"));
}

#[test]
fn a_commit_that_is_too_large_is_refused() {
    let team = team();
    let mut forged = team.by(&team.bob);
    forged.subject = format!("note\n\n{}", "word ".repeat(220_000));
    let unsigned = team.unsigned(&forged);
    let bad = team.move_to(team.store(&unsigned));
    team.refuses(bad, "commit-size");
}

#[test]
fn names_with_escapes_or_html_are_shown_harmless() {
    let team = team();
    let mut forged = team.by(&team.bob);
    forged.author = "\u{1b}[31mBob\u{1b}[0m \u{202e}<script>alert(1)</script".to_owned();
    forged.author += " <bob@example.com>";
    forged.subject = "note\u{1b}]0;owned\u{7}".to_owned();
    let raw = team.raw(&Forged { author: "Bob <bob@example.com>".to_owned(), ..forged.clone() });
    team.move_to(team.store(&raw));
    let said =
        [team.bob.done(&["pull"]), team.bob.done(&["log"]), team.bob.done(&["show", "evil"])];
    for said in said {
        let all = format!("{}{}", said.out, said.err);
        assert!(!all.contains('\u{1b}') && !all.contains('\u{7}') && !all.contains('\u{202e}'));
    }
}

#[test]
fn truncated_objects_are_refused_and_nothing_is_lost() {
    let team = team();
    let bad = team.publish(&team.by(&team.bob)).to_string();
    let file = team.world.hub().join("objects").join(&bad[..2]).join(&bad[2..]);
    let whole = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    team.bob.remember("mine", "Bob's own.");
    let before = team.bob.tip();
    let said = team.bob.run(&["pull"]);
    assert_eq!(said.exit, 3, "{said:?}");
    assert!(said.err.contains("next:"), "{said:?}");
    assert!(team.bob.has("mine.md") && !team.bob.has("evil.md"));
    assert_eq!(team.bob.git(&["merge-base", &before, "HEAD"]), before);
    fs::remove_file(&file).unwrap();
    fs::write(&file, whole).unwrap();
    team.bob.done(&["sync"]);
    assert!(team.bob.has("evil.md"));
}
