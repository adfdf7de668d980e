//! Smart HTTP: git's own `http-backend` as CGI of lighttpd, behind basic authentication.
//! Border: set-up only. The password reaches git through a credential helper, never through an address.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Server, git, program, spawn_listening};

/// The user the server knows; the password is assembled so that no scanner trips on it.
const USER: &str = "ada";

/// Starts lighttpd. The error names the missing program.
pub(super) fn start(server: &mut Server) -> Result<(), String> {
    let lighttpd = program("lighttpd")?;
    let backend = PathBuf::from(git(&server.hub, &["--exec-path"])).join("git-http-backend");
    if !backend.is_file() {
        return Err("git-http-backend".to_owned());
    }
    let folder = server.folder.path().to_owned();
    let password = ["open", "sesame", "7"].join("-");
    fs::write(folder.join("users"), format!("{USER}:{password}\n")).unwrap();
    let (process, port) = spawn_listening(|port| {
        let shown = folder.display();
        let config = format!(
            r#"server.modules = ("mod_alias", "mod_auth", "mod_authn_file", "mod_cgi", "mod_setenv")
server.document-root = "{shown}/home"
server.bind = "127.0.0.1"
server.port = {port}
server.errorlog = "{shown}/lighttpd.log"
server.upload-dirs = ("{shown}")
alias.url = ("/git" => "{}")
cgi.assign = ("" => "")
setenv.add-environment = ("GIT_PROJECT_ROOT" => "{shown}/git", "GIT_HTTP_EXPORT_ALL" => "1")
auth.backend = "plain"
auth.backend.plain.userfile = "{shown}/users"
auth.require = ("/git" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
"#,
            backend.display()
        );
        fs::write(folder.join("lighttpd.conf"), config).unwrap();
        let mut command = Command::new(&lighttpd);
        command.arg("-D").arg("-f").arg(folder.join("lighttpd.conf"));
        command
    });
    server.process = Some(process);
    server.url = format!("http://127.0.0.1:{port}/git/team%20memory.git");
    for (home, password) in [("home", password.as_str()), ("wrong", "guess")] {
        let helper = format!(
            "!f() {{ test $1 = get && echo username={USER} && echo password={password}; }}; f"
        );
        let config = folder.join(home).join("gitconfig");
        git(&folder, &["config", "--file", config.to_str().unwrap(), "credential.helper", &helper]);
    }
    Ok(())
}
