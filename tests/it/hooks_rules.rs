//! Hooks in a code repository: its rules, lists and gitleaks files count as in `memsync scan --staged`.
//! Border: what is new for a hook to judge is `hooks_run`; what the files mean is `cli::scan`.
#![expect(clippy::disallowed_methods, reason = "sets up repositories as plain git users do")]

use std::fs;

use crate::hooks::{Scene, said};
use crate::hooks_run::{assert_refused, commit, token, with_hub, write};
use crate::servers::git;

const BADGE: &str = "[[rule]]\nid = 'acme-badge'\ndescription = 'Acme badge number'\nkeywords = ['badge-']\n\
                     pattern = 'badge-[0-9]{6}'\nexamples = ['badge-{digit:6}']\n";

const ALL_PATHS: &str = "[[allowlists]]\npaths = ['''.*''']\n";

/// Files by path.
type Files<'a> = &'a [(&'a str, &'a str)];

/// A repository with one commit and the hooks.
fn scene() -> Scene {
    let scene = Scene::new();
    write(&scene, "a.txt", "a\n");
    commit(&scene, "one");
    assert_eq!(scene.hooks(&["install"]).0, 0);
    scene
}

fn staged_scan(scene: &Scene) -> i32 {
    said(&scene.run(env!("CARGO_BIN_EXE_memsync"), &["scan", "--staged"])).0
}

fn tip(scene: &Scene) -> String {
    git(&scene.repo(), &["rev-parse", "HEAD"])
}

fn stage(scene: &Scene) {
    git(&scene.repo(), &["add", "-A"]);
}

/// The fingerprint of the token, as the hook tells it.
fn print(said: &str) -> String {
    said.split("scan allow ").nth(1).unwrap()[..32].to_owned()
}

