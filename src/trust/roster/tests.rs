//! What a roster file accepts and how its operations keep it usable.
//! Border: tests of the parent module.

use zeroize::Zeroizing;

use super::*;
use crate::trust::key::SigningKey;

fn key(n: u8) -> PublicKey {
    SigningKey::from_seed(&Zeroizing::new([n; 32])).public_key()
}

fn id(text: &str) -> MemberId {
    MemberId::parse(text).unwrap()
}

fn day() -> Day {
    Day::parse("2026-01-31").unwrap()
}

fn member(name: &str, role: Role, n: u8) -> Member {
    let keys = vec![MemberKey { key: key(n), device: None, added: Some(day()), revoked: None }];
    Member { id: id(name), name: format!("Name of {name}"), role, keys, age: None }
}

fn team() -> Roster {
    let members = vec![
        member("wim", Role::Writer, 2),
        member("ann", Role::Admin, 1),
        member("rea", Role::Reader, 3),
    ];
    Roster::from_members(members).unwrap()
}

#[test]
fn a_roster_reads_back_whatever_the_names() {
    let mut roster = team();
    for (n, name) in [
        "null", "true", "1.5", "~", "- a", "a: b", "#x", "\"q\"", "é部", "'", "!t", "&a", "{", "%",
        "a #b",
    ]
    .iter()
    .enumerate()
    {
        let mut odd = member(&format!("odd{n}"), Role::Reader, 20 + n as u8);
        odd.name = (*name).to_owned();
        roster.add(odd).unwrap();
    }
    roster.add(member("1234", Role::Writer, 60)).unwrap();
    roster.add(member("null", Role::Writer, 61)).unwrap();
    let text = roster.render();
    assert_eq!(Roster::parse(&text), Ok(roster), "{text}");
}

#[test]
fn the_order_of_the_file_does_not_matter_to_the_rendering() {
    let mut members = team().members().to_vec();
    members.reverse();
    assert_eq!(Roster::from_members(members).unwrap().render(), team().render());
}

#[test]
fn a_roster_written_by_hand_is_read() {
    let text = format!(
        "# the team\nformat: memsync.roster/1\nmembers:\n- id: ann\n  name: Ann\n  role: admin\n  keys:\n  - key: {} ann@laptop\n    added: 2026-01-31\n",
        key(1)
    );
    let roster = Roster::parse(&text).unwrap();
    assert_eq!(roster.holder(&key(1)).unwrap().0.id, id("ann"));
    assert_eq!(roster.holder(&key(2)), None);
}

#[test]
fn what_is_not_understood_refuses_the_whole_file() {
    let good = team().render();
    let with = |from: &str, to: &str| Roster::parse(&good.replacen(from, to, 1)).is_err();
    assert!(!with("zzz", "yyy"));
    assert!(with("role: writer", "role: owner"));
    assert!(with("role: writer", "role: Writer"));
    assert!(with("id: wim", "id: ann"));
    assert!(with("id: wim", "id: W"));
    assert!(with("id: wim", "id: wim\n    extra: 1"));
    assert!(with("roster/1", "roster/2"));
    assert!(with("2026-01-31", "2026-1-31"));
    assert!(with("2026-01-31", "2026-02-31"));
    assert!(with("Name of wim", "\"a\\u202Eb\""));
    assert!(with("role: writer", "role: writer\n    role: admin"));
    assert!(with(&key(2).to_string(), &key(1).to_string()));
    assert!(with("ssh-ed25519", "ssh-rsa"));
    for text in ["", "[]", "members: []", "format: memsync.roster/1", "\0", "&a [*a]"] {
        assert!(Roster::parse(text).is_err(), "{text:?}");
    }
    assert_eq!(
        Roster::parse(&" ".repeat(ROSTER_BYTES_MAX + 1)),
        Err(RosterProblem::TooMany("bytes"))
    );
}

#[test]
fn the_last_admin_cannot_be_removed_demoted_or_locked_out() {
    let mut roster = team();
    let last = Err(RosterProblem::LastAdmin(id("ann")));
    assert_eq!(roster.remove(&id("ann")).map(|_| ()), last);
    assert_eq!(roster.set_role(&id("ann"), Role::Writer), last);
    assert_eq!(roster.revoke(&key(1), day()), last);
    roster.set_role(&id("wim"), Role::Admin).unwrap();
    roster.remove(&id("ann")).unwrap();
    assert!(roster.has_admin() && roster.member(&id("ann")).is_none());
    assert_eq!(roster.remove(&id("ann")), Err(RosterProblem::Unknown(id("ann"))));
}

#[test]
fn rotation_revokes_every_earlier_key_and_keeps_it_listed() {
    let mut roster = team();
    roster.rotate(&id("ann"), key(9), day()).unwrap();
    assert!(roster.holder(&key(1)).unwrap().1.revoked.is_some());
    assert!(roster.holder(&key(9)).unwrap().1.revoked.is_none());
    let twice = roster.clone().rotate(&id("ann"), key(2), day());
    assert!(matches!(twice, Err(RosterProblem::KeyTwice { .. })));
    assert_eq!(RosterChange::between(&team(), &roster), RosterChange::OwnKeys(id("ann")));
    assert_eq!(RosterChange::between(&roster, &team()), RosterChange::Other, "a key came back");
}

#[test]
fn an_addition_that_collides_changes_nothing() {
    let mut roster = team();
    assert!(matches!(roster.add(member("wim", Role::Reader, 8)), Err(RosterProblem::IdTwice(_))));
    assert!(matches!(
        roster.add(member("new", Role::Reader, 2)),
        Err(RosterProblem::KeyTwice { .. })
    ));
    assert_eq!(roster, team());
    roster.add(member("new", Role::Reader, 8)).unwrap();
    assert_eq!(RosterChange::between(&team(), &roster), RosterChange::Other);
}

#[test]
fn an_id_is_suggested_from_a_name_or_an_address() {
    let suggest = |text| MemberId::suggest(text).map(|id| id.to_string());
    assert_eq!(suggest("Ann O'Neil <3"), Some("ann-o-neil-3".to_owned()));
    assert_eq!(suggest("ann.b@example.org"), Some("ann-b".to_owned()));
    assert_eq!(suggest("部署"), None);
}
