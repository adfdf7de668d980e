//! Signatures of a real team, judged by plain git and ssh-keygen with the file memsync writes.
//! Border: both hash algorithms; nothing of a person's git set-up is needed, and none disturbs.
#![expect(clippy::disallowed_methods, reason = "asks ssh-keygen for its verdict")]

use std::fs;
use std::process::Stdio;

use super::{key, team, team_of};
use crate::support::{Hash, Member, say};

/// Every commit of a member's history, as `git log --show-signature` judges it: `G` is good.
fn judged(member: &Member) -> Vec<String> {
    let said = member.git(&["log", "--format=%G? %GS %s"]);
    said.lines().map(str::to_owned).collect()
}

#[test]
fn git_accepts_the_whole_history_with_the_file_memsync_writes() {
    for hash in [Hash::Sha1, Hash::Sha256] {
        let team = team_of(hash);
        team.bob.remember("mine", "Bob's own.");
        team.bob.done(&["sync"]);
        for line in judged(&team.bob) {
            assert!(line.starts_with("G ada ") || line.starts_with("G bob "), "{line}");
        }
        for id in team.bob.git(&["rev-list", "HEAD"]).lines() {
            team.bob.git(&["verify-commit", id]);
        }
        let said = say(team
            .bob
            .command("git")
            .arg("-C")
            .arg(team.bob.team())
            .args(["log", "--show-signature"]));
        assert!(said.out.contains("Good \"git\" signature for bob"), "{said:?}");
    }
}

#[test]
fn ssh_keygen_verifies_a_commit_with_the_file_memsync_writes() {
    let team = team();
    team.bob.done(&["pull"]);
    let raw = team.hub.commit(team.tip()).unwrap().raw;
    let text = String::from_utf8(raw).unwrap();
    let (start, end) = (text.find("gpgsig ").unwrap(), text.find("\n\n").unwrap() + 1);
    let armor = text[start + "gpgsig ".len()..end].replace("\n ", "\n");
    let folder = team.world.path();
    fs::write(folder.join("sig"), armor).unwrap();
    fs::write(folder.join("payload"), [&text[..start], &text[end..]].concat()).unwrap();
    let signers = team.bob.team().join(".git/memsync/allowed_signers");
    let verify = |principal: &str| {
        let mut command = team.bob.command("ssh-keygen");
        command.current_dir(folder).args(["-Y", "verify", "-f"]).arg(&signers);
        command.args(["-I", principal, "-n", "git", "-s", "sig"]);
        command.stdin(Stdio::from(fs::File::open(folder.join("payload")).unwrap()));
        say(&mut command)
    };
    assert_eq!(verify("ada").exit, 0, "{:?}", verify("ada"));
    assert_ne!(verify("bob").exit, 0);
}

#[test]
fn history_of_a_removed_member_still_verifies_and_new_work_of_his_does_not() {
    let team = team();
    team.bob.remember("mine", "Bob's own.");
    team.bob.done(&["sync"]);
    team.ada.done(&["pull"]);
    team.ada.done(&["member", "remove", "bob"]);
    team.ada.done(&["push"]);
    let carol = team.world.newcomer("carol");
    carol.done(&["join", &team.world.address(), "--accept-introduction"]);
    for member in [&team.ada, &carol] {
        assert!(judged(member).iter().all(|line| line.starts_with("G ")), "{:?}", judged(member));
    }
    // Signed the day after: the same key, in its place, is not good any more.
    let later = team.by(&team.bob);
    let unsigned = String::from_utf8(team.unsigned(&later)).unwrap();
    let unsigned = unsigned.replace(" 1772600767 ", " 1772800767 ");
    let raw =
        memsync::trust::signature::sign_commit(&key(&team.world, &team.bob), unsigned.as_bytes());
    let id = team.move_to(team.store(&raw.unwrap()));
    carol.fails(&["pull"], 4, &["unknown-key", &id.short()]);
    carol.git(&["fetch", "-q", "origin"]);
    let git = |id: &str| {
        let mut command = carol.command("git");
        say(command.arg("-C").arg(carol.team()).args(["verify-commit", id]))
    };
    assert_ne!(git(&id.to_string()).exit, 0);
}

#[test]
fn a_persons_own_signing_set_up_neither_helps_nor_disturbs() {
    let team = team();
    let config = team.world.path().join("gitconfig");
    let text = "[commit]\n\tgpgsign = true\n[gpg]\n\tformat = openpgp\n\tprogram = /nonexistent/gpg\n\
                [user]\n\tname = Bob\n\tsigningkey = DEADBEEF\n[tag]\n\tgpgsign = true\n\
                [push]\n\tgpgsign = true\n[merge]\n\tverifySignatures = true\n";
    fs::write(&config, text).unwrap();
    for format in ["openpgp", "ssh", "x509"] {
        let bob = team.bob.with("GIT_CONFIG_GLOBAL", config.to_str().unwrap());
        fs::write(&config, text.replace("openpgp", format)).unwrap();
        bob.remember(&format!("with-{format}"), "text");
        bob.done(&["sync"]);
    }
    team.ada.done(&["pull"]);
    assert!(judged(&team.ada).iter().all(|line| line.starts_with("G ")), "{:?}", judged(&team.ada));
}
