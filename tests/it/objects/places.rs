//! A verdict on a text is one for its place: what a list accepts at one path or in one commit is looked at
//! again where it is copied, moved or brought back.
//! Border: every mode of `scan` and the hooks; what gitleaks means by its keys is `secrets::gitleaks`.
#![expect(clippy::disallowed_methods, reason = "builds folders and runs plain git")]

use std::fs;
use std::path::Path;

use crate::hooks::{Scene, said};
use crate::servers::git;
use crate::support::token;

fn write(scene: &Scene, path: &str, text: &str) {
    let path = scene.repo().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn commit(scene: &Scene, message: &str) -> String {
    git(&scene.repo(), &["add", "-A"]);
    git(&scene.repo(), &["commit", "-q", "--no-verify", "-m", message]);
    git(&scene.repo(), &["rev-parse", "HEAD"])
}

fn scan(scene: &Scene, arguments: &[&str]) -> (i32, String) {
    let arguments = [&["scan"], arguments].concat();
    said(&scene.run(Path::new(env!("CARGO_BIN_EXE_memsync")), &arguments))
}

/// A list that accepts what is below `fixtures/` and nothing else, in each way there is.
const LISTS: [(&str, &str); 5] = [
    (".gitleaks.toml", "[extend]\nuseDefault = true\n[allowlist]\npaths = ['^fixtures/']\n"),
    (
        ".gitleaks.toml",
        "[[allowlists]]\ncondition = 'AND'\npaths = ['^fixtures/']\nregexes = ['.']\n",
    ),
    (
        ".gitleaks.toml",
        "[extend]\nuseDefault = true\n[[rules]]\nid = 'own'\nregex = 'ghp_\\w+'\n\
         [[rules.allowlists]]\npaths = ['^fixtures/']\n[[allowlists]]\ntargetRules = \
         ['RULE']\npaths = ['^fixtures/']\n",
    ),
    (".gitleaksignore", "fixtures/k.txt:RULE:1\nfixtures/deep/k.txt:RULE:1\n"),
    (".gitleaks.toml", "[[allowlists]]\npaths = ['^fixtures/', '^other/']\n"),
];

/// The name of the rule that finds the token.
fn rule() -> String {
    let scene = Scene::new();
    write(&scene, "a.txt", &format!("t {}\n", token()));
    let (_, found) = scan(&scene, &["--format", "json", "-q"]);
    let mut all = serde_json::Deserializer::from_str(&found).into_iter::<serde_json::Value>();
    all.next().unwrap().unwrap()["findings"][0]["rule"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_list_accepts_at_one_path_is_found_where_it_is_copied_or_moved_in_every_mode() {
    let rule = rule();
    for (file, list) in LISTS {
        let scene = Scene::new();
        let list = list.replace("RULE", &rule);
        write(&scene, file, &list);
        write(&scene, "fixtures/k.txt", &format!("t {}\n", token()));
        write(&scene, "fixtures/deep/k.txt", &format!("t {}\n", token()));
        let modes = |base: &str| {
            let range = format!("{base}..HEAD");
            let run = |arguments: &[&str]| scan(&scene, arguments);
            vec![
                ("range", run(&["--range", &range])),
                ("history", run(&["--history", "--no-cache"])),
                ("remembered history", run(&["--history"])),
                ("remembered history again", run(&["--history"])),
                ("files", run(&["."])),
            ]
        };
        let first = commit(&scene, "one");
        for (mode, (exit, text)) in modes("HEAD~0") {
            if mode != "range" {
                assert_eq!(exit, 0, "{mode} before, {list}: {text}");
            }
        }
        write(&scene, "src/k.txt", &format!("t {}\n", token()));
        git(&scene.repo(), &["add", "-A"]);
        let (exit, text) = scan(&scene, &["--staged"]);
        assert!(exit == 1 && text.contains("src/k.txt"), "staged, {list}: {text}");
        commit(&scene, "copy");
        for (mode, (exit, text)) in modes("HEAD~1") {
            assert!(exit == 1 && text.contains("src/k.txt"), "{mode} of a copy, {list}: {text}");
            assert!(!text.contains("fixtures/"), "{mode} of a copy, {list}: {text}");
        }
        git(&scene.repo(), &["rm", "-q", "src/k.txt"]);
        commit(&scene, "away");
        git(&scene.repo(), &["mv", "fixtures/k.txt", "moved.txt"]);
        git(&scene.repo(), &["mv", "fixtures/deep", "moved"]);
        let (exit, text) = scan(&scene, &["--staged"]);
        assert!(exit == 1 && text.contains("moved"), "staged move, {list}: {text}");
        commit(&scene, "move");
        for (mode, (exit, text)) in modes("HEAD~1") {
            for name in ["moved.txt", "moved/k.txt"] {
                assert!(exit == 1 && text.contains(name), "{mode} of a move, {list}: {text}");
            }
        }
        let (exit, text) = scan(&scene, &["--range", &format!("{first}..HEAD~2")]);
        assert!(exit == 1 && text.contains("src/k.txt"), "{list}: {text}");
    }
}

#[test]
fn without_lists_that_look_at_paths_a_text_is_one_wherever_it_stands() {
    let scene = Scene::new();
    for path in ["a/k.txt", "b/k.txt"] {
        write(&scene, path, &format!("t {}\n", token()));
    }
    commit(&scene, "one");
    let (exit, text) = scan(&scene, &["--history", "--no-cache", "--format", "json", "-q"]);
    assert_eq!((exit, text.matches("\"fingerprint\"").count()), (1, 1), "{text}");
}

/// The file and text of a list that names a commit and a rule.
type List = fn(&str, &str) -> (&'static str, String);

#[test]
fn what_a_list_accepts_in_one_commit_is_found_in_another_that_brings_it_back() {
    let lists: [List; 4] = [
        |id, _| (".gitleaks.toml", format!("[allowlist]\ncommits = ['{id}']\n")),
        |id, _| {
            let list = "[[allowlists]]\ncondition = 'AND'\npaths = ['^k.txt$']\n";
            (".gitleaks.toml", format!("{list}commits = ['{id}']\n"))
        },
        |id, _| {
            let list = "[[allowlists]]\ncondition = 'AND'\npaths = ['^other/']\n";
            (".gitleaks.toml", format!("{list}commits = ['{id}']\n"))
        },
        |id, rule| (".gitleaksignore", format!("{id}:k.txt:{rule}:1\n")),
    ];
    let rule = rule();
    for (number, list) in lists.into_iter().enumerate() {
        let accepts = number != 2;
        let scene = Scene::new();
        write(&scene, "readme.txt", "nothing\n");
        commit(&scene, "zero");
        write(&scene, "k.txt", &format!("t {}\n", token()));
        let leak = commit(&scene, "one");
        let (file, text) = list(&leak, &rule);
        write(&scene, file, &text);
        let modes = |range: &str| {
            [
                scan(&scene, &["--range", range]),
                scan(&scene, &["--history", "--no-cache"]),
                scan(&scene, &["--history"]),
                scan(&scene, &["--history"]),
            ]
        };
        for (exit, said) in modes("HEAD~1..HEAD") {
            assert_eq!(exit, i32::from(!accepts), "{text}: {said}");
        }
        fs::remove_file(scene.repo().join("k.txt")).unwrap();
        commit(&scene, "two");
        for (exit, said) in &modes("HEAD~1..HEAD")[1..] {
            assert_eq!(*exit, i32::from(!accepts), "{text}: {said}");
        }
        write(&scene, "k.txt", &format!("t {}\n", token()));
        // Before a commit nothing says that it is the one that the list names.
        git(&scene.repo(), &["add", "-A"]);
        assert_eq!(scan(&scene, &["--staged"]).0, 1, "{text}");
        commit(&scene, "back");
        for (exit, said) in modes("HEAD~1..HEAD") {
            assert!(exit == 1 && said.contains("k.txt"), "{text}: {said}");
        }
    }
}

#[test]
fn a_push_hook_judges_each_commit_by_the_lists_that_name_commits() {
    let scene = Scene::new();
    let hub = scene.folder.path().join("hub.git");
    fs::create_dir(&hub).unwrap();
    git(&hub, &["init", "-q", "--bare", "-b", "main", "."]);
    git(&scene.repo(), &["remote", "add", "origin", hub.to_str().unwrap()]);
    assert_eq!(scene.hooks(&["install"]).0, 0);
    write(&scene, "k.txt", &format!("t {}\n", token()));
    let leak = commit(&scene, "one");
    fs::remove_file(scene.repo().join("k.txt")).unwrap();
    write(&scene, ".gitleaks.toml", &format!("[allowlist]\ncommits = ['{leak}']\n"));
    commit(&scene, "accept");
    let (exit, text) = scene.git(&["push", "-q", "origin", "main"]);
    assert_eq!(exit, 0, "{text}");
    write(&scene, "k.txt", &format!("t {}\n", token()));
    commit(&scene, "back");
    fs::remove_file(scene.repo().join("k.txt")).unwrap();
    commit(&scene, "away");
    let (exit, text) = scene.git(&["push", "-q", "origin", "main"]);
    assert!(exit != 0 && text.contains("k.txt"), "{text}");
}

#[test]
fn a_key_that_gitleaks_does_not_have_refuses_with_file_and_line() {
    let scene = Scene::new();
    write(&scene, "a.txt", "nothing\n");
    write(&scene, ".gitleaks.toml", "[[allowlists]]\ncondition = 'AND'\npath = ['x']\n");
    let (exit, text) = scan(&scene, &["."]);
    assert!(exit == 2 && text.contains(".gitleaks.toml:3") && text.contains("`path`"), "{text}");
}
