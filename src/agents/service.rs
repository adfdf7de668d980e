//! Lets the system start `memsync watch` with the person's session: systemd or launchd.
//! Border: writes and removes the files that the system reads; it starts nothing itself.

use std::path::{Path, PathBuf};

use super::error::AgentError;
use crate::system::env::Environment;
use crate::system::files::{Durability, FileError, Root};

/// Below the folder for settings.
const SYSTEMD: &str = "systemd/user";
/// Below home.
const LAUNCHD: &str = "Library/LaunchAgents";

/// A service for one team memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The folder its file is in.
    folder: PathBuf,
    /// Its name: `memsync-watch-PROJECT`.
    name: String,
    /// How the system is told to start it now.
    pub start: String,
    /// How the system is told to end it.
    pub stop: String,
    is_systemd: bool,
}

/// The service of a memory directory.
///
/// # Errors
/// No home folder.
pub fn service(environment: &Environment, memdir: &Path) -> Result<Service, AgentError> {
    let home = environment.home().ok_or(AgentError::NoHome)?;
    let project = memdir.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let plain: String =
        project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let name = format!("memsync-watch{}{plain}", if plain.starts_with('-') { "" } else { "-" });
    if cfg!(target_os = "macos") {
        let file = home.join(LAUNCHD).join(format!("{name}.plist"));
        return Ok(Service {
            folder: home.join(LAUNCHD),
            start: format!("launchctl load '{}'", file.display()),
            stop: format!("launchctl unload '{}'", file.display()),
            name,
            is_systemd: false,
        });
    }
    let settings = environment.path("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let folder = settings.unwrap_or_else(|| home.join(".config")).join(SYSTEMD);
    Ok(Service {
        folder,
        start: format!("systemctl --user daemon-reload && systemctl --user enable --now {name}"),
        stop: format!("systemctl --user disable --now {name}"),
        name,
        is_systemd: true,
    })
}

impl Service {
    /// Its file.
    pub fn path(&self) -> PathBuf {
        self.folder.join(self.file())
    }

    fn file(&self) -> String {
        let extension = if self.is_systemd { "service" } else { "plist" };
        format!("{}.{extension}", self.name)
    }

    /// Writes the file; `false` when it says the same already.
    ///
    /// # Errors
    /// The file system's.
    pub fn install(&self, program: &Path, arguments: &[String]) -> Result<bool, AgentError> {
        let text = match self.is_systemd {
            true => unit(program, arguments),
            false => plist(&self.name, program, arguments),
        };
        Root::create(&self.folder)?;
        let root = Root::open(&self.folder)?;
        let limit = text.len() as u64 + 1;
        if root
            .read_if_there(&self.file(), limit)
            .is_ok_and(|there| there.as_deref() == Some(text.as_bytes()))
        {
            return Ok(false);
        }
        root.write_atomic(&self.file(), text.as_bytes(), Durability::Durable)?;
        Ok(true)
    }

    /// Removes the file; `false` when there is none.
    ///
    /// # Errors
    /// The file system's.
    pub fn uninstall(&self) -> Result<bool, AgentError> {
        let root = match Root::open(&self.folder) {
            Ok(root) => root,
            Err(FileError::NotFound { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        match root.remove(&self.file()) {
            Ok(()) => Ok(true),
            Err(FileError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn unit(program: &Path, arguments: &[String]) -> String {
    let quoted = |word: &str| {
        format!(
            "\"{}\"",
            word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$")
        )
    };
    let mut command = quoted(&program.to_string_lossy());
    for argument in arguments {
        command += &format!(" {}", quoted(argument));
    }
    format!(
        "[Unit]\nDescription=Share team memory as it changes\nAfter=network-online.target\n\n\
         [Service]\nExecStart={command}\nRestart=on-failure\nRestartSec=30\nNice=10\n\n\
         [Install]\nWantedBy=default.target\n"
    )
}

fn plist(name: &str, program: &Path, arguments: &[String]) -> String {
    let escaped = |word: &str| word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut words = format!("    <string>{}</string>\n", escaped(&program.to_string_lossy()));
    for argument in arguments {
        words += &format!("    <string>{}</string>\n", escaped(argument));
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{}</string>\n  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  \
         <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  <true/>\n  <key>LowPriorityIO</key>\n  <true/>\n</dict>\n</plist>\n",
        escaped(name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_program_as_they_are() {
        let unit = unit(
            Path::new("/opt/my tools/memsync"),
            &["-C".to_owned(), "/a \"b\" $x %h\\".to_owned()],
        );
        assert!(
            unit.contains(
                "ExecStart=\"/opt/my tools/memsync\" \"-C\" \"/a \\\"b\\\" $$x %%h\\\\\"\n"
            ),
            "{unit}"
        );
        let plist = plist("x", Path::new("/opt/memsync"), &["<&>".to_owned()]);
        assert!(plist.contains("<string>&lt;&amp;&gt;</string>"), "{plist}");
    }
}
