//! `memsync demo`: the whole story on two throw-away members and a bare hub.
//! Border: tells and runs; each `memsync` line is parsed and run as if typed, by the same code, and
//! `sync::demo` sets the scene and checks what became of it.

mod story;

use std::path::PathBuf;

use clap::Args;
use memsync::report::advice::Exit;
use memsync::report::json::Document;
use memsync::report::json::demo::{DEMO_FORMAT, DemoDocument};
use memsync::sync::demo::{World, invented_token};

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::session::Session;
use crate::ui::Ui;

use self::story::{Story, Typed};

/// Decodes to `../../CLAUDE.md`, which agents obey, where someone decodes names.
const HOSTILE_NAME: &str = "..%2F..%2FCLAUDE.md";

/// Options of `memsync demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Leave everything in DIR, a new or empty folder, to look at afterwards
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

/// Tells the story. Every step checks itself; one that does not hold ends the demo.
pub(crate) fn run(args: DemoArgs, session: &Session, ui: &mut Ui, typed: Typed<'_>) -> Outcome {
    let keep = args.keep.map(|dir| session.folder.join(dir));
    let world = World::create(keep.as_deref(), &std::env::temp_dir())?;
    let mut story = Story {
        ui: ui.story(),
        environment: &session.environment,
        world,
        steps: Vec::new(),
        is_command_last: false,
        typed,
    };
    story.opening();
    story.start_and_join()?;
    story.write_at_the_same_time()?;
    story.delete_and_edit()?;
    story.refuse_a_secret()?;
    story.refuse_a_hostile_path()?;
    story.who_did_what()?;
    let Story { world, steps, .. } = story;
    let folder = world.close()?;
    match ui.format() {
        Format::Human => ui.note(folder.map_or_else(
            || "Everything went as told. The demo took its folder away again.".to_owned(),
            |folder| format!("Everything went as told. It is all in {}.", folder.display()),
        )),
        _ => ui.json(&Document::new(DEMO_FORMAT, DemoDocument { steps, folder })),
    }
    Ok(Exit::Done)
}

