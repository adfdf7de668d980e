//! Processes of our own that go on after the one that started them.
//! Border: starts this program only; what it does is the caller's business.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts this program again, with nothing to read from and nowhere to write to. It is not waited for,
/// and [`leave_session`] is its first step.
///
/// # Errors
/// The system's, when no process can be started.
#[expect(clippy::disallowed_methods, reason = "the one place that starts memsync itself")]
pub fn start_detached<S: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = S>,
    folder: &Path,
) -> io::Result<u32> {
    let child = Command::new(std::env::current_exe()?)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(child.id())
}

/// Leaves the session of whoever started this process, so that it outlives it, and takes the lowest
/// priority. What cannot be had is done without.
pub fn leave_session() {
    #[cfg(unix)]
    {
        // A process that leads its group already has no session to leave.
        rustix::process::setsid().ok();
        rustix::process::setpriority_process(None, LOWEST_PRIORITY).ok();
    }
}

/// What `nice` calls it.
#[cfg(unix)]
const LOWEST_PRIORITY: i32 = 19;

/// Ends a process that [`leave_session`], with what it started. `false` when it is gone already.
///
/// # Errors
/// The system's: it belongs to somebody else.
#[cfg(unix)]
pub fn end_session(process: u32) -> io::Result<bool> {
    let id = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    let Some(id) = id else { return Ok(false) };
    match rustix::process::kill_process_group(id, rustix::process::Signal::TERM) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::SRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Where a system has no such groups, a process ends when its work is done.
///
/// # Errors
/// Always: there is no way.
#[cfg(not(unix))]
pub fn end_session(_: u32) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}