#[test]
fn what_the_repository_accepts_or_adds_counts_before_a_commit_as_in_a_scan() {
    let leak = format!("key: {}\n", token());
    let entry = {
        let scene = scene();
        write(&scene, "b.txt", &leak);
        stage(&scene);
        let (_, said) = scene.git(&["commit", "-m", "x"]);
        format!("- fingerprint: {}\n  reason: a sample\n", print(&said))
    };
    let own_rule = "[[rules]]\nid = 'mine'\nregex = '''badge-[0-9]{6}'''\n";
    let based = "[extend]\npath = 'config/base.toml'\n";
    let table: [(Files<'_>, &str, bool); 9] = [
        (&[], &leak, false),
        (&[(".memsync/allow.yaml", &entry)], &leak, true),
        (&[(".gitleaksignore", "b.txt:aws-access-key-id:1\n")], &leak, true),
        (&[(".gitleaksignore", "b.txt:aws-access-key-id:2\n")], &leak, false),
        (&[(".gitleaks.toml", "[[allowlists]]\npaths = ['''^b\\.txt$''']\n")], &leak, true),
        (&[(".gitleaks.toml", own_rule)], "badge-483920\n", false),
        (&[(".gitleaks.toml", based), ("config/base.toml", own_rule)], "badge-483920\n", false),
        (&[(".memsync/rules.toml", BADGE)], "badge-483920\n", false),
        (&[], "badge-483920\n", true),
    ];
    for (files, text, passes) in table {
        let scene = scene();
        for (path, text) in files {
            write(&scene, path, text);
        }
        write(&scene, "b.txt", text);
        git(&scene.repo(), &["add", "b.txt"]);
        let before = tip(&scene);
        let (code, said) = scene.git(&["commit", "-m", "x"]);
        assert_eq!(code == 0, passes, "{files:?}: {said}");
        assert_eq!(tip(&scene) != before, passes, "{files:?}");
        assert!(!said.contains(&token()[4..10]), "{said}");
        if !passes {
            assert_eq!(staged_scan(&scene), 1, "{files:?}");
        }
    }
}

#[test]
fn a_broken_file_refuses_with_file_and_line_and_nothing_is_committed() {
    let table = [
        (".memsync/rules.toml", BADGE.replace("{6}'", "{6'"), "rules.toml:2"),
        (".memsync/allow.yaml", "- fingerprint: x\n  resaon: y\n".to_owned(), "line 2"),
        (".gitleaksignore", "\nnonsense\n".to_owned(), "line 2"),
        (".gitleaks.toml", "[[rules]]\nid = 'x'\nregex = '''(open'''\n".to_owned(), "toml:3"),
        (".gitleaks.toml", "[[rules]\n".to_owned(), "line 1"),
        (".gitleaks.toml", "[extend]\npath = 'gone.toml'\n".to_owned(), "toml:2"),
    ];
    for (path, text, place) in table {
        let scene = scene();
        let before = tip(&scene);
        write(&scene, "b.txt", "nothing of note\n");
        write(&scene, path, &text);
        let refuses = |what: &str| {
            let (code, said) = scene.git(&["commit", "-m", "x"]);
            let name = path.rsplit('/').next().unwrap();
            assert!(code != 0 && said.contains(name) && said.contains(place), "{what}: {said}");
            assert_eq!(tip(&scene), before, "{what}");
        };
        git(&scene.repo(), &["add", "b.txt"]);
        refuses("in the work tree");
        // Staged and gone from the work tree again: it would be in force after the commit.
        stage(&scene);
        fs::remove_file(scene.repo().join(path)).unwrap();
        refuses("staged");
    }
}

#[test]
fn what_is_only_staged_exempts_nothing() {
    for (path, text) in
        [(".gitleaks.toml", ALL_PATHS), (".gitleaksignore", "b.txt:aws-access-key-id:1\n")]
    {
        let scene = scene();
        write(&scene, "b.txt", &format!("key: {}\n", token()));
        write(&scene, path, text);
        stage(&scene);
        fs::remove_file(scene.repo().join(path)).unwrap();
        assert_refused(&scene.git(&["commit", "-m", "x"]), "aws-access-key-id");
    }
}

#[test]
fn an_exemption_that_comes_with_the_commit_is_said() {
    let scene = scene();
    write(&scene, "b.txt", &format!("key: {}\n", token()));
    write(&scene, ".gitleaks.toml", ALL_PATHS);
    stage(&scene);
    let (code, said) = scene.git(&["commit", "-m", "x"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("b.txt:1:") && said.contains("only because `.gitleaks.toml`"), "{said}");
    assert!(!said.contains(&token()[4..10]), "{said}");
    // From then on it is what the team has.
    write(&scene, "c.txt", &format!("key: {}\n", token()));
    stage(&scene);
    let (code, said) = scene.git(&["commit", "-m", "x"]);
    assert!(code == 0 && !said.contains("only because"), "{said}");
}

#[test]
fn a_push_is_judged_by_the_files_of_its_tip_on_both_ends() {
    let (scene, hub) = with_hub();
    write(&scene, "a.txt", "a\n");
    commit(&scene, "one");
    assert_eq!(scene.hooks(&["install"]).0, 0);
    assert_eq!(scene.git(&["push", "-u", "origin", "main"]).0, 0);
    write(&scene, "b.txt", &format!("key: {}\n", token()));
    commit(&scene, &format!("uses {}", token()));
    let refused = scene.git(&["push", "origin", "main"]);
    assert_refused(&refused, "aws-access-key-id");
    // What the hook advises is enough: nobody has to rewrite the commit before.
    let fingerprint = print(&refused.1);
    let allow = ["scan", "allow", &fingerprint, "--reason", "a sample"];
    assert_eq!(said(&scene.run(env!("CARGO_BIN_EXE_memsync"), &allow)).0, 0);
    assert_refused(&scene.git(&["push", "origin", "main"]), "aws-access-key-id");
    commit(&scene, "accept");
    git(&scene.repo(), &["branch", "strict", "HEAD~1"]);
    assert_eq!(scene.hooks(&["install", "--repo", hub.to_str().unwrap()]).0, 0);
    for skip in [&["--no-verify"][..], &[]] {
        // A ref beside it whose commit accepts nothing is judged by its own files.
        let both = [&["push"], skip, &["origin", "strict", "main"]].concat();
        assert_refused(&scene.git(&both), "aws-access-key-id");
    }
    let (code, text) = scene.git(&["push", "origin", "main"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("only because `.memsync/allow.yaml`"), "{text}");

    write(&scene, ".memsync/rules.toml", &BADGE.replace("{6}'", "{6'"));
    commit(&scene, "broken");
    for skip in [&["--no-verify"][..], &[]] {
        let push = [&["push"], skip, &["origin", "main"]].concat();
        assert_refused(&scene.git(&push), "rules.toml:2");
    }
    write(&scene, ".memsync/rules.toml", BADGE);
    write(&scene, "c.txt", "badge-483920\n");
    commit(&scene, "found by a rule of one's own");
    for skip in [&["--no-verify"][..], &[]] {
        let push = [&["push"], skip, &["origin", "main"]].concat();
        assert_refused(&scene.git(&push), "acme-badge");
    }
}

#[test]
fn a_configuration_that_no_commit_can_hold_refuses_the_push() {
    let (scene, _hub) = with_hub();
    assert_eq!(scene.hooks(&["install"]).0, 0);
    write(&scene, "../outside.toml", ALL_PATHS);
    write(&scene, ".gitleaks.toml", "[extend]\npath = '../outside.toml'\n");
    write(&scene, "b.txt", "nothing of note\n");
    stage(&scene);
    assert_refused(&scene.git(&["commit", "-m", "x"]), "outside the repository");
    commit(&scene, "by force");
    assert_refused(&scene.git(&["push", "origin", "main"]), "outside the repository");
    fs::remove_file(scene.repo().join(".gitleaks.toml")).unwrap();
    std::os::unix::fs::symlink("../outside.toml", scene.repo().join(".gitleaks.toml")).unwrap();
    commit(&scene, "a link");
    assert_refused(&scene.git(&["push", "origin", "main"]), "no regular file");
}
