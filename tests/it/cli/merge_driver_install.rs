//! `memsync hooks install --merge-driver`: plain git merges memories after one command.
//! Border: installing, showing and removing; what a merge gives is `merge_driver`.
#![expect(clippy::disallowed_methods, reason = "sets up repositories and runs plain git")]

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

const MEMORY: &str = ".claude/agent-memory/reviewer/MEMORY.md";
const BASE: &str = "- [Auth](auth.md) — tokens\n- [Build](build.md) — make\n";

/// A code repository with the memory of an agent in it.
struct Code {
    home: TempDir,
}

impl Code {
    fn new() -> Self {
        let code = Self { home: tempfile::tempdir().unwrap() };
        code.git(&["init", "-q", "-b", "main", "."]);
        code.write(MEMORY, BASE);
        code.write("notes.md", "one\n");
        code.commit("base");
        code
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.home.path().join(path)).unwrap()
    }

    fn commit(&self, message: &str) {
        assert_eq!(self.git(&["add", "-A"]).0, 0);
        assert_eq!(self.git(&["commit", "-q", "-m", message]).0, 0);
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(program);
        command.current_dir(self.home.path()).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Ada");
            command.env(format!("GIT_{role}_EMAIL"), "ada@example.com");
        }
        let output = command.env("HOME", self.home.path()).output().unwrap();
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        (output.status.code().unwrap(), String::from_utf8(said).unwrap())
    }

    fn git(&self, arguments: &[&str]) -> (i32, String) {
        self.run(Path::new("git"), arguments)
    }

    fn hooks(&self, arguments: &[&str]) -> (i32, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_memsync"));
        self.run(program, &[&["hooks"], arguments, &["--repo", "."]].concat())
    }

    /// Edits the index on `main` and, from its parent, on `theirs`; both insert at the same place.
    fn diverge(&self) {
        self.git(&["switch", "-q", "-c", "theirs"]);
        self.write(MEMORY, &format!("{BASE}- [Deploy](deploy.md) — by tag\n"));
        self.commit("theirs");
        self.git(&["switch", "-q", "main"]);
        self.write(MEMORY, &format!("{BASE}- [Lint](lint.md) — first\n"));
        self.commit("ours");
    }

    fn assert_merged(&self) {
        let merged = self.read(MEMORY);
        for line in
            BASE.lines().chain(["- [Deploy](deploy.md) — by tag", "- [Lint](lint.md) — first"])
        {
            assert_eq!(merged.matches(line).count(), 1, "{line} in\n{merged}");
        }
        assert_eq!(merged.lines().count(), 4, "{merged}");
    }
}

#[test]
fn after_one_command_merge_rebase_cherry_pick_and_stash_merge_by_meaning() {
    for way in ["merge", "rebase", "cherry-pick", "stash"] {
        let code = Code::new();
        let (exit, said) = code.hooks(&["install", "--merge-driver"]);
        assert_eq!(exit, 0, "{said}");
        code.diverge();
        let (exit, said) = match way {
            "stash" => {
                code.git(&["reset", "-q", "--mixed", "HEAD~1"]);
                code.git(&["stash", "-q"]);
                code.git(&["merge", "-q", "theirs"]);
                code.git(&["stash", "pop"])
            }
            way => code.git(&[way, "theirs"]),
        };
        assert_eq!(exit, 0, "{way}: {said}");
        code.assert_merged();
    }
}

#[test]
fn other_files_of_a_code_repository_are_left_to_git() {
    let code = Code::new();
    code.hooks(&["install", "--merge-driver"]);
    code.git(&["switch", "-q", "-c", "theirs"]);
    code.write("notes.md", "two\n");
    code.commit("theirs");
    code.git(&["switch", "-q", "main"]);
    code.write("notes.md", "three\n");
    code.commit("ours");
    let (exit, said) = code.git(&["merge", "theirs"]);
    assert_eq!(exit, 1, "{said}");
    assert!(code.read("notes.md").contains("<<<<<<<"));
}

#[test]
fn installing_twice_is_once_and_uninstalling_gives_every_byte_back() {
    let code = Code::new();
    let config = "# mine\n[alias]\n\tst = status ; short\n[merge \"other\"]\n\tdriver = false\n";
    let path = ".git/config";
    code.write(path, &format!("{}{config}", code.read(path)));
    code.write(".git/info/attributes", "*.png binary");
    let before = (code.read(path), code.read(".git/info/attributes"));
    assert!(code.hooks(&["status"]).1.contains("plain git"));

    code.hooks(&["install", "--merge-driver"]);
    let once = (code.read(path), code.read(".git/info/attributes"));
    let (exit, said) = code.hooks(&["install", "--merge-driver"]);
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("already in"), "{said}");
    assert_eq!((code.read(path), code.read(".git/info/attributes")), once);
    let (exit, said) = code.hooks(&["status"]);
    assert_eq!(exit, 0);
    assert!(said.contains("memsync merges"), "{said}");
    assert!(
        !code.home.path().join(".git/hooks/pre-commit").exists(),
        "only the driver was asked for"
    );

    let (exit, said) = code.hooks(&["uninstall"]);
    assert_eq!(exit, 0, "{said}");
    assert_eq!(code.read(path), before.0);
    assert_eq!(code.read(".git/info/attributes").trim_end(), before.1);
}

#[test]
fn a_driver_whose_program_is_gone_or_that_gets_no_files_is_told() {
    let code = Code::new();
    code.hooks(&["install", "--merge-driver"]);
    code.git(&["config", "merge.memsync.driver", "'/nowhere/memsync' merge-driver %O %A %B %P"]);
    let (exit, said) = code.hooks(&["status"]);
    assert_eq!(exit, 1);
    assert!(said.contains("is gone, install again"), "{said}");
    let (_, said) = code.hooks(&["install", "--merge-driver"]);
    assert!(said.contains("replaced in"), "{said}");
    fs::remove_file(code.home.path().join(".git/info/attributes")).unwrap();
    let (exit, said) = code.hooks(&["status", "--format", "json"]);
    assert_eq!(exit, 1);
    assert!(said.contains(r#""merge_driver": "no-attributes""#), "{said}");
}

#[test]
fn a_damaged_configuration_is_named_and_left_alone() {
    let code = Code::new();
    let broken = "[merge \"memsync\n";
    code.write(".git/config", broken);
    let (exit, said) = code.hooks(&["install", "--merge-driver"]);
    assert_ne!(exit, 0, "{said}");
    assert_eq!(code.read(".git/config"), broken);
}
