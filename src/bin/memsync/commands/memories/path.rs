//! `memsync path`: tells which paths team memory accepts.
//! Border: the rules are `base::path` and `gate::entry`; this reads questions and prints answers.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use memsync::base::display::Escaped;
use memsync::report::advice::Exit;
use memsync::report::json::memories::path::{PathAnswer, Verdict, answer_line, answer_path};

use crate::Outcome;
use crate::failure::Failure;
use crate::global::Format;
use crate::ui::Ui;

/// Bytes of one question; a set of many long paths fits.
const QUESTION_BYTES_MAX: u64 = 16_000_000;

/// Options of `memsync path`.
#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    #[command(subcommand)]
    action: PathAction,
}

/// What to do with paths.
#[derive(Debug, Subcommand)]
enum PathAction {
    /// Tell which paths may be in a team memory, and which rule refuses the others
    ///
    /// Exits 1 when any is refused. JSON output is one document per line.
    Check(CheckArgs),
}

/// Options of `memsync path check`.
#[derive(Debug, Args)]
struct CheckArgs {
    /// Paths, relative to the team folder; put `--` before one that starts with a dash
    #[arg(required_unless_present = "from", value_name = "PATH")]
    paths: Vec<OsString>,
    /// Read questions, one JSON object per line with `path`, `path_hex` or `paths`, optional `mode` and `id`; `-` is stdin
    #[arg(long, value_name = "FILE.jsonl")]
    from: Option<PathBuf>,
}

/// Runs the chosen action.
pub(crate) fn run(args: PathArgs, ui: &mut Ui) -> Outcome {
    match args.action {
        PathAction::Check(args) => check(&args, ui),
    }
}

fn check(args: &CheckArgs, ui: &mut Ui) -> Outcome {
    let mut exit = Exit::Done;
    let mut say = |answer: &PathAnswer| {
        if answer.verdict == Verdict::Reject {
            exit = Exit::No;
        }
        match ui.format() {
            Format::Human => ui.line(human(answer)),
            Format::Json | Format::Jsonl => ui.json_line(answer),
        }
    };
    for path in &args.paths {
        say(&answer_path(path.as_encoded_bytes()));
    }
    if let Some(file) = &args.from {
        for_each_question(file, &mut say)?;
    }
    Ok(exit)
}

fn human(answer: &PathAnswer) -> String {
    let shown = match (&answer.path, &answer.paths) {
        (Some(path), _) => path.clone(),
        (None, paths) => paths.iter().flatten().cloned().collect::<Vec<_>>().join(" + "),
    };
    match &answer.reason {
        None => format!("accept {shown}"),
        Some(reason) => format!("reject {shown}: {reason} ({})", answer.rule),
    }
}

fn for_each_question(file: &Path, say: &mut impl FnMut(&PathAnswer)) -> Result<(), Failure> {
    let name = if file == Path::new("-") {
        "standard input".to_owned()
    } else {
        Escaped(&file.to_string_lossy()).to_string()
    };
    let unreadable = |error: io::Error| {
        Failure::usage(format!("cannot read `{name}`: {error}"), "Check the file name.")
    };
    let mut input: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(file).map_err(unreadable)?))
    };
    let mut raw = Vec::new();
    for number in 1.. {
        raw.clear();
        let read = input.by_ref().take(QUESTION_BYTES_MAX + 1).read_until(b'\n', &mut raw);
        let malformed = |why: String| {
            let next = "Write one JSON object per line, for example {\"id\": 1, \"path\": \"topics/deploy.md\"}.";
            Failure::usage(format!("`{name}` line {number}: {why}"), next)
        };
        if read.map_err(unreadable)? == 0 {
            break;
        }
        if raw.len() as u64 > QUESTION_BYTES_MAX {
            return Err(malformed(format!("more than {QUESTION_BYTES_MAX} bytes")));
        }
        let line = raw.trim_ascii();
        let line = line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        match answer_line(line) {
            Ok(answer) => say(&answer),
            Err(error) => {
                let cause = std::error::Error::source(&error);
                let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
                return Err(malformed(format!("{error}{cause}")));
            }
        }
    }
    Ok(())
}
