//! Git hooks in real repositories: put beside a person's own hooks, run by plain git, undone byte for byte.
//! Border: the text of the block is tested in `sync::githooks::script`.
#![expect(clippy::disallowed_methods, reason = "sets up repositories and runs plain git")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::servers::git;

/// A hook of a person that tells that it ran and what it was given.
const OWN: &str =
    "#!/bin/sh\nexec sh -c 'cat > own-input; echo \"$@\" > own-arguments' own \"$@\"\n";

/// A repository with its own home, so that no configuration of this machine counts.
pub(crate) struct Scene {
    pub(crate) folder: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scene = Self { folder };
        fs::create_dir(scene.repo()).unwrap();
        fs::create_dir(scene.temp()).unwrap();
        git(&scene.repo(), &["init", "--quiet", "--initial-branch=main", "."]);
        scene
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// Where programs put temporary files.
    pub(crate) fn temp(&self) -> PathBuf {
        self.folder.path().join("temp")
    }

    pub(crate) fn hook(&self, name: &str) -> PathBuf {
        self.repo().join(".git/hooks").join(name)
    }

    pub(crate) fn write_hook(&self, name: &str, text: &str, mode: u32) {
        fs::create_dir_all(self.hook(name).parent().unwrap()).unwrap();
        fs::write(self.hook(name), text).unwrap();
        fs::set_permissions(self.hook(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Runs a program in the repository, in an environment of its own.
    pub(crate) fn run(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Output {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.repo()).args(arguments).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.folder.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("TMPDIR", self.temp());
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Ada");
            command.env(format!("GIT_{role}_EMAIL"), "ada@example.com");
        }
        command.output().unwrap()
    }

    /// Runs `memsync hooks …`, for this repository unless another is named; gives the exit code and
    /// everything that was said.
    pub(crate) fn hooks(&self, arguments: &[&str]) -> (i32, String) {
        let here: &[&str] = if arguments.contains(&"--repo") { &[] } else { &["--repo", "."] };
        let arguments = [&["hooks"], arguments, here].concat();
        said(&self.run(env!("CARGO_BIN_EXE_memsync"), &arguments))
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> (i32, String) {
        said(&self.run("git", arguments))
    }

    /// Every file below `.git/hooks` with its bytes and mode.
    fn all_hooks(&self) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
        let entries = fs::read_dir(self.repo().join(".git/hooks")).into_iter().flatten().flatten();
        let read = |path: PathBuf| {
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            (path.clone(), (fs::read(path).unwrap(), mode))
        };
        entries.map(|entry| read(entry.path())).collect()
    }
}

pub(crate) fn said(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn installing_keeps_a_persons_hook_and_uninstalling_leaves_no_residue() {
    let scene = Scene::new();
    scene.write_hook("pre-commit", OWN, 0o755);
    let before = scene.all_hooks();
    let (code, text) = scene.hooks(&["install"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("added to") && text.contains("created"), "{text}");
    let installed = scene.all_hooks();
    assert_eq!(scene.hooks(&["install"]).0, 0);
    assert_eq!(scene.all_hooks(), installed, "a second time changes nothing");
    let (code, text) = scene.hooks(&["status"]);
    assert_eq!((code, text.matches("memsync runs").count()), (0, 2), "{text}");
    assert_eq!(scene.hooks(&["uninstall"]).0, 0);
    assert_eq!(scene.all_hooks(), before);
}

#[test]
fn without_a_team_memory_it_is_about_the_repository_one_is_in() {
    let scene = Scene::new();
    let memsync = |arguments: &[&str]| {
        said(&scene.run(env!("CARGO_BIN_EXE_memsync"), &[&["hooks"], arguments].concat()))
    };
    let (code, text) = memsync(&["install"]);
    assert!(code == 0 && scene.hook("pre-commit").exists(), "{text}");
    assert!(memsync(&["status"]).1.contains("memsync runs"));
    assert_eq!(memsync(&["uninstall"]).0, 0);
    assert!(!scene.hook("pre-commit").exists());
}

#[test]
fn a_repository_without_hooks_has_none_afterwards() {
    let scene = Scene::new();
    fs::remove_dir_all(scene.repo().join(".git/hooks")).unwrap();
    assert_eq!(scene.hooks(&["install"]).0, 0);
    assert_eq!(scene.all_hooks().len(), 2);
    assert_eq!(scene.hooks(&["uninstall"]).0, 0);
    assert!(!scene.repo().join(".git/hooks").exists());
}

#[test]
fn hooks_path_is_never_taken_over() {
    let scene = Scene::new();
    let outside = scene.folder.path().join("shared-hooks");
    fs::create_dir(&outside).unwrap();
    git(&scene.repo(), &["config", "core.hooksPath", outside.to_str().unwrap()]);
    for arguments in [&["install"][..], &["install", "--hooks-path"]] {
        let (code, text) = scene.hooks(arguments);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains("core.hooksPath"), "{text}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);

    fs::create_dir(scene.repo().join(".githooks")).unwrap();
    git(&scene.repo(), &["config", "core.hooksPath", ".githooks"]);
    assert_eq!(scene.hooks(&["install"]).0, 2);
    let (code, text) = scene.hooks(&["install", "--hooks-path"]);
    assert_eq!(code, 0, "{text}");
    assert!(scene.repo().join(".githooks/pre-commit").exists());
    assert_eq!(scene.hooks(&["uninstall"]).0, 0);
    assert_eq!(fs::read_dir(scene.repo().join(".githooks")).unwrap().count(), 0);
    assert_eq!(git(&scene.repo(), &["config", "core.hooksPath"]), ".githooks");
}

#[test]
fn status_tells_when_a_block_does_not_run() {
    let scene = Scene::new();
    assert_eq!(scene.hooks(&["install", "pre-commit"]).0, 0);
    let made = fs::read_to_string(scene.hook("pre-commit")).unwrap();
    let hidden = made.replacen("#!/bin/sh\n", "#!/bin/sh\nexec true\n", 1);
    let gone = made.replacen(env!("CARGO_BIN_EXE_memsync"), "/nonexistent/memsync", 1);
    for (text, mode, state) in [
        (&made, 0o644, "not executable"),
        (&hidden, 0o755, "stand before"),
        (&gone, 0o755, "is gone"),
    ] {
        scene.write_hook("pre-commit", text, mode);
        let (code, said) = scene.hooks(&["status"]);
        assert!(code == 1 && said.contains(state), "{state}: {said}");
    }
    scene.write_hook("pre-commit", &made, 0o755);
    git(&scene.repo(), &["config", "core.hooksPath", "/nonexistent/hooks"]);
    let (code, said) = scene.hooks(&["status", "--format", "json"]);
    assert!(code == 1 && said.contains("\"state\": \"bypassed\""), "{said}");
}

#[test]
fn what_cannot_hold_the_block_is_left_alone() {
    let scene = Scene::new();
    for (text, mode, reason) in [
        ("#!/usr/bin/env python3\nprint()\n", 0o755, "not a shell script"),
        ("#!/bin/sh\necho off\n", 0o644, "not executable"),
    ] {
        scene.write_hook("pre-push", text, mode);
        let before = scene.all_hooks();
        let (code, said) = scene.hooks(&["install"]);
        assert!(code == 2 && said.contains(reason), "{said}");
        assert_eq!(scene.all_hooks(), before, "nothing is half installed");
    }
    fs::remove_file(scene.hook("pre-push")).unwrap();
    std::os::unix::fs::symlink("../../shared.sh", scene.hook("pre-push")).unwrap();
    let (code, said) = scene.hooks(&["install"]);
    assert!(code != 0 && said.contains("symbolic link"), "{said}");
    assert!(!scene.hook("pre-commit").exists());
}

#[test]
fn outside_a_repository_the_next_step_is_said() {
    let scene = Scene::new();
    let away = tempfile::tempdir().unwrap();
    let (code, said) = scene.hooks(&["status", "--repo", away.path().to_str().unwrap()]);
    assert!(code == 2 && said.contains("--repo DIR"), "{said}");
}
