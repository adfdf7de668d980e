//! Runs one program to its end, or ends it: bounded output, a time limit, Ctrl-C.
//! Border: knows no git; gives bytes and a status. Whatever happens, no process of it is left.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::OnProgress;
use super::interrupt::Interrupt;
use super::progress::Lines;

/// Most bytes of stdout: the branches of a large host's largest repository.
const STDOUT_BYTES_MAX: usize = 8_000_000;

/// Most bytes of stderr that are kept; the last ones, where the cause stands.
const STDERR_BYTES_MAX: usize = 64_000;

/// How long output is awaited after the program ended: a connection that ssh shares in the
/// background holds the pipe open for ever.
const DRAIN: Duration = Duration::from_millis(200);

/// How long the program may clean up after SIGTERM (git removes its lock and pack files).
const CLEAN_UP: Duration = Duration::from_secs(1);

/// How a program ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Why a program did not come to its own end.
#[derive(Debug)]
pub(super) enum Stopped {
    Start(io::Error),
    Output(io::Error),
    TooMuchOutput,
    TimedOut,
    Cancelled,
}

/// Starts the program and waits. The lines of stderr go to `progress` while it runs.
pub(super) async fn run(
    mut command: Command,
    limit: Duration,
    progress: Option<&mut OnProgress<'_>>,
) -> Result<Ran, Stopped> {
    let mut interrupt = Interrupt::listen().map_err(Stopped::Start)?;
    let child = command.spawn().map_err(Stopped::Start)?;
    let mut group = Group::of(child);
    let stopped = tokio::select! {
        ran = finish(&mut group.child, progress) => match ran {
            Ok(ran) => {
                group.ended = true;
                return Ok(ran);
            }
            Err(stopped) => stopped,
        },
        () = tokio::time::sleep(limit) => Stopped::TimedOut,
        () = interrupt.arrived() => Stopped::Cancelled,
    };
    group.end().await;
    Err(stopped)
}

/// Reads both streams to their ends and reaps the program.
async fn finish(child: &mut Child, progress: Option<&mut OnProgress<'_>>) -> Result<Ran, Stopped> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let pipes = (child.stdout.take(), child.stderr.take());
    let status = {
        let reading = async {
            let out = read_all(pipes.0, &mut stdout);
            let err = read_last(pipes.1, &mut stderr, progress);
            tokio::try_join!(out, err).map(|_| ())
        };
        tokio::pin!(reading);
        tokio::select! {
            read = &mut reading => {
                read?;
                child.wait().await
            }
            status = child.wait() => {
                if let Ok(read) = tokio::time::timeout(DRAIN, &mut reading).await {
                    read?;
                }
                status
            }
        }
    };
    let status = status.map_err(Stopped::Output)?;
    Ok(Ran { status, stdout, stderr })
}

async fn read_all(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>) -> Result<(), Stopped> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    while pipe.read_buf(kept).await.map_err(Stopped::Output)? > 0 {
        if kept.len() > STDOUT_BYTES_MAX {
            return Err(Stopped::TooMuchOutput);
        }
    }
    Ok(())
}

async fn read_last(
    pipe: Option<impl AsyncRead + Unpin>,
    kept: &mut Vec<u8>,
    mut progress: Option<&mut OnProgress<'_>>,
) -> Result<(), Stopped> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut lines = Lines::default();
    loop {
        let before = kept.len();
        if pipe.read_buf(kept).await.map_err(Stopped::Output)? == 0 {
            return Ok(());
        }
        if let Some(on_progress) = progress.as_deref_mut() {
            lines.feed(&kept[before..], on_progress);
        }
        if kept.len() > 2 * STDERR_BYTES_MAX {
            kept.drain(..kept.len() - STDERR_BYTES_MAX);
        }
    }
}

/// A program and everything it started. Ends them when dropped before its own end.
struct Group {
    child: Child,
    ended: bool,
}

impl Group {
    fn of(child: Child) -> Self {
        Self { child, ended: false }
    }

    /// Asks all to end, then forces them.
    async fn end(mut self) {
        self.signal(false);
        #[cfg(unix)]
        self.exited(CLEAN_UP).await;
        // The leader is not reaped yet, so the id of the group is still its own.
        self.signal(true);
        drop(self.child.start_kill());
        drop(tokio::time::timeout(CLEAN_UP, self.child.wait()).await);
        self.ended = true;
    }

    /// Waits, without reaping, until the leader has exited.
    #[cfg(unix)]
    async fn exited(&self, limit: Duration) {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let Some(pid) = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed())) else {
            return;
        };
        let deadline = tokio::time::Instant::now() + limit;
        while tokio::time::Instant::now() < deadline {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            match waitid(WaitId::Pid(pid), options) {
                Ok(None) => tokio::time::sleep(Duration::from_millis(10)).await,
                _ => return,
            }
        }
    }

    #[cfg(unix)]
    fn signal(&self, force: bool) {
        use rustix::process::{Pid, Signal, kill_process_group};
        // `id` is `None` once reaped; then the number may belong to another program.
        if let Some(pid) = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
            let signal = if force { Signal::KILL } else { Signal::TERM };
            // An error means that it has ended by itself.
            kill_process_group(pid, signal).unwrap_or_default();
        }
    }

    #[cfg(not(unix))]
    fn signal(&self, _force: bool) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(true);
        }
    }
}
