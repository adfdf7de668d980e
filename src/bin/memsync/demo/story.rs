//! Telling a story: a line of text, a command as typed with what it says, a claim that must hold.
//! Border: runs what it is given and notes it; what happens is `demo`.

use memsync::report::advice::Exit;
use memsync::report::json::demo::DemoStep;
use memsync::sync::demo::World;
use memsync::system::env::Environment;

use crate::Outcome;
use crate::failure::Failure;
use crate::say::{FAINT, STRONG};
use crate::session::{Input, Surroundings};
use crate::ui::Ui;

/// Variables of the caller that the members' commands see too; nothing that names a person, a
/// folder or a credential.
const INHERITED: [&str; 7] =
    ["PATH", "PATHEXT", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH"];

/// Runs a command line in given surroundings, as the program itself does.
pub(crate) type Typed<'a> = &'a dyn Fn(&[&str], Surroundings, &mut Ui) -> Outcome;

/// A story being told: who is in it, what was done so far.
pub(super) struct Story<'a> {
    pub(super) ui: Ui,
    pub(super) environment: &'a Environment,
    pub(super) world: World,
    pub(super) steps: Vec<DemoStep>,
    /// Whether an empty line must part what is told from what a command said.
    pub(super) is_command_last: bool,
    /// Runs a command as if typed.
    pub(super) typed: Typed<'a>,
}

impl Story<'_> {
    /// Writes a memory for the team: `memory` is its kind and its description.
    pub(super) fn remember(
        &mut self,
        who: &'static str,
        name: &str,
        body: &str,
        [kind, description]: [&str; 2],
    ) -> Result<String, Failure> {
        let arguments =
            ["remember", "--team", "--name", name, "--kind", kind, "--description", description];
        self.run(who, &arguments, Some(body), Exit::Done)
    }

    pub(super) fn memsync(
        &mut self,
        who: &'static str,
        arguments: &[&str],
        expected: Exit,
    ) -> Result<String, Failure> {
        self.run(who, arguments, None, expected)
    }

    /// Runs one command as `who`; gives what it said. Any other exit code than the expected one
    /// ends the demo.
    fn run(
        &mut self,
        who: &'static str,
        arguments: &[&str],
        body: Option<&str>,
        expected: Exit,
    ) -> Result<String, Failure> {
        let words: Vec<String> = arguments.iter().map(|word| shown_word(word)).collect();
        let piped = body.map(|body| format!("echo {} | ", shown_word(body))).unwrap_or_default();
        let command = format!("{piped}memsync {}", words.join(" "));
        self.ui.line("");
        self.ui.line(format!("  {FAINT}{who} ${FAINT:#} {STRONG}{command}{STRONG:#}"));
        let surroundings = Surroundings {
            environment: self.environment_of(who),
            folder: self.world.home(who),
            input: Input::Text(
                body.map(|body| format!("{body}\n").into_bytes()).unwrap_or_default(),
            ),
        };
        self.ui.listen();
        let exit = match (self.typed)(arguments, surroundings, &mut self.ui) {
            Ok(exit) => exit,
            Err(failure) if expected == Exit::Done => return Err(failure),
            Err(failure) => self.ui.failure(&failure),
        };
        let said = self.ui.heard();
        if exit != Exit::Done {
            self.ui.line(format!("    {FAINT}(exit code {}){FAINT:#}", exit as u8));
        }
        self.is_command_last = true;
        self.steps.push(DemoStep { who, command: command.clone(), exit: exit as u8 });
        let ended = || format!("`{command}` exits with {}, not {}", expected as u8, exit as u8);
        self.world.claim(exit == expected, ended)?;
        Ok(said)
    }

    /// What a member's commands see: a home of their own, a name, and for Ben an agent.
    fn environment_of(&self, who: &str) -> Environment {
        let (name, agent) = if who == "ada" { ("Ada", "") } else { ("Ben", "claude-code") };
        let home = self.world.home(who).into_os_string();
        let own = [
            ("HOME", home.clone()),
            ("USERPROFILE", home),
            ("MEMSYNC_MEMDIR", self.world.memdir(who).into_os_string()),
            ("MEMSYNC_NAME", name.into()),
            ("MEMSYNC_EMAIL", format!("{who}@example.com").into()),
            ("MEMSYNC_AGENT", agent.into()),
        ];
        let inherited = INHERITED
            .into_iter()
            .filter_map(|name| Some((name, self.environment.os(name)?.to_owned())));
        Environment::of(inherited.chain(own))
    }

    pub(super) fn show_index(&mut self) -> Result<(), Failure> {
        let index = self.world.read("ada", "MEMORY.md")?;
        self.ui.line("");
        for line in index.lines() {
            self.ui.line(format!("    | {line}"));
        }
        Ok(())
    }

    pub(super) fn chapter(&mut self, title: &str) {
        self.is_command_last = false;
        self.ui.line("");
        self.ui.line(format!("{STRONG}{title}{STRONG:#}"));
    }

    pub(super) fn tell(&mut self, text: impl AsRef<str>) {
        if std::mem::take(&mut self.is_command_last) {
            self.ui.line("");
        }
        self.ui.line(text);
    }

    pub(super) fn check(&self, is_so: bool, claim: &str) -> Result<(), Failure> {
        Ok(self.world.claim(is_so, || claim.to_owned())?)
    }
}

/// A word as typed into a shell.
fn shown_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{word}'") }
}
