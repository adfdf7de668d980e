//! Disk access beneath a root: links, swaps, limits, leftovers, full and read-only disks.
//! Border: behaviour at `system::files`; Unix only where links and mounts are needed.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests prepare the disk by hand")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use crate::mounts::Mount;
use memsync::system::files::{
    Change, Durability, FileError, FileKind, Root, WalkLimits, WalkedFile,
};

const RELAXED: Durability = Durability::Relaxed;

/// Runs a claim with and without `openat2`.
fn both(check: impl Fn(&Path, Root)) {
    for open in [Root::open, Root::open_per_component] {
        let dir = tempfile::tempdir().unwrap();
        let root = open(dir.path()).unwrap();
        check(dir.path(), root);
    }
}

fn names(files: &[WalkedFile]) -> Vec<String> {
    files.iter().map(|f| String::from_utf8_lossy(&f.path).into_owned()).collect()
}

/// Every name below a folder, links not followed.
fn everything(dir: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in walkdir::WalkDir::new(dir).min_depth(1) {
        let entry = entry.unwrap();
        found.insert(entry.path().strip_prefix(dir).unwrap().to_str().unwrap().to_owned());
    }
    found
}

#[test]
fn a_written_file_is_read_back_whole_with_its_mode_and_without_leftovers() {
    both(|dir, root| {
        root.write_atomic("a/b/c.md", b"one", Durability::Durable).unwrap();
        root.write_atomic("a/b/c.md", b"two", RELAXED).unwrap();
        root.write_private("key", b"secret", Durability::Durable).unwrap();
        assert_eq!(root.read("a/b/c.md", 3).unwrap(), b"two");
        let mode = |path| fs::metadata(dir.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("key"), 0o600);
        assert_eq!(mode("a/b/c.md") & !0o644, 0);
        let expected = ["a", "a/b", "a/b/c.md", "key"].map(str::to_owned);
        assert_eq!(everything(dir), BTreeSet::from(expected));
    });
}

#[test]
fn what_is_missing_is_told_apart_from_every_other_error() {
    both(|_, root| {
        assert!(root.read("no.md", 10).unwrap_err().is_not_found());
        assert!(root.read("no/no.md", 10).unwrap_err().is_not_found());
        assert!(root.remove("no.md").unwrap_err().is_not_found());
        assert_eq!(root.read_if_there("no.md", 10).unwrap(), None);
        assert_eq!(root.stat("no/no.md").unwrap(), None);
        assert!(!root.exists("no.md").unwrap());
    });
    assert!(Root::open(Path::new("/no/such/folder")).unwrap_err().is_not_found());
}

#[test]
fn the_read_limit_holds_on_both_sides() {
    both(|_, root| {
        root.write_atomic("x.md", &[b'x'; 100], RELAXED).unwrap();
        assert_eq!(root.read("x.md", 100).unwrap().len(), 100);
        let refused = root.read("x.md", 99).unwrap_err();
        assert!(matches!(refused, FileError::TooLarge { limit: 99, .. }), "{refused}");
    });
}

#[test]
fn paths_that_are_not_plainly_below_the_root_are_refused_by_every_call() {
    let hostile =
        ["", "/", "/etc/passwd", "..", "../x", "a/../x", "a//x", "a/", "./x", "a/./x", "a\0b", "."];
    both(|dir, root| {
        fs::create_dir(dir.join("a")).unwrap();
        for path in hostile {
            let refused = |result: Result<(), FileError>| {
                let error = result.unwrap_err();
                assert!(matches!(error, FileError::NotBeneath { .. }), "{path}: {error}");
            };
            refused(root.write_atomic(path, b"x", RELAXED));
            refused(root.read(path, 10).map(drop));
            refused(root.remove(path));
            refused(root.stat(path).map(drop));
            refused(root.create_folder(path));
            refused(root.descend(path).map(drop));
            refused(root.open_to_lock(path).map(drop));
        }
        assert_eq!(everything(dir).len(), 1);
    });
}

