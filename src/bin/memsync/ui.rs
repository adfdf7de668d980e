//! The only place that prints. Data goes to stdout, talk to stderr, foreign text is escaped.
//! Border: formats nothing by itself but colour and the error shape.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::ProgressBar;
use memsync::base::display::{escape_block, escape_json};
use memsync::report::advice::Exit;
use memsync::scan::Progress;
use memsync::secrets::masking::without_values;
use serde::Serialize;

use crate::failure::Failure;
use crate::global::{AnyFormat, Color, Format, GlobalArgs};

/// Style of the word `error`.
const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Style of the word `warning`.
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Style of the word `next`.
const NEXT: Style = AnsiColor::Cyan.on_default().bold();

/// What stands before each line a command says inside a story.
const MARGIN: &str = "    ";
/// How often progress is drawn.
const PROGRESS_TICK: Duration = Duration::from_millis(100);

/// Where a command says things.
pub(crate) struct Ui {
    format: AnyFormat,
    quiet: bool,
    /// Whether something was warned of, so that its next step belongs to what `-q` lets through.
    has_warned: bool,
    is_verbose: bool,
    choice: ColorChoice,
    stdout: AutoStream<std::io::Stdout>,
    stderr: AutoStream<std::io::Stderr>,
    story: Option<Story>,
    /// Why data could not be written, unless the reader just went away.
    lost: Option<std::io::Error>,
}

/// Output that is part of a story: talk goes to stdout too, in its place.
#[derive(Default)]
struct Story {
    is_silent: bool,
    /// What the running command said, without colours; `None` while the teller speaks.
    heard: Option<String>,
}

