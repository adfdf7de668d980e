//! A leak is purged where the server has the hook of memsync, or rules of its own.
//! Border: what a purge does to a history is `renew`; here it is who must do what before it can.
#![expect(clippy::disallowed_methods, reason = "hooks find the program in the path")]

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::host::{Team, team};
use crate::servers::git;
use crate::support::check::assert_agreed;
use crate::support::{Member, Said};

const LEAKED: &str = "heliotrope-seventeen";

/// `memsync purge` of the value, confirmed.
fn purge(member: &Member) -> Said {
    let mut command = member.program();
    command.args(["purge", "--stdin", "--yes"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{LEAKED}").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said {
        exit: output.status.code().unwrap(),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

/// A team whose history holds the value; the members' programs find memsync for hooks.
fn leaked() -> Team {
    let Team { world, ada, bob, eve, hub, root } = team();
    let program = Path::new(env!("CARGO_BIN_EXE_memsync")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let (ada, bob) = (ada.with("PATH", &path), bob.with("PATH", &path));
    ada.remember("word", &format!("The code word is {LEAKED}."));
    ada.done(&["push"]);
    ada.remember("word", "The code word is in the vault.");
    ada.done(&["push"]);
    bob.done(&["pull"]);
    Team { world, ada, bob, eve, hub, root }
}

fn introduction(member: &Member) -> String {
    member.json(&["status"])["introduction"].as_str().unwrap().to_owned()
}

#[test]
fn a_purge_at_a_server_with_the_hook_says_what_to_do_and_that_works() {
    let Team { world, ada, bob, .. } = leaked();
    let hub = world.address();
    let install = |introduction: &str| {
        let hook = ["hooks", "install", "--repo", &hub, "--introduction", introduction];
        ada.done(&[&hook[..], &["pre-receive"]].concat());
    };
    install(&introduction(&ada));
    let before = git(&world.hub(), &["rev-parse", "main"]);
    let said = purge(&ada);
    assert_eq!(said.exit, 3, "{said:?}");
    for text in ["the hook of memsync", "Nothing was replaced", "hooks uninstall", "hooks install"]
    {
        assert!(said.err.contains(text), "{text}: {said:?}");
    }
    assert!(said.err.lines().count() <= 3 && !said.err.contains("pull request"), "{said:?}");
    assert_eq!(git(&world.hub(), &["rev-parse", "main"]), before);
    ada.done(&["hooks", "uninstall", "--repo", &hub]);
    let said = purge(&ada);
    assert_eq!(said.exit, 0, "{said:?}");
    install(&introduction(&ada));
    // The hook holds to the new history: who follows may push.
    bob.remember("mine", "Kept.");
    bob.fails(&["push"], 4, &["accept-rewrite"]);
    bob.done(&["accept-rewrite", "--yes"]);
    bob.done(&["push"]);
    ada.done(&["pull"]);
    assert!(ada.has("mine.md"));
    assert_agreed(&world, &[&ada, &bob]);
    bob.fails(&["accept-rewrite", "--yes"], 1, &["was not rewritten", "memsync pull"]);
}

#[test]
fn a_purge_at_a_server_that_takes_no_forced_push_says_so() {
    let Team { world, ada, .. } = leaked();
    git(&world.hub(), &["config", "receive.denyNonFastForwards", "true"]);
    let said = purge(&ada);
    assert_eq!(said.exit, 3, "{said:?}");
    assert!(said.err.contains("forced pushes") && !said.err.contains("pull request"), "{said:?}");
    git(&world.hub(), &["config", "receive.denyNonFastForwards", "false"]);
    assert_eq!(purge(&ada).exit, 0);
}