#[test]
fn a_symlink_at_any_component_is_refused_and_nothing_outside_changes() {
    both(|dir, root| {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("x.md"), "theirs").unwrap();
        fs::create_dir_all(outside.path().join("deep")).unwrap();
        fs::create_dir_all(dir.join("real/folder")).unwrap();
        fs::write(dir.join("real/folder/x.md"), "ours").unwrap();
        let place = |target: &Path, link: &str| symlink(target, dir.join(link)).unwrap();
        place(outside.path(), "out");
        place(outside.path(), "real/out");
        place(&outside.path().join("x.md"), "real/link.md");
        place(&outside.path().join("new.md"), "real/dangling.md");
        place(Path::new("real"), "inside");
        place(Path::new("."), "real/loop");
        place(Path::new("/proc/self/cwd"), "magic");
        let paths = [
            "out/x.md",
            "out/deep/x.md",
            "out/new.md",
            "out/new/new.md",
            "real/out/x.md",
            "real/link.md",
            "real/dangling.md",
            "inside/folder/x.md",
            "inside/new.md",
            "real/loop/folder/x.md",
            "magic/x.md",
        ];
        for path in paths {
            let refused = |result: Result<(), FileError>, what| {
                let error = result.expect_err(what);
                assert!(matches!(error, FileError::Symlink { .. }), "{what} {path}: {error:?}");
            };
            refused(root.write_atomic(path, b"evil", RELAXED), "write");
            refused(root.write_private(path, b"evil", RELAXED), "write private");
            refused(root.read(path, 100).map(drop), "read");
            refused(root.open_to_lock(path).map(drop), "lock");
        }
        for path in ["out/x.md", "inside/folder/x.md", "real/out/x.md", "real/loop/folder/x.md"] {
            assert!(matches!(root.remove(path), Err(FileError::Symlink { .. })), "{path}");
            assert!(matches!(root.stat(path), Err(FileError::Symlink { .. })), "{path}");
        }
        assert_eq!(root.stat("real/link.md").unwrap().unwrap().kind, FileKind::Symlink);
        assert_eq!(fs::read_to_string(outside.path().join("x.md")).unwrap(), "theirs");
        assert_eq!(everything(outside.path()).len(), 2);
        assert_eq!(fs::read_to_string(dir.join("real/folder/x.md")).unwrap(), "ours");
    });
}

#[test]
fn a_root_that_is_itself_a_symlink_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("real")).unwrap();
    symlink("real", dir.path().join("link")).unwrap();
    for open in [Root::open, Root::open_per_component] {
        for path in ["link", "link/", "link/."] {
            let refused = open(&dir.path().join(path));
            assert!(matches!(refused, Err(FileError::Symlink { .. })), "{path}: {refused:?}");
        }
        assert!(open(&dir.path().join("real/")).is_ok());
    }
}

#[test]
fn removing_a_symlink_removes_the_link_and_not_its_target() {
    both(|dir, root| {
        let outside = tempfile::NamedTempFile::new().unwrap();
        symlink(outside.path(), dir.join("link.md")).unwrap();
        root.remove("link.md").unwrap();
        assert!(outside.path().exists());
        assert!(everything(dir).is_empty());
    });
}

#[test]
fn pipes_folders_and_devices_are_not_files() {
    both(|dir, root| {
        let mode = rustix::fs::Mode::from(0o644);
        let pipe = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, dir.join("pipe.md"), pipe, mode, 0).unwrap();
        fs::create_dir(dir.join("folder.md")).unwrap();
        for path in ["pipe.md", "folder.md"] {
            assert!(matches!(root.read(path, 9), Err(FileError::NotAFile { .. })), "{path}");
            let written = root.write_atomic(path, b"x", RELAXED);
            assert!(matches!(written, Err(FileError::NotAFile { .. })), "{path}");
        }
        root.write_atomic("file.md", b"x", RELAXED).unwrap();
        let through = root.write_atomic("file.md/x.md", b"x", RELAXED);
        assert!(matches!(through, Err(FileError::NotADirectory { .. })), "{through:?}");
    });
}

#[test]
fn the_git_directory_is_recognised_by_identity_not_only_by_name() {
    both(|dir, root| {
        fs::create_dir_all(dir.join(".git/hooks")).unwrap();
        for path in [".git/config", ".GIT/x", ".git/hooks/post-merge", "a/.git/config", ".git"] {
            let written = root.write_atomic(path, b"x", RELAXED);
            assert!(matches!(written, Err(FileError::GitDirectory { .. })), "{path}: {written:?}");
        }
        // Only a bind mount gives one folder two names here; a case-insensitive disk does so daily.
        fs::create_dir(dir.join("alias")).unwrap();
        if let Some(mount) = Mount::bind(&dir.join(".git"), &dir.join("alias")) {
            let written = root.write_atomic("alias/config", b"x", RELAXED);
            let removed = root.remove("alias/config");
            drop(mount);
            assert!(matches!(written, Err(FileError::GitDirectory { .. })), "{written:?}");
            assert!(matches!(removed, Err(FileError::GitDirectory { .. })), "{removed:?}");
        }
        assert_eq!(everything(&dir.join(".git")).len(), 1);
        let git = root.descend(".git").unwrap();
        git.write_atomic("memsync/journal", b"x", RELAXED).unwrap();
        assert!(dir.join(".git/memsync/journal").exists());
    });
}

#[test]
fn removing_the_last_file_removes_its_empty_folders_and_no_others() {
    both(|dir, root| {
        root.write_atomic("a/b/c/x.md", b"x", RELAXED).unwrap();
        root.write_atomic("a/y.md", b"y", RELAXED).unwrap();
        root.remove("a/b/c/x.md").unwrap();
        assert_eq!(everything(dir), BTreeSet::from(["a".to_owned(), "a/y.md".to_owned()]));
        root.remove("a/y.md").unwrap();
        assert!(everything(dir).is_empty());
    });
}

