//! `memsync index`: what it shows, when it exits 1, and that writing touches `MEMORY.md` only.
//! Border: how it speaks; how an index is read and reconciled is `index` and `reconcile`.
#![expect(
    clippy::disallowed_methods,
    reason = "this test starts the built program and writes samples"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::index::real_indexes;

/// Runs `memsync index` in a folder; gives exit code, stdout, stderr.
fn memsync(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_memsync"))
        .arg("index")
        .args(args)
        .current_dir(folder)
        .env_remove("MEMSYNC_MEMDIR")
        .output()
        .unwrap();
    let text = |raw: Vec<u8>| String::from_utf8(raw).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(folder: &Path, args: &[&str]) -> (i32, Value) {
    let (exit, out, err) = memsync(folder, &[args, &["--format", "json"]].concat());
    assert_eq!(err, "");
    (exit, serde_json::from_str(&out).unwrap())
}

/// A throw-away folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let below = files(&path).into_iter();
            found.extend(below.map(|(file, content)| (format!("{name}/{file}"), content)));
        } else {
            found.insert(name, fs::read(path).unwrap());
        }
    }
    found
}

const KILN: &str = "---\nname: Kiln\ndescription: fires at noon\ntype: project\n---\nBody.\n";

#[test]
fn check_exits_1_until_write_has_shown_and_made_the_changes() {
    let index = "# Index\n\n- [Gone](gone.md) — x\n- [A](a.md) — y\n- [A](a.md) — y\n\nEnd\n";
    let dir = folder(&[("MEMORY.md", index), ("a.md", KILN), ("kiln.md", KILN)]);
    let changes = "= line 5: a.md [A] — y (stands twice)\n\
                   + line 5: kiln.md [Kiln] — fires at noon (nothing led to it)\n";
    let note = "MEMORY.md:3:1: warning: no file is there for `gone.md` (index-dangling)\n";
    let (exit, out, err) = memsync(dir.path(), &["--check", "."]);
    assert_eq!((exit, out), (1, format!("{changes}{note}")));
    assert!(
        err.contains("2 changes needed") && err.contains("next: Run `memsync index --write`"),
        "{err}"
    );
    assert_eq!(fs::read_to_string(dir.path().join("MEMORY.md")).unwrap(), index);

    let (exit, out, err) = memsync(dir.path(), &["--write", "."]);
    assert_eq!((exit, out), (0, format!("{changes}{note}")));
    assert!(err.contains("2 changes written"), "{err}");
    let written = "# Index\n\n- [Gone](gone.md) — x\n- [A](a.md) — y\n- [Kiln](kiln.md) — fires at noon\n\nEnd\n";
    assert_eq!(fs::read_to_string(dir.path().join("MEMORY.md")).unwrap(), written);
    assert_eq!(files(dir.path()).len(), 3);
    assert_eq!(memsync(dir.path(), &["--check", "."]).0, 0);
    assert_eq!(memsync(dir.path(), &["--write", "."]).1, note);
}

#[test]
fn the_team_folder_of_the_memory_directory_is_the_default() {
    let dir = folder(&[
        ("memory/MEMORY.md", ""),
        ("memory/team/MEMORY.md", "- [K](k.md)\n"),
        ("memory/team/k.md", KILN),
    ]);
    let (exit, out, _) = memsync(dir.path(), &["--memdir", "memory"]);
    assert_eq!((exit, out.as_str()), (0, "1: k.md [K]\n"));
    assert_eq!(memsync(dir.path(), &["-C", "memory", "team"]).1, out);
    // The index above leaves memories to the index of their folder.
    assert_eq!(memsync(dir.path(), &["--check", "memory"]).0, 0);
}

#[test]
fn json_says_all_of_it() {
    let dir = folder(&[
        ("MEMORY.md", "# I\n- [A](a.md): y\n"),
        ("a.md", KILN),
        ("b.md", "---\nname: b\ndescription: c: d\n---\n"),
    ]);
    let (exit, found) = json(dir.path(), &["--check", "."]);
    assert_eq!(exit, 1);
    assert_eq!(found["format"], "memsync.index/1");
    assert_eq!(
        found["entries"],
        serde_json::json!([{"target": "a.md", "title": "A", "hook": "y", "line": 2}])
    );
    assert_eq!(
        (&found["other_lines"], &found["reconciled"], &found["written"]),
        (&1.into(), &false.into(), &false.into())
    );
    assert_eq!(found["size"], serde_json::json!({"lines": 2, "characters": 19}));
    let added = serde_json::json!([{"change": "added", "entry": {"target": "b.md", "title": "b", "hook": "", "line": 3}}]);
    assert_eq!(found["changes"], added);
    assert_eq!(
        (&found["problems"][0]["file"], &found["problems"][0]["rule"]),
        (&"b.md".into(), &"yaml-colon".into())
    );
    assert_eq!(found["problems"][0]["position"], serde_json::json!({"line": 3, "column": 15}));
}

#[test]
fn every_real_index_comes_out_as_expected() {
    let Some(cases) = real_indexes() else { return };
    for case in fs::read_dir(cases).unwrap() {
        let case = case.unwrap().path();
        let Ok(expected) = fs::read_to_string(case.join("expected.json")) else { continue };
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let (exit, mut found) = json(&case, &["."]);
        for entry in found["entries"].as_array_mut().unwrap() {
            entry.as_object_mut().unwrap().remove("line");
        }
        assert_eq!(exit, 0, "{case:?}");
        assert_eq!(found["entries"], expected["entries"], "{case:?}");
        assert_eq!(found["other_lines"], expected["other_lines"], "{case:?}");
    }
}

