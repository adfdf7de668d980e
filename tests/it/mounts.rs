//! Small file systems for tests: full ones, read-only ones, folders with two names.
//! Border: needs root; where the user is not, the test says so and is skipped.
#![expect(clippy::disallowed_methods, reason = "mounting is a program of the system")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// A mounted file system; dropping it unmounts.
pub(crate) struct Mount(PathBuf);

impl Mount {
    /// Gives a folder a second name.
    pub(crate) fn bind(folder: &Path, at: &Path) -> Option<Self> {
        Self::new(&["--bind", folder.to_str().unwrap()], at)
    }

    /// A new file system in memory of this many bytes.
    pub(crate) fn memory(bytes: usize, at: &Path) -> Option<Self> {
        Self::new(&["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"], at)
    }

    /// Makes it read-only; `false` where the system cannot.
    pub(crate) fn make_read_only(&self) -> bool {
        run(Command::new("mount").args(["-o", "remount,bind,ro"]).arg(&self.0))
    }

    fn new(args: &[&str], at: &Path) -> Option<Self> {
        let done = run(Command::new("mount").args(args).arg(at));
        if !done {
            eprintln!("skipped: this user cannot `mount {}`", args.join(" "));
        }
        done.then(|| Self(at.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if !run(Command::new("umount").arg(&self.0)) {
            eprintln!("could not unmount {}", self.0.display());
        }
    }
}

fn run(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
