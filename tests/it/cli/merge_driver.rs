//! `memsync merge-driver` under plain git: merge and rebase, in a team memory and elsewhere.
//! Border: what git and the program do together; what the merge gives is `merge`.
#![expect(clippy::disallowed_methods, reason = "sets up repositories and runs plain git")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const INDEX: &str = "- [Auth](auth.md) — tokens\n- [Build](build.md) — make\n";
const POLICY: &str = "format: memsync.policy/1\ntrust: open\n";

/// A repository whose Markdown is merged by the built program.
struct Repository {
    folder: TempDir,
}

impl Repository {
    /// Commits the files on `main`, then one change on each of two branches.
    fn new(base: &[(&str, &str)], ours: (&str, &str), theirs: (&str, &str)) -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.git(&["init", "-q", "-b", "main", "."]);
        repository.write(".gitattributes", "* -text\n*.md merge=memsync\n");
        base.iter().for_each(|(path, text)| repository.write(path, text));
        repository.commit("base");
        repository.git(&["switch", "-q", "-c", "theirs"]);
        repository.write(theirs.0, theirs.1);
        repository.commit("theirs");
        repository.git(&["switch", "-q", "main"]);
        repository.write(ours.0, ours.1);
        repository.commit("ours");
        repository
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Runs git with the driver configured; gives the exit code and all that was said.
    fn git(&self, arguments: &[&str]) -> (i32, String) {
        fs::create_dir_all(self.path()).unwrap();
        let driver = format!(
            "merge.memsync.driver='{}' merge-driver %O %A %B %P",
            env!("CARGO_BIN_EXE_memsync")
        );
        let mut git = Command::new("git");
        git.current_dir(self.path()).args([
            "-c",
            &driver,
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=a@example.com",
        ]);
        git.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = git.env("HOME", self.folder.path()).output().unwrap();
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        (output.status.code().unwrap(), String::from_utf8(said).unwrap())
    }
}

#[test]
fn plain_merge_and_rebase_merge_an_index_by_entry() {
    let ours = INDEX.replace("- [Build](build.md) — make\n", "- [Lint](lint.md) — first\n");
    let theirs = format!("{INDEX}- [Cache](cache.md) — warm\n");
    for verb in [&["merge", "-q", "--no-edit", "theirs"][..], &["rebase", "-q", "theirs"][..]] {
        let path = ".claude/agent-memory/MEMORY.md";
        let repository = Repository::new(&[(path, INDEX)], (path, &ours), (path, &theirs));
        let (exit, said) = repository.git(verb);
        assert_eq!(exit, 0, "{said}");
        assert_eq!(
            repository.read(path),
            "- [Auth](auth.md) — tokens\n- [Cache](cache.md) — warm\n- [Lint](lint.md) — first\n"
        );
    }
}

#[test]
fn outside_a_team_memory_an_open_difference_is_gits_conflict_without_markers() {
    let repository = Repository::new(
        &[("notes/x.md", "in 5 minutes\n")],
        ("notes/x.md", "in 10 minutes\n"),
        ("notes/x.md", "in 5 hours\n"),
    );
    let (exit, said) = repository.git(&["merge", "-q", "--no-edit", "theirs"]);
    assert_eq!(exit, 1, "{said}");
    assert!(
        said.contains("the two sides differ in the body")
            && said.contains("git show :3:notes/x.md"),
        "{said}"
    );
    assert_eq!(repository.read("notes/x.md"), "in 5 hours\n");
    assert_eq!(repository.git(&["show", ":2:notes/x.md"]).1, "in 10 minutes\n");
}

#[test]
fn in_a_team_memory_it_is_a_record_and_the_merge_goes_on() {
    let base = [("x.md", "in 5 minutes\n"), (".memsync/policy.yaml", POLICY)];
    let repository = Repository::new(&base, ("x.md", "in 10 minutes\n"), ("x.md", "in 5 hours\n"));
    let (exit, said) = repository.git(&["merge", "-q", "--no-edit", "theirs"]);
    assert_eq!(exit, 0, "{said}");
    let records: Vec<_> =
        fs::read_dir(repository.path().join(".memsync/conflicts")).unwrap().collect();
    assert_eq!(records.len(), 1);
    let record = fs::read_to_string(records[0].as_ref().unwrap().path()).unwrap();
    assert!(record.contains("in 10 minutes") && said.contains("memsync resolve"), "{record}{said}");
}

#[test]
fn a_file_that_is_no_memory_is_left_to_a_person() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["o", "a", "b"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let run = |path: &str, here: &Path| {
        let mut memsync = Command::new(env!("CARGO_BIN_EXE_memsync"));
        let output = memsync.current_dir(here).args([
            "merge-driver",
            "o",
            "a",
            "b",
            path,
            "--marker-size",
            "7",
        ]);
        output.output().unwrap().status.code().unwrap()
    };
    assert_eq!(run("main.rs", folder.path()), 1);
    assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "a");
    assert_eq!(run("x.md", folder.path()), 1);
    assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "b");
}