#[test]
fn odd_topic_files_are_reported_and_never_rewritten() {
    let Some(cases) = real_indexes() else { return };
    let table = [
        (
            "058-topic-frontmatter-forms",
            vec!["bare.md:1:1 frontmatter-missing", "both.md:4:7 type-twice"],
        ),
        (
            "059-topic-invalid-yaml",
            vec![
                "colon.md:3:27 yaml-colon",
                "hash.md:3:38 value-cut",
                "quote.md:2:14 yaml-text-after-quote",
                "tick.md:3:14 yaml-backtick",
            ],
        ),
        (
            "061-topic-other-kinds",
            vec![
                "d.md:4:7 kind-unknown",
                "none.md:1:1 name-missing",
                "none.md:1:1 type-missing",
                "p.md:4:7 kind-unknown",
            ],
        ),
    ];
    for (case, expected) in table {
        let mut before = files(&cases.join(case));
        // Without entries every topic file is read for one, and the index alone is written.
        before.insert("MEMORY.md".to_owned(), b"# Index\n".to_vec());
        let dir = tempfile::tempdir().unwrap();
        before
            .iter()
            .for_each(|(file, content)| fs::write(dir.path().join(file), content).unwrap());
        let (exit, found) = json(dir.path(), &["--write", "."]);
        let problems: Vec<String> = found["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| {
                format!(
                    "{}:{}:{} {}",
                    p["file"], p["position"]["line"], p["position"]["column"], p["rule"]
                )
                .replace('"', "")
            })
            .collect();
        assert_eq!(
            (exit, problems),
            (0, expected.iter().map(|text| (*text).to_owned()).collect()),
            "{case}"
        );
        let mut after = files(dir.path());
        assert_ne!(after.remove("MEMORY.md"), before.remove("MEMORY.md"));
        assert_eq!(after, before, "{case}");
        assert_eq!(memsync(dir.path(), &["--check", "."]).0, 0, "{case}");
    }
}

#[test]
fn what_an_agent_never_sees_is_named_and_fails_the_check() {
    let names: Vec<String> = (0..201).map(|n| format!("n{n:03}.md")).collect();
    let line = |name: &String| format!("- [x]({name}) — y\n");
    let index: String = names.iter().map(line).collect();
    let hidden = format!("---\nkind: index\n---\n<!-- not\ncounted -->\n{index}");
    let all: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), KILN)).collect();
    let dir = folder(&[&all[..], &[("MEMORY.md", hidden.as_str())]].concat());
    let (exit, out, err) = memsync(dir.path(), &["--check", "."]);
    assert_eq!(exit, 1);
    assert!(out.contains("MEMORY.md:206:1: error: an agent loads 200 lines and 25000 characters; this index has 201"), "{out}");
    assert!(err.contains("warning: an agent never sees: n200.md"), "{err}");
    fs::remove_file(dir.path().join("n200.md")).unwrap();
    fs::write(dir.path().join("MEMORY.md"), names[..200].iter().map(line).collect::<String>())
        .unwrap();
    assert_eq!(memsync(dir.path(), &["--check", "."]).0, 0);
}

#[test]
fn folders_and_files_that_an_entry_means_are_found_on_disk() {
    let index = "- [pics](pics/)\n- [empty](empty/)\n- [odd](con.md)\n- [none](none/)\n";
    let dir = folder(&[("MEMORY.md", index), ("pics/a.png", "x"), ("con.md", KILN)]);
    fs::create_dir(dir.path().join("empty")).unwrap();
    let note = "MEMORY.md:4:1: warning: no file is there for `none/` (index-dangling)\n";
    assert_eq!(memsync(dir.path(), &["--check", "."]).1, note);
}

#[test]
fn bad_folders_and_files_get_an_error_with_a_next_step() {
    let dir = folder(&[("empty/x.txt", ""), ("raw/a.md", KILN)]);
    fs::write(dir.path().join("raw/MEMORY.md"), [0xFF, b'\n']).unwrap();
    let table: [(&[&str], i32, &str); 5] = [
        (&["no-such"], 2, "no-such"),
        (&["empty"], 2, "holds neither `MEMORY.md` nor a memory"),
        (&["--write", "raw"], 1, "not valid UTF-8"),
        (&["--check", "--write", "raw"], 2, "cannot be used with"),
        (&["--memdir", "empty"], 2, "team"),
    ];
    for (args, exit, text) in table {
        let (code, out, err) = memsync(dir.path(), args);
        assert_eq!((code, out.as_str()), (exit, ""), "{args:?}");
        assert!(err.contains(text), "{args:?}: {err}");
    }
    assert_eq!(fs::read(dir.path().join("raw/MEMORY.md")).unwrap(), [0xFF, b'\n']);
}

#[cfg(unix)]
#[test]
fn a_symlinked_index_is_neither_read_nor_written() {
    let dir = folder(&[("outside.md", "- [A](a.md)\n"), ("m/a.md", KILN)]);
    std::os::unix::fs::symlink("../outside.md", dir.path().join("m/MEMORY.md")).unwrap();
    let (exit, _, err) = memsync(dir.path(), &["--write", "m"]);
    assert_eq!(exit, 1);
    assert!(err.contains("symbolic link"), "{err}");
}
