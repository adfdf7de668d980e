//! Remotes that answer and do not let one in: a web page, read-only access, a protected branch.
//! Border: how single requests fail is `transport`; here it is what people are told and what helps.

use std::io::{Read, Write};
use std::net::TcpListener;

use super::states::{assert_no_echo, team};
use crate::servers::{Kind, git, start};
use crate::support::{Member, World};

#[test]
fn a_web_page_in_place_of_a_repository_is_told() {
    let world = World::new();
    let (ada, _) = team(&world);
    for end in ["", "\n"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/team/memory", listener.local_addr().unwrap());
        let page = format!("<html><title>Sign in</title></html>{end}");
        std::thread::spawn(move || serve(&listener, &page));
        ada.done(&["remote", "set", &address]);
        for command in ["pull", "push", "sync"] {
            ada.remember(&format!("{command}{}", end.len()), "Work.");
            let said = ada.fails(&[command], 3, &["web page", "memsync remote set URL"]);
            assert_no_echo(&said.err);
        }
        ada.fails(&["doctor"], 1, &["web page", "memsync remote set URL"]);
        let cem = world.newcomer("cem");
        let said = cem.fails(&["join", &address], 3, &["web page", "git clone"]);
        assert!(!said.err.contains("your changes are committed"), "nothing was: {said:?}");
        cem.fails(&["init", "--remote", &address], 3, &["web page"]);
        assert!(!cem.team().exists());
    }
    ada.done(&["remote", "set", &world.address()]);
    ada.done(&["push"]);
}

/// Answers every request with one page.
fn serve(listener: &TcpListener, page: &str) {
    for stream in listener.incoming().flatten() {
        let mut stream = stream;
        let mut request = [0; 4096];
        drop(stream.read(&mut request));
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
        drop(write!(stream, "{head}Content-Length: {}\r\n\r\n{page}", page.len()));
    }
}

#[test]
fn who_may_only_read_keeps_the_work_and_is_told_what_is_missing() {
    // Over HTTP the server says 403; over ssh a deploy key is told by the host's own words.
    let Some(server) = start(Kind::Http) else { return };
    let folder = tempfile::tempdir().unwrap();
    let ada = Member::below(folder.path(), "ada", server.variables());
    ada.done(&["init", "--open", "--remote", &server.url]);
    git(&server.hub, &["config", "http.receivepack", "false"]);
    ada.remember("ports", "8080 web");
    for command in ["push", "sync"] {
        let words = ["refused", "403", "write access", "Nothing is lost"];
        let said = ada.fails(&[command], 3, &words);
        assert_no_echo(&said.err);
    }
    ada.done(&["pull"]);
    assert!(ada.committed().contains_key("ports.md"));
    git(&server.hub, &["config", "http.receivepack", "true"]);
    ada.done(&["push"]);
}

#[test]
fn a_read_only_deploy_key_is_no_connection_problem() {
    let Some(server) = start(Kind::Ssh) else { return };
    let folder = tempfile::tempdir().unwrap();
    let ada = Member::below(folder.path(), "ada", server.variables());
    ada.done(&["init", "--open", "--remote", &server.url]);
    ada.remember("ports", "8080 web");
    // What GitHub and GitLab answer, in front of the real program.
    for words in [
        "ERROR: The key you are authenticating with has been marked as read only.",
        "remote: \nremote: ERROR: This deploy key does not have write access to this project.\nremote: ",
    ] {
        let refuse = folder.path().join("refuse");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *receive-pack*) printf '%s\\n' '{words}' >&2; exit 1;; esac\nexec {} \"$@\"\n",
            server.variables().iter().find(|(name, _)| name == "GIT_SSH_COMMAND").unwrap().1
        );
        crate::support::write_program(&refuse, &script);
        let reader = ada.with("GIT_SSH_COMMAND", refuse.to_str().unwrap());
        let said = reader.fails(&["push"], 3, &["refused", "write access", "Nothing is lost"]);
        assert!(!said.err.contains("cannot reach"), "{said:?}");
        reader.done(&["pull"]);
    }
    ada.done(&["push"]);
}

#[test]
fn a_protected_branch_offers_a_branch_that_works() {
    let world = World::new();
    let (ada, _) = team(&world);
    world.hook(
        "update",
        "#!/bin/sh\n[ \"$1\" = refs/heads/main ] && { echo 'GH006: Protected branch update failed' >&2; exit 1; }\nexit 0\n",
    );
    ada.remember("idea", "For review.");
    for command in ["push", "sync"] {
        let said = ada.fails(&[command], 3, &["Protected branch", "memsync push --branch NAME"]);
        assert_no_echo(&said.err);
    }
    ada.done(&["push", "--branch", "idea"]);
    assert_eq!(git(&world.hub(), &["rev-parse", "idea"]), ada.tip());
}