impl Ui {
    /// Sets up both streams as the global options say.
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        let choice = match global.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::AlwaysAnsi,
            Color::Never => ColorChoice::Never,
        };
        Self { is_verbose: global.verbose > 0, ..Self::with(choice, global.format, global.quiet) }
    }

    fn with(choice: ColorChoice, format: AnyFormat, quiet: bool) -> Self {
        let stdout = AutoStream::new(std::io::stdout(), choice);
        let stderr = AutoStream::new(std::io::stderr(), choice);
        let is_verbose = false;
        Self {
            format,
            quiet,
            has_warned: false,
            is_verbose,
            choice,
            stdout,
            stderr,
            story: None,
            lost: None,
        }
    }

    /// A ui for commands that run inside a story; silent where only a document is wanted.
    pub(crate) fn story(&self) -> Self {
        let is_silent = self.quiet || self.format != AnyFormat::Human;
        let story = Some(Story { is_silent, heard: None });
        Self { story, ..Self::with(self.choice, AnyFormat::Human, false) }
    }

    /// Sets what is said from now on apart as the output of a command, and keeps it.
    pub(crate) fn listen(&mut self) {
        if let Some(story) = &mut self.story {
            story.heard = Some(String::new());
        }
    }

    /// What was said since [`Ui::listen`]; the teller speaks again.
    pub(crate) fn heard(&mut self) -> String {
        self.story.as_mut().and_then(|story| story.heard.take()).unwrap_or_default()
    }

    /// The format the person asked for.
    pub(crate) fn format(&self) -> Format {
        self.format.plain().unwrap_or(Format::Json)
    }

    /// The format the person asked for, of those that scans have too.
    pub(crate) fn any_format(&self) -> AnyFormat {
        self.format
    }

    /// Whether less was asked for with `-q`.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether more was asked for with `-v`.
    pub(crate) fn is_verbose(&self) -> bool {
        self.is_verbose
    }

    /// Whether progress may be drawn: a terminal, not quiet, not a machine format.
    pub(crate) fn may_draw_progress(&self) -> bool {
        !self.quiet && self.format == AnyFormat::Human && std::io::stderr().is_terminal()
    }

    /// Runs a scan while drawing how many files and bytes it has read.
    pub(crate) fn with_scan_progress<T>(&self, progress: &Progress, work: impl FnOnce() -> T) -> T {
        if !self.may_draw_progress() {
            return work();
        }
        let bar = ProgressBar::new_spinner();
        let done = AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                let mut ticks = 0_u32;
                while !done.load(Ordering::Relaxed) {
                    std::thread::sleep(PROGRESS_TICK);
                    ticks += 1;
                    // Nothing is drawn for what takes less than half a second.
                    if ticks > 5 {
                        let (files, bytes) = (&progress.files, &progress.bytes);
                        let megabytes = bytes.load(Ordering::Relaxed) / 1_000_000;
                        bar.set_message(format!(
                            "{} files, {megabytes} MB",
                            files.load(Ordering::Relaxed)
                        ));
                        bar.tick();
                    }
                }
                bar.finish_and_clear();
            });
            let result = work();
            done.store(true, Ordering::Relaxed);
            result
        })
    }

    /// Writes one line of data. Escape foreign parts before styling them in.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        if self.story.is_some() {
            return self.tell(text.as_ref());
        }
        let written = writeln!(self.stdout, "{}", text.as_ref());
        self.note_loss(written);
    }

    /// Says what was done; silent with `-q`, which leaves data, warnings and errors.
    pub(crate) fn done(&mut self, text: impl AsRef<str>) {
        if !self.quiet {
            self.line(text);
        }
    }

    /// Writes text or bytes exactly as they are, for data that was asked for.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        if self.story.is_some() {
            return self.tell(String::from_utf8_lossy(bytes).trim_end());
        }
        // Not through the stream above: it takes escape sequences out where colour is off.
        let written = std::io::stdout().write_all(bytes);
        self.note_loss(written);
    }

    /// A closed pipe (`memsync log | head`) is the reader's choice; a full disk is a loss.
    fn note_loss(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            self.lost.get_or_insert(error);
        }
    }

    fn tell(&mut self, text: &str) {
        let Some(story) = &mut self.story else { return };
        let margin = if story.heard.is_some() { MARGIN } else { "" };
        if let Some(heard) = &mut story.heard {
            *heard += &anstream::adapter::strip_str(text).to_string();
            heard.push('\n');
        }
        if story.is_silent {
            return;
        }
        for line in text.split('\n') {
            let margin = if line.is_empty() { "" } else { margin };
            let written = writeln!(self.stdout, "{margin}{line}");
            self.note_loss(written);
        }
    }

    /// Ends the program's output: what could not be written turns success into a failure.
    pub(crate) fn finish(&mut self, exit: Exit) -> Exit {
        let flushed = self.stdout.flush();
        self.note_loss(flushed);
        let Some(error) = self.lost.take() else { return exit };
        self.has_warned = true;
        self.talk(format!("{ERROR}error:{ERROR:#} stdout cannot be written: {error}"));
        self.next(
            "Check the disk or the program that reads it; the command itself was carried out.",
        );
        if exit == Exit::Done { Exit::World } else { exit }
    }

    /// Writes a document as pretty JSON.
    pub(crate) fn json(&mut self, document: &impl Serialize) {
        let text =
            serde_json::to_string_pretty(document).expect("because report types have string keys");
        self.line(escape_json(&text));
    }

    /// Writes a document as one line of JSON.
    pub(crate) fn json_line(&mut self, document: &impl Serialize) {
        let text = serde_json::to_string(document).expect("because report types have string keys");
        self.line(escape_json(&text));
    }

    /// Says something beside the data; silent with `-q`.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) {
        if !self.quiet {
            self.talk(escape_block(text.as_ref()));
        }
    }

    /// Warns; also said with `-q`.
    pub(crate) fn warn(&mut self, text: impl AsRef<str>) {
        self.has_warned = true;
        self.talk(format!("{WARNING}warning:{WARNING:#} {}", escape_block(text.as_ref())));
    }

    /// Asks on the same line; the answer comes from stdin.
    pub(crate) fn prompt(&mut self, text: &str) {
        drop(write!(self.stderr, "{text}"));
        drop(self.stderr.flush());
    }

    /// Says what the person can do next; with `-q` only after a warning or an error.
    pub(crate) fn next(&mut self, text: impl AsRef<str>) {
        if self.quiet && !self.has_warned {
            return;
        }
        self.talk(format!("{NEXT}next:{NEXT:#} {}", escape_block(text.as_ref())));
    }

    /// Shows an error with its next step and gives the exit code.
    pub(crate) fn failure(&mut self, failure: &Failure) -> Exit {
        // Errors quote files, addresses and arguments, and any of them may hold a value.
        let message = without_values(&failure.message, b"", &[]);
        self.has_warned = true;
        self.talk(format!("{ERROR}error:{ERROR:#} {}", escape_block(&message)));
        if !failure.advice.next_step.is_empty() {
            self.next(&failure.advice.next_step);
        }
        failure.advice.exit
    }

    fn talk(&mut self, text: impl AsRef<str>) {
        match self.story {
            Some(_) => self.tell(text.as_ref()),
            // Nobody can be told that stderr is gone.
            None => drop(writeln!(self.stderr, "{}", text.as_ref())),
        }
    }
}

/// Shows clap's own message (help, version or a usage error); an argument in it may be anything.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let plain = error.render().to_string();
    let shown = escape_block(&plain);
    match shown == plain {
        true => drop(error.print()),
        // Nobody can be told that stderr is gone.
        false => drop(std::io::stderr().write_all(shown.as_bytes())),
    }
    ExitCode::from(if error.use_stderr() { Exit::Usage } else { Exit::Done } as u8)
}
