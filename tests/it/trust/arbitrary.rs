//! Laws over arbitrary input: nothing panics, no altered commit is good, what is written reads back.
//! Border: the named cases are beside the code and in `git`.

use memsync::trust::commit::Commit;
use memsync::trust::key::{PublicKey, SigningKey};
use memsync::trust::request::MemberRequest;
use memsync::trust::roster::Roster;
use memsync::trust::signature::{sign_commit, verify, verify_commit};
use memsync::trust::trailers::Trailers;
use proptest::prelude::{Just, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::strategy::Strategy;
use zeroize::Zeroizing;

fn signed() -> Vec<u8> {
    let unsigned = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
        parent 5b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
        author Ann <ann@example.org> 1700000000 +0100\n\
        committer Ann <ann@example.org> 1700000000 -0330\n\nsubject\n\nMemsync-Ref: refs/heads/main\n";
    let key = SigningKey::from_seed(&Zeroizing::new([1; 32]));
    sign_commit(&key, unsigned.as_bytes()).unwrap()
}

/// Bytes that are often nearly a commit: pieces of headers, armor and noise.
fn nearly_a_commit() -> impl Strategy<Value = Vec<u8>> {
    let whole = String::from_utf8(signed()).unwrap();
    let lines: Vec<Vec<u8>> = whole.split_inclusive('\n').map(|line| line.into()).collect();
    let line = prop_oneof![
        4 => prop::sample::select(lines),
        1 => prop::collection::vec(any::<u8>(), 0..20),
        1 => Just(b"gpgsig -----BEGIN SSH SIGNATURE-----\n".to_vec()),
        1 => Just(b"\n".to_vec()),
    ];
    prop::collection::vec(line, 0..20).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn no_reader_panics(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "\\PC*|(?s).*") {
        drop(verify_commit(&bytes));
        drop(verify(&text, "git", &bytes));
        drop(Trailers::parse(&text));
        drop(Trailers::parse(&format!("s\n\nMemsync-Ref: {text}")));
        drop(Roster::parse(&text));
        drop(PublicKey::parse(&text));
        drop(MemberRequest::parse(&text, "ab".repeat(20).parse().unwrap()));
    }

    #[test]
    fn pieces_of_a_signed_commit_are_good_only_when_whole(bytes in nearly_a_commit()) {
        let whole = signed();
        prop_assert!(verify_commit(&bytes).is_err() || bytes == whole);
        if let Ok(commit) = Commit::parse(&bytes) {
            prop_assert!(bytes.ends_with(commit.message.as_bytes()));
        }
    }

    #[test]
    fn any_change_to_a_signed_commit_is_refused(at in any::<prop::sample::Index>(), put in any::<u8>()) {
        let whole = signed();
        let mut twin = whole.clone();
        *at.get_mut(&mut twin) = put;
        prop_assert!(twin == whole || verify_commit(&twin).is_err());
    }

    #[test]
    fn a_composed_message_reads_back_whatever_its_text(
        message in "(?s).{0,80}", agent in "(?s).{0,40}", vouch in any::<bool>(),
    ) {
        let vouches = if vouch { vec!["ab".repeat(20).parse().unwrap()] } else { Vec::new() };
        let trailers = Trailers { agent: Some(agent), vouches: vouches.clone(), ..Trailers::default() };
        let composed = trailers.compose(&message);
        let read = Trailers::parse(&composed).unwrap();
        prop_assert_eq!(read.vouches, vouches);
        prop_assert_eq!(read.store, None);
        let again = Trailers { agent: read.agent.clone(), ..Trailers::default() }.compose(&message);
        prop_assert_eq!(Trailers::parse(&again).unwrap().agent, read.agent);
    }
}