#[test]
fn a_batch_writes_and_removes_everything_small_and_large() {
    both(|dir, root| {
        root.write_atomic("old/x.md", b"x", RELAXED).unwrap();
        for count in [1, 64, 65, 200] {
            let paths: Vec<_> = (0..count).map(|i| format!("topics/{}/{i}.md", i % 7)).collect();
            let mut changes: Vec<_> =
                paths.iter().map(|path| Change::shared(path, path.as_bytes())).collect();
            changes.push(Change::Remove { path: "old/x.md" });
            root.apply(&changes, Durability::Durable).unwrap();
            for path in &paths {
                assert_eq!(root.read(path, 100).unwrap(), path.as_bytes());
            }
        }
        assert!(!dir.join("old").exists());
        assert_eq!(root.walk(WalkLimits::default()).unwrap().len(), 200);
    });
}

#[test]
fn a_batch_that_fails_while_writing_has_renamed_nothing_and_leaves_no_temporary_file() {
    both(|dir, root| {
        root.write_atomic("a.md", b"old", RELAXED).unwrap();
        fs::create_dir(dir.join("z.md")).unwrap();
        let both = [Change::shared("a.md", b"new"), Change::shared("z.md", b"new")];
        let failed = root.apply(&both, RELAXED);
        assert!(matches!(failed, Err(FileError::NotAFile { .. })));
        assert_eq!(root.read("a.md", 10).unwrap(), b"old");
        assert_eq!(everything(dir), BTreeSet::from(["a.md".to_owned(), "z.md".to_owned()]));
    });
}

#[test]
fn a_walk_lists_files_links_and_pipes_in_order_and_skips_only_the_git_directory() {
    both(|dir, root| {
        for path in ["b.md", "a/c.md", "a.md", "a/.git/x", "sub/.hidden"] {
            fs::create_dir_all(dir.join(path).parent().unwrap()).unwrap();
            fs::write(dir.join(path), path).unwrap();
        }
        fs::create_dir_all(dir.join(".git/objects")).unwrap();
        fs::write(dir.join(".git/HEAD"), "x").unwrap();
        symlink("/etc", dir.join("etc")).unwrap();
        fs::set_permissions(dir.join("b.md"), fs::Permissions::from_mode(0o755)).unwrap();
        let files = root.walk(WalkLimits::default()).unwrap();
        assert_eq!(names(&files), ["a.md", "a/.git/x", "a/c.md", "b.md", "etc", "sub/.hidden"]);
        assert_eq!(files[4].stat.kind, FileKind::Symlink);
        assert!(files[3].stat.is_executable && !files[0].stat.is_executable);
        let meta = fs::metadata(dir.join("b.md")).unwrap();
        let stat = files[3].stat;
        assert_eq!((stat.device, stat.inode, stat.size), (meta.dev(), meta.ino(), meta.size()));
        assert_eq!(stat.modified_ns, meta.mtime() * 1_000_000_000 + meta.mtime_nsec());
        assert_eq!(stat.changed_ns, meta.ctime() * 1_000_000_000 + meta.ctime_nsec());
        assert_eq!(root.stat("b.md").unwrap(), Some(stat));
    });
}

#[test]
fn a_large_folder_is_listed_as_a_small_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path()).unwrap();
    for number in 0..3_000 {
        fs::write(folder.path().join(format!("{number:04}.md")), vec![b'x'; number % 7]).unwrap();
    }
    symlink("/etc", folder.path().join("z")).unwrap();
    let files = root.walk(WalkLimits::default()).unwrap();
    assert_eq!(files.len(), 3_001);
    for (number, file) in files.iter().take(3_000).enumerate() {
        assert_eq!(file.path, format!("{number:04}.md").into_bytes());
        assert_eq!(file.stat.size, number as u64 % 7);
    }
    assert_eq!(files[3_000].stat.kind, FileKind::Symlink);
}

#[test]
fn the_walk_limits_hold_on_both_sides() {
    both(|_, root| {
        for path in ["a/b/1.md", "a/2.md", "3.md"] {
            root.write_atomic(path, b"x", RELAXED).unwrap();
        }
        let walk = |files_max, depth_max| {
            root.walk(WalkLimits { files_max, depth_max, ..WalkLimits::default() })
        };
        assert_eq!(walk(3, 2).unwrap().len(), 3);
        assert!(matches!(walk(2, 2), Err(FileError::TooMany { limit: 2, .. })));
        assert!(matches!(walk(3, 1), Err(FileError::TooDeep { limit: 1, .. })));
    });
}

#[test]
fn temporary_files_of_a_killed_run_are_not_taken_for_memories_and_can_be_removed() {
    both(|dir, root| {
        root.write_atomic("a/x.md", b"x", RELAXED).unwrap();
        fs::create_dir(dir.join(".git")).unwrap();
        for path in [".memsync-tmp-0123", "a/.memsync-tmp-4567", ".git/.memsync-tmp-89ab"] {
            fs::write(dir.join(path), "half").unwrap();
        }
        assert_eq!(names(&root.walk(WalkLimits::default()).unwrap()), ["a/x.md"]);
        assert_eq!(root.remove_stale_temps(WalkLimits::default()).unwrap(), 2);
        assert!(dir.join(".git/.memsync-tmp-89ab").exists() && dir.join("a/x.md").exists());
    });
}
