//! Options of every command, and the forms a result can have.
//! Border: shapes only; nothing of the program is known here.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options every command takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalArgs {
    /// The memory directory [default: found as `memsync where` explains]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) memdir: Option<PathBuf>,
    /// The key that signs your changes, or its .pub file to use ssh-agent
    ///
    /// [default: MEMSYNC_KEY, else memsync/id_ed25519 in the folder for settings]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) key: Option<PathBuf>,
    /// Run as if started in DIR
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// The member this change is made for
    #[arg(long = "as", global = true, value_name = "MEMBER")]
    pub(crate) member: Option<String>,
    /// How results are written to stdout; `scan` and `audit` have more forms than others
    #[arg(long, global = true, value_enum, default_value_t = AnyFormat::Human)]
    pub(crate) format: AnyFormat,
    /// Say only warnings and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// When to use colour; `auto` is on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// Output formats of commands that neither scan nor audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    // Text for people.
    Human,
    // One JSON document.
    Json,
    // One JSON document per line.
    Jsonl,
}

/// Every format that can be asked for; some only `memsync scan` or `memsync audit` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnyFormat {
    /// Text for people
    Human,
    /// One JSON document
    Json,
    /// One JSON document per line
    Jsonl,
    /// SARIF 2.1.0 (scan, audit)
    Sarif,
    /// Comma-separated values (scan, audit)
    Csv,
    /// One self-contained page (audit)
    Html,
    /// JUnit XML (scan)
    Junit,
    /// GitHub annotations (scan, ci)
    Github,
    /// GitLab code quality (scan, ci)
    Gitlab,
    /// Markdown for a reviewer (ci)
    Markdown,
}

impl AnyFormat {
    /// Whether `memsync scan` writes it.
    pub(crate) fn is_of_scans(self) -> bool {
        !matches!(self, Self::Html | Self::Markdown)
    }

    /// Whether `memsync audit` writes it.
    pub(crate) fn is_of_audits(self) -> bool {
        !matches!(self, Self::Junit | Self::Github | Self::Gitlab | Self::Markdown)
    }

    /// Whether `memsync ci` writes it.
    pub(crate) fn is_of_ci(self) -> bool {
        !matches!(self, Self::Junit | Self::Csv | Self::Sarif | Self::Html)
    }

    /// The format for other commands; `None` where only a scan or an audit writes it.
    pub(crate) fn plain(self) -> Option<Format> {
        match self {
            Self::Human => Some(Format::Human),
            Self::Json => Some(Format::Json),
            Self::Jsonl => Some(Format::Jsonl),
            Self::Sarif | Self::Csv | Self::Html => None,
            Self::Junit | Self::Github | Self::Gitlab | Self::Markdown => None,
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // On a terminal, unless `NO_COLOR` is set.
    Auto,
    Always,
    Never,
}
