//! A real sshd with throw-away keys, its own configuration and its own known hosts.
//! Border: set-up only. Runs as whoever runs the test and lets only that user in.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Server, program, spawn_listening};

/// Starts sshd. The error names the missing program.
pub(super) fn start(server: &mut Server) -> Result<(), String> {
    let (sshd, keygen) = (program("sshd")?, program("ssh-keygen")?);
    program("ssh")?;
    let folder = server.folder.path().to_owned();
    for key in ["host", "member", "stranger"] {
        let mut command = Command::new(&keygen);
        command.args(["-q", "-t", "ed25519", "-N", "", "-C", key, "-f"]).arg(folder.join(key));
        assert!(command.status().unwrap().success());
    }
    fs::copy(folder.join("member.pub"), folder.join("authorized")).unwrap();
    // Started as root it needs this folder, which the packages' service makes at boot.
    drop(fs::create_dir_all("/run/sshd"));
    let shown = folder.display();
    let config = format!(
        "HostKey {shown}/host\nAuthorizedKeysFile {shown}/authorized\nPidFile none\nUsePAM no\n\
         StrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         PermitRootLogin yes\nListenAddress 127.0.0.1\nMaxStartups 100\n\
         SetEnv PATH={}\n",
        std::env::var("PATH").unwrap_or_default()
    );
    fs::write(folder.join("sshd_config"), config).unwrap();
    let (process, port) = spawn_listening(|port| {
        let mut command = Command::new(&sshd);
        command.args(["-D", "-e", "-p", &port.to_string(), "-f"]).arg(folder.join("sshd_config"));
        command
    });
    server.process = Some(process);
    let host_key = fs::read_to_string(folder.join("host.pub")).unwrap();
    fs::write(folder.join("known_hosts"), format!("[127.0.0.1]:{port} {host_key}")).unwrap();
    for (key, variables) in [("member", &mut server.variables), ("stranger", &mut server.wrong)] {
        variables.push(("GIT_SSH_COMMAND".to_owned(), client_command(&folder, key)));
    }
    let user = Command::new("id").arg("-un").output().unwrap().stdout;
    let user = String::from_utf8(user).unwrap();
    let hub = server.hub.to_str().unwrap().replace(' ', "%20");
    server.url = format!("ssh://{}@127.0.0.1:{port}{hub}", user.trim());
    Ok(())
}

/// How git calls ssh: with a configuration of its own, so that nothing of this machine counts.
fn client_command(folder: &Path, key: &str) -> String {
    let shown = folder.display();
    let config = format!(
        "Host *\n  IdentityFile {shown}/{key}\n  IdentitiesOnly yes\n  StrictHostKeyChecking yes\n\
         \x20 UserKnownHostsFile {shown}/known_hosts\n  GlobalKnownHostsFile none\n"
    );
    let path = folder.join(format!("ssh_config_{key}"));
    fs::write(&path, config).unwrap();
    format!("ssh -F {}", path.display())
}
