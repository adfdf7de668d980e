//! Ctrl-C and SIGTERM while git runs, and after it ran: in a child process, because a signal is for all threads.
//! Border: the child is this same test binary, told by a variable to be one.
#![expect(clippy::disallowed_methods, reason = "starts this binary again and signals it")]
#![expect(clippy::print_stderr, reason = "the child tells its parent what happened")]

use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use memsync::git::command::{Git, GitCommandError};
use memsync::git::url::RemoteUrl;
use memsync::system::env::Environment;
use rustix::process::{Pid, Signal, kill_process};

/// Tells the child which address to ask.
const ADDRESS: &str = "MEMSYNC_TEST_CANCEL_ADDRESS";

/// Longest time any step may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// Not a test by itself: what the child does.
#[test]
fn child() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let program = Git::new(&Environment::of_process());
    let error = program.ls_remote(&RemoteUrl::parse(&address).unwrap()).unwrap_err();
    if matches!(error, GitCommandError::Cancelled { .. }) {
        eprintln!("cancelled");
        return;
    }
    eprintln!("failed");
    std::thread::sleep(PATIENCE);
}

fn start_child(address: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "cancel::child", "--nocapture"]).env(ADDRESS, address);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), signal).unwrap();
}

#[test]
fn a_signal_ends_the_request_and_leaves_no_process() {
    for signal in [Signal::INT, Signal::TERM] {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = silent.local_addr().unwrap().port();
        let child = start_child(&format!("http://127.0.0.1:{port}/never"));
        // The helper of git has connected, so the whole tree of processes is up.
        let (_connection, _) = silent.accept().unwrap();
        let began = Instant::now();
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.contains("cancelled"), "{signal:?}: {said}");
        assert!(began.elapsed() < PATIENCE, "{signal:?}");
        crate::transport::assert_no_process_mentions(&format!(":{port}/never"));
    }
}

#[test]
fn between_requests_a_signal_ends_memsync_as_usual() {
    use std::io::Read;
    let mut child = start_child("http://127.0.0.1:1/closed");
    let mut stderr = child.stderr.take().unwrap();
    let mut said = Vec::new();
    let mut buffer = [0; 256];
    while !String::from_utf8_lossy(&said).contains("failed") {
        let count = stderr.read(&mut buffer).unwrap();
        assert!(count > 0, "the child ended early: {}", String::from_utf8_lossy(&said));
        said.extend_from_slice(&buffer[..count]);
    }
    send(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().signal(), Some(2));
}
