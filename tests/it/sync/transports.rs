//! The same team story over every transport with a real server behind it.
//! Border: single requests and their failures are `transport`.

use crate::servers::{KINDS, Server, git, start};
use crate::support::Member;
use crate::support::check::{assert_sound, assert_untouched, entries_for};

fn member(server: &Server, folder: &std::path::Path, name: &str) -> Member {
    Member::below(folder, name, server.variables())
}

#[test]
fn two_members_share_over_file_http_with_a_password_and_ssh() {
    for kind in KINDS {
        let Some(server) = start(kind) else { continue };
        let folder = tempfile::tempdir().unwrap();
        let (ada, bob) =
            (member(&server, folder.path(), "ada"), member(&server, folder.path(), "bob"));
        ada.done(&["init", "--open", "--remote", &server.url]);
        ada.remember("ports", "8080 web");
        ada.done(&["push"]);
        bob.done(&["join", &server.url]);
        for round in 0..2 {
            ada.remember(&format!("a{round}"), "By Ada.");
            bob.remember(&format!("b{round}"), "By Bob.");
            ada.edit("ports.md", |text| format!("{text}- 9{round}00 Ada\n"));
            bob.edit("ports.md", |text| format!("{text}- 9{round}01 Bob\n"));
            for who in [&ada, &bob, &ada] {
                who.done(&["sync"]);
            }
        }
        assert_eq!(ada.files(), bob.files(), "{kind:?}");
        for path in ["a0.md", "b0.md", "a1.md", "b1.md"] {
            assert_eq!(entries_for(&ada.read("MEMORY.md"), path), 1, "{kind:?}");
        }
        for line in ["- 9000 Ada", "- 9001 Bob", "- 9100 Ada", "- 9101 Bob"] {
            assert_eq!(ada.read("ports.md").matches(line).count(), 1, "{kind:?}");
        }
        assert_untouched(&ada);
        assert_untouched(&bob);
        assert_sound(&server.hub);
        assert_eq!(git(&server.hub, &["rev-parse", "main"]), ada.tip(), "{kind:?}");
    }
}

#[test]
fn a_wrong_password_or_key_keeps_the_work_and_says_which_credential_is_missing() {
    for kind in KINDS {
        let Some(mut server) = start(kind) else { continue };
        if kind == crate::servers::Kind::File {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let ada = member(&server, folder.path(), "ada");
        ada.done(&["init", "--open", "--remote", &server.url]);
        ada.remember("ports", "8080 web");
        let stranger = server.wrong_variables().iter().fold(ada.clone(), |m, (k, v)| m.with(k, v));
        stranger.fails(&["push"], 3, &["missing or wrong", "next:", "Nothing is lost"]);
        assert!(ada.committed().contains_key("ports.md"));
        ada.done(&["push"]);
        server.stop();
        ada.remember("later", "x");
        ada.fails(&["push"], 3, &["cannot reach", "next:"]);
    }
}
