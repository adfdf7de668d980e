//! Disk access while somebody works against it: folders swapped for links, full and read-only
//! disks, a holder of the lock killed.
//! Border: behaviour at `system`; quiet disks are `files`.
#![expect(clippy::disallowed_methods, reason = "tests prepare the disk by hand")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memsync::system::files::{Change, Durability, FileError, Root, WalkLimits};
use memsync::system::lock::{Lock, LockError};

use crate::mounts::Mount;

const RELAXED: Durability = Durability::Relaxed;

/// How many attempts a swapped folder gets to redirect something.
const ATTEMPTS: usize = 30_000;

/// On a busy machine one thread may sleep through many attempts; then there are more.
const ATTEMPTS_MAX: usize = 5_000_000;

/// How often each state of the folder must have been met.
const MET_MIN: usize = 2_000;

/// Swaps two names, in one step where the system can.
fn swap(dir: &Path) {
    let (a, b) = (dir.join("victim"), dir.join("link"));
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).is_ok() {
            return;
        }
    }
    let aside = dir.join("aside");
    drop(
        fs::rename(&a, &aside)
            .and_then(|()| fs::rename(&b, &a))
            .and_then(|()| fs::rename(&aside, &b)),
    );
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_swapped_for_a_link_redirects_no_write_no_removal_and_no_read() {
    for open in [Root::open, Root::open_per_component] {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (dir, outside) = (dir.path(), outside.path());
        fs::write(outside.join("keep.md"), "theirs").unwrap();
        fs::create_dir(dir.join("victim")).unwrap();
        symlink(outside, dir.join("link")).unwrap();
        let root = open(dir).unwrap();
        let done = AtomicBool::new(false);
        let (mut written, mut refused, mut read) = (0, 0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    swap(dir);
                    std::thread::yield_now();
                }
            });
            for attempt in 0..ATTEMPTS_MAX {
                if attempt >= ATTEMPTS && written >= MET_MIN && refused >= MET_MIN {
                    break;
                }
                let result = match attempt % 4 {
                    0 => root.write_atomic("victim/x.md", b"ours", RELAXED),
                    1 => root.write_atomic("victim/new/deep/x.md", b"ours", RELAXED),
                    2 => root.remove("victim/keep.md"),
                    _ => root.create_folder("victim/folder"),
                };
                match result {
                    Ok(()) => written += 1,
                    Err(FileError::Symlink { .. }) => refused += 1,
                    Err(_) => {}
                }
                read += usize::from(root.read("victim/keep.md", 100).is_ok());
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(names(outside), ["keep.md"]);
        assert_eq!(fs::read_to_string(outside.join("keep.md")).unwrap(), "theirs");
        assert_eq!(read, 0, "a read went through the link");
        // Both states were met, so the claim above was put to the test.
        assert!(written >= MET_MIN && refused >= MET_MIN, "{written} written, {refused} refused");
        root.remove_stale_temps(WalkLimits::default()).unwrap();
    }
}

#[test]
fn the_same_attack_does_redirect_a_plain_write() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(dir.path().join("victim")).unwrap();
    symlink(outside.path(), dir.path().join("link")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                swap(dir.path());
            }
        });
        for _ in 0..ATTEMPTS * 10 {
            drop(fs::write(dir.path().join("victim/x.md"), "escaped"));
            if outside.path().join("x.md").exists() {
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(outside.path().join("x.md").exists());
}

#[test]
fn a_full_disk_leaves_every_old_file_whole_and_no_temporary_file() {
    let dir = tempfile::tempdir().unwrap();
    let Some(_mount) = Mount::memory(256 * 1024, dir.path()) else { return };
    let root = Root::open(dir.path()).unwrap();
    root.write_atomic("a.md", &[b'a'; 60_000], Durability::Durable).unwrap();
    let big = vec![b'b'; 250_000];
    for durability in [RELAXED, Durability::Durable] {
        let failed = root.write_atomic("a.md", &big, durability);
        assert!(matches!(failed, Err(FileError::NoSpace { .. })), "{failed:?}");
        let both = [Change::shared("b.md", b"small"), Change::shared("a.md", &big)];
        let failed = root.apply(&both, durability);
        assert!(matches!(failed, Err(FileError::NoSpace { .. })), "{failed:?}");
        assert_eq!(root.read("a.md", 100_000).unwrap(), [b'a'; 60_000]);
        assert_eq!(names(dir.path()), ["a.md"]);
    }
    root.write_atomic("a.md", b"room again", Durability::Durable).unwrap();
}

#[test]
fn a_read_only_disk_is_named_as_such_and_can_still_be_read() {
    let (dir, at) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(dir.path().join("a.md"), "old").unwrap();
    let Some(mount) = Mount::bind(dir.path(), at.path()) else { return };
    if !mount.make_read_only() {
        eprintln!("skipped: this system cannot remount read-only");
        return;
    }
    let root = Root::open(at.path()).unwrap();
    for result in [
        root.write_atomic("a.md", b"new", RELAXED),
        root.write_private("b/c.md", b"new", RELAXED),
        root.remove("a.md"),
        root.create_folder("d"),
    ] {
        assert!(matches!(result, Err(FileError::ReadOnly { .. })), "{result:?}");
    }
    assert_eq!(root.read("a.md", 10).unwrap(), b"old");
}

#[test]
fn a_folder_without_permission_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let root = Root::open(dir.path()).unwrap();
    match root.write_atomic("a.md", b"x", RELAXED) {
        Err(FileError::Permission { .. }) => assert!(names(dir.path()).is_empty()),
        Ok(()) => eprintln!("skipped: mode bits do not stop root"),
        other => panic!("{other:?}"),
    }
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_lock_is_free_again_the_moment_its_holder_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let root = Root::open(dir.path()).unwrap();
    drop(Lock::acquire(&root, "lock", Duration::ZERO).unwrap());
    // `--no-fork` makes the locked program the only one that holds the file.
    let holder = Command::new("flock")
        .args(["--no-fork", dir.path().join("lock").to_str().unwrap()])
        .args(["sh", "-c", "echo held; exec sleep 600"])
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut holder) = holder else {
        eprintln!("skipped: no `flock` program here");
        return;
    };
    let mut said = [0; 4];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut said).unwrap();
    let held = Lock::acquire(&root, "lock", Duration::from_millis(50));
    assert!(matches!(held, Err(LockError::Held { .. })), "{held:?}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    Lock::acquire(&root, "lock", Duration::from_secs(5)).unwrap();
}
