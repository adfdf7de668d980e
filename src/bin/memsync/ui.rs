//! The only place that prints. Data goes to stdout, talk to stderr, foreign text is escaped.
//! Border: formats nothing by itself but colour and the error shape.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use memsync::base::display::escape_block;
use memsync::report::advice::Exit;
use serde::Serialize;

use crate::args::{Color, Format, GlobalArgs};
use crate::failure::Failure;

/// Style of the word `error`.
const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Style of the word `warning`.
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Style of the word `next`.
const NEXT: Style = AnsiColor::Cyan.on_default().bold();

/// Where a command says things.
pub(crate) struct Ui {
    format: Format,
    quiet: bool,
    stdout: AutoStream<std::io::Stdout>,
    stderr: AutoStream<std::io::Stderr>,
}

impl Ui {
    /// Sets up both streams as the global options say.
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        let choice = match global.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::AlwaysAnsi,
            Color::Never => ColorChoice::Never,
        };
        let stdout = AutoStream::new(std::io::stdout(), choice);
        let stderr = AutoStream::new(std::io::stderr(), choice);
        Self { format: global.format, quiet: global.quiet, stdout, stderr }
    }

    /// The format the person asked for.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Whether progress may be drawn: a terminal, not quiet, not a machine format.
    pub(crate) fn may_draw_progress(&self) -> bool {
        !self.quiet && self.format == Format::Human && std::io::stderr().is_terminal()
    }

    /// Writes one line of data. Escape foreign parts before styling them in.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        // A closed pipe (`memsync log | head`) is the reader's choice, not an error.
        drop(writeln!(self.stdout, "{}", text.as_ref()));
    }

    /// Writes text or bytes exactly as they are, for data that was asked for.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        drop(self.stdout.write_all(bytes));
    }

    /// Writes a document as pretty JSON.
    pub(crate) fn json(&mut self, document: &impl Serialize) {
        let text =
            serde_json::to_string_pretty(document).expect("because report types have string keys");
        self.line(text);
    }

    /// Writes a document as one line of JSON.
    pub(crate) fn json_line(&mut self, document: &impl Serialize) {
        let text = serde_json::to_string(document).expect("because report types have string keys");
        self.line(text);
    }

    /// Says something beside the data; silent with `-q`.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) {
        if !self.quiet {
            drop(writeln!(self.stderr, "{}", escape_block(text.as_ref())));
        }
    }

    /// Warns; also said with `-q`.
    pub(crate) fn warn(&mut self, text: impl AsRef<str>) {
        drop(writeln!(self.stderr, "{WARNING}warning:{WARNING:#} {}", escape_block(text.as_ref())));
    }

    /// Asks on the same line; the answer comes from stdin.
    pub(crate) fn prompt(&mut self, text: &str) {
        drop(write!(self.stderr, "{text}"));
        drop(self.stderr.flush());
    }

    /// Says what the person can do next.
    pub(crate) fn next(&mut self, text: impl AsRef<str>) {
        drop(writeln!(self.stderr, "{NEXT}next:{NEXT:#} {}", escape_block(text.as_ref())));
    }

    /// Shows an error with its next step and gives the exit code.
    pub(crate) fn failure(&mut self, failure: &Failure) -> Exit {
        drop(writeln!(self.stderr, "{ERROR}error:{ERROR:#} {}", escape_block(&failure.message)));
        if !failure.advice.next_step.is_empty() {
            self.next(&failure.advice.next_step);
        }
        failure.advice.exit
    }
}

/// Shows clap's own message (help, version or a usage error).
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    drop(error.print());
    ExitCode::from(if error.use_stderr() { Exit::Usage } else { Exit::Done } as u8)
}