impl Story<'_> {
    fn opening(&mut self) {
        let folder = self.world.folder().display().to_string();
        self.tell("Ada, Ben and their coding agents share one team memory over a bare git");
        self.tell("repository, `hub.git`. All of it happens now, offline, in");
        self.tell(format!("{folder}. Nothing of yours is read or changed."));
    }

    fn start_and_join(&mut self) -> Result<(), Failure> {
        self.chapter("1. Ada starts a team memory and lets Ben in");
        self.memsync("ada", &["init", "--remote", "../hub.git"], Exit::Done)?;
        self.remember(
            "ada",
            "Build server",
            "The old one, until it is switched off.",
            ["reference", "Builds run on build-1"],
        )?;
        self.memsync("ada", &["push"], Exit::Done)?;
        self.tell(
            "Ben takes part, with the introduction that Ada told him. Then he asks to be let in:",
        );
        self.tell("a line to send by any way, which proves that he holds his key.");
        let introduction = self.world.introduction("ada")?;
        self.memsync("ben", &["join", "../hub.git", "--introduction", &introduction], Exit::Done)?;
        let said = self.memsync("ben", &["member", "request"], Exit::Done)?;
        let line =
            said.lines().find(|line| line.starts_with("memsync-request/")).unwrap_or_default();
        self.memsync("ada", &["member", "add", line], Exit::Done)?;
        self.memsync("ada", &["push"], Exit::Done)?;
        let index = self.world.read("ben", "MEMORY.md")?;
        self.check(index.contains("(build-server.md)"), "Ben has Ada's memory")
    }

    fn write_at_the_same_time(&mut self) -> Result<(), Failure> {
        self.chapter("2. Both write at the same time, both edit MEMORY.md");
        self.remember(
            "ada",
            "Deploy freeze",
            "Too few people are there to roll back.",
            ["project", "No deploys on Fridays after 14:00"],
        )?;
        self.remember(
            "ben",
            "Test database",
            "Reset it with `make reset-db`.",
            ["reference", "Tests use db-test, port 5433"],
        )?;
        self.tell("Ada puts a heading above the entries of MEMORY.md. Ben corrects one entry.");
        self.world.edit(
            "ada",
            "MEMORY.md",
            "- [Build server]",
            "## Running it\n\n- [Build server]",
        )?;
        self.world.edit("ben", "MEMORY.md", "Builds run on build-1", "Builds run on build-2")?;
        self.memsync("ada", &["push"], Exit::Done)?;
        self.memsync("ben", &["push"], Exit::Done)?;
        self.memsync("ada", &["pull"], Exit::Done)?;
        self.tell("By lines this is a conflict. By meaning it is not: both have this index now.");
        self.show_index()?;
        let index = self.world.read("ada", "MEMORY.md")?;
        for part in ["## Running it", "build-2", "(deploy-freeze.md)", "(test-database.md)"] {
            self.check(index.matches(part).count() == 1, "MEMORY.md has what both wrote, once")?;
        }
        self.world.both_agree()?;
        Ok(())
    }

    fn delete_and_edit(&mut self) -> Result<(), Failure> {
        self.chapter("3. One deletes while the other edits");
        self.memsync("ben", &["forget", "Build server"], Exit::Done)?;
        self.tell("Meanwhile Ada moves the freeze to 12:00, in her editor.");
        self.world.edit("ada", "deploy-freeze.md", "after 14:00", "after 12:00")?;
        self.world.edit("ada", "MEMORY.md", "after 14:00", "after 12:00")?;
        self.memsync("ada", &["sync"], Exit::Done)?;
        self.memsync("ben", &["sync"], Exit::Done)?;
        self.memsync("ada", &["sync"], Exit::Done)?;
        self.tell("What was deleted stays deleted, what was edited stays edited:");
        self.show_index()?;
        self.check(!self.world.has("ada", "build-server.md")?, "the deleted memory is gone")?;
        let index = self.world.read("ben", "MEMORY.md")?;
        self.check(!index.contains("build-server.md"), "the entry of a deleted memory is gone")?;
        self.check(index.contains("after 12:00"), "Ben has Ada's edit")?;
        self.world.both_agree()?;
        Ok(())
    }

    fn refuse_a_secret(&mut self) -> Result<(), Failure> {
        self.chapter("4. An agent writes a token into a memory");
        let token = invented_token();
        let head =
            "---\nname: CI access\ndescription: How CI reaches the mirror\ntype: reference\n---\n";
        self.remember(
            "ben",
            "Release day",
            "The train leaves at 10:00.",
            ["project", "Releases go out on Tuesdays"],
        )?;
        self.tell("The agent also saves `ci-access.md`, with the token it was given.");
        self.world.save("ben", "ci-access.md", &format!("{head}The token is {token}.\n"))?;
        let said = self.memsync("ben", &["push"], Exit::No)?;
        self.check(
            said.contains("ci-access.md") && said.contains("(github-"),
            "the refusal names file and rule",
        )?;
        self.check(
            !said.contains(&token) && !said.contains(&token[4..]),
            "the refusal does not show the token",
        )?;
        self.check(!self.world.hub_ever_held(&token)?, "the hub never received the token")?;
        self.check(
            self.world.hub_ever_held("The train leaves at 10:00.")?,
            "the other memory was shared",
        )?;
        self.tell("The file stays on Ben's disk, the hub never received it, the rest was shared.");
        self.tell("Ben takes the token out and pushes again.");
        self.world.save(
            "ben",
            "ci-access.md",
            &format!("{head}The token is in the vault, under `ci`.\n"),
        )?;
        self.memsync("ben", &["push"], Exit::Done)?;
        self.memsync("ada", &["pull"], Exit::Done)?;
        self.world.both_agree()?;
        Ok(())
    }

    fn refuse_a_hostile_path(&mut self) -> Result<(), Failure> {
        self.chapter("5. Names that lead elsewhere, and a commit that nobody signed");
        self.tell(
            "An agent unpacks a file into Ben's folder whose name decodes to `../../CLAUDE.md`.",
        );
        self.world.save("ben", HOSTILE_NAME, "---\nname: x\n---\n")?;
        let said = self.memsync("ben", &["push"], Exit::No)?;
        self.check(
            said.contains("kept out") && said.contains(HOSTILE_NAME),
            "the hostile name is kept out",
        )?;
        self.check(
            !self.world.hub_ever_had(HOSTILE_NAME)?,
            "the hub never received the hostile name",
        )?;
        self.tell(
            "Someone who may push, but is not in the team, pushes a link to ~/.ssh/id_ed25519",
        );
        self.tell(
            "as `notes.md`. Plain git would make the link, and the next agent that writes its",
        );
        self.tell("notes would write there.");
        self.world.attack("notes.md", "../../../.ssh/id_ed25519")?;
        self.memsync("ada", &["pull"], Exit::Trust)?;
        self.check(
            !self.world.has("ada", "notes.md")?,
            "nothing of the hostile commit is on disk",
        )?;
        self.memsync("ada", &["status"], Exit::Done)?;
        Ok(())
    }

    fn who_did_what(&mut self) -> Result<(), Failure> {
        self.chapter("6. Who did what");
        let said = self.memsync("ada", &["log", "--limit", "5"], Exit::Done)?;
        for part in ["Ada <ada@example.com>", "Ben <ben@example.com>", "claude-code", "signed"] {
            self.check(said.contains(part), "the log names people and agents")?;
        }
        self.ui.line("");
        Ok(())
    }
}
