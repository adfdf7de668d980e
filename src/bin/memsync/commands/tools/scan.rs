//! `memsync scan`: looks for credentials in files, standard input, staged changes, commits, a history.
//! Border: arguments and words; the work is `memsync::scan`, the formats are `memsync::report`.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, Subcommand};
use memsync::base::display::Escaped;
use memsync::config::policy::POLICY_PATH;
use memsync::git::GitError;
use memsync::git::repo::Repo;
use memsync::report::advice::Exit;
use memsync::report::json::scan::{FindingDocument, ScanDocument};
use memsync::report::{findings, sarif};
use memsync::scan::cache::Cache;
use memsync::scan::outcome::{Located, ScanOutcome, Unreadable};
use memsync::scan::source::Source as SetupSource;
use memsync::scan::{Progress, Scan, files, history, setup};
use memsync::secrets::allow::Allowed;
use memsync::system::clock::Clock;

use crate::Outcome;
use crate::failure::Failure;
use crate::global::AnyFormat;
use crate::say::count;
use crate::session::Session;
use crate::ui::Ui;

/// Characters shown of each end of a very long path.
const PATH_SIDE_CHARS: usize = 150;

/// Options of `memsync scan`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ScanArgs {
    #[command(subcommand)]
    action: Option<ScanAction>,
    /// Files and folders [default: the current folder]. Archives and other binary files are counted,
    /// not opened
    #[arg(value_name = "PATH", conflicts_with_all = ["stdin", "staged", "range", "history"])]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    source: Source,
    /// Exit 0 whatever is found
    #[arg(long)]
    exit_zero: bool,
    /// Exit as if what cannot be read were not there
    #[arg(long)]
    skip_unreadable: bool,
    /// Accept what a former report names (of memsync or gitleaks)
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Read rules and allow lists of gitleaks from FILE [default: `.gitleaks.toml` of the repository]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Add rules from FILE [default: `.memsync/rules.toml` of the repository]
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// With `--history`: scan everything again, and remember nothing in the git directory
    #[arg(long, requires = "history")]
    no_cache: bool,
    /// Write what is found to FILE, to be a baseline later, and exit 0
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
}

/// What to scan instead of files.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Source {
    /// Scan standard input
    #[arg(long)]
    stdin: bool,
    /// Scan what is staged for the next commit
    #[arg(long)]
    staged: bool,
    /// Scan what the commits of a range add, also what a later one removes again
    #[arg(long, value_name = "A..B")]
    range: Option<String>,
    /// Scan every file of every commit of every branch and tag
    #[arg(long)]
    history: bool,
}

/// What else `memsync scan` does.
#[derive(Debug, Subcommand)]
enum ScanAction {
    /// Accept a finding by its fingerprint, in `.memsync/allow.yaml`
    Allow(AllowArgs),
}

/// Options of `memsync scan allow`.
#[derive(Debug, Args)]
struct AllowArgs {
    /// The fingerprint a scan shows
    fingerprint: String,
    /// Why it is no secret, or why it may stay
    #[arg(long)]
    reason: String,
    /// From when on it counts as a finding again (RFC 3339 date or time)
    #[arg(long, value_name = "DATE")]
    expires: Option<String>,
}

/// Scans, or accepts a finding.
pub(crate) fn run(args: ScanArgs, session: &Session, ui: &mut Ui) -> Outcome {
    let root = setup::root_of(&session.folder);
    let now = Clock::from_environment(&session.environment)?.now();
    if let Some(ScanAction::Allow(args)) = args.action {
        // In a code repository people are known by its own configuration.
        let named = ["MEMSYNC_NAME", "GIT_AUTHOR_NAME"];
        let is_named = named.iter().any(|name| session.environment.os(name).is_some());
        let own = || Repo::open(&root).ok().and_then(|repo| repo.config("user.name"));
        let own = if is_named { None } else { own() };
        let who = own.or_else(|| Some(session.person().name));
        let entry = Allowed {
            fingerprint: args.fingerprint,
            reason: args.reason,
            who,
            expires: args.expires,
        };
        setup::allow(&root, &entry, now)?;
        ui.note(format!("accepted in {}; commit that file with the rest", setup::ALLOW_FILE));
        return Ok(Exit::Done);
    }
    let started = Instant::now();
    let progress = Progress::default();
    let named = |file: Option<PathBuf>| file.map(|file| session.folder.join(file));
    let config = args.config.clone().or_else(|| session.environment.path("GITLEAKS_CONFIG"));
    let named = setup::Named { gitleaks: named(config), rules: named(args.rules.clone()) };
    let mut setup = setup::Setup::read(&SetupSource::folder(&root), &named, now)?;
    let mut allow = std::mem::take(&mut setup.allow);
    if let Some(baseline) = &args.baseline {
        setup::add_baseline(&mut allow, &session.folder.join(baseline))?;
    }
    let scanner = setup.scanner();
    let scan = Scan { scanner, allow, progress: &progress };
    let outcome = ui.with_scan_progress(&progress, || look(&args, session, &scan))?;
    let seconds = started.elapsed().as_secs_f64();
    if let Some(file) = &args.write_baseline {
        let report = serde_json::to_vec_pretty(&ScanDocument::of(&outcome, seconds));
        let report = report.expect("because report types have string keys");
        setup::write_report(&session.folder.join(file), &report)?;
        let found = count(outcome.findings.len(), "finding", "findings");
        ui.note(format!("{found} written to {}", file.display()));
        return Ok(Exit::Done);
    }
    if ui.is_verbose() {
        let files = [setup::RULES_FILE, setup::GITLEAKS_FILE, setup::ALLOW_FILE];
        let there = |file: &&str| root.join(file).is_file();
        let there: Vec<&str> = files.into_iter().filter(there).collect();
        ui.note(format!("root {}, read there: {there:?}", Escaped(&root.to_string_lossy())));
        ui.note(format!(
            "rules {}, {} without text",
            scanner.version(),
            count(outcome.binary, "file", "files")
        ));
    }
    say(&outcome, seconds, ui);
    conclude(&args, &outcome, &root, ui)
}

fn look(args: &ScanArgs, session: &Session, scan: &Scan<'_>) -> Result<ScanOutcome, Failure> {
    let open = || {
        let root = setup::root_of(&session.folder);
        // A bare repository has its HEAD at the top; a damaged one is told by opening it.
        if ![".git", "HEAD"].iter().any(|name| root.join(name).exists()) {
            let folder = session.folder.to_string_lossy();
            let message = format!("`{}` is in no git repository", Escaped(&folder));
            return Err(Failure::usage(
                message,
                "Run it inside one, or name files: `memsync scan PATH`.",
            ));
        }
        Repo::open(&root).map_err(damaged)
    };
    if args.source.stdin {
        return Ok(files::scan_stream(scan, "stdin", std::io::stdin().lock()));
    }
    if args.source.staged {
        return history::scan_staged(scan, &open()?).map_err(damaged);
    }
    if args.source.history {
        let repo = open()?;
        let cache = (!args.no_cache).then(|| Cache::of(&repo, scan));
        let mut outcome = history::scan_history(scan, &repo, cache.as_ref()).map_err(damaged)?;
        let broken = repo.broken_tips().map_err(damaged)?.into_iter();
        outcome.unreadable.extend(broken.map(|(path, reason)| Unreadable { path, reason }));
        outcome.cuts = repo.cuts().map_err(damaged)?;
        return Ok(outcome);
    }
    if let Some(range) = &args.source.range {
        let (hidden, tip) = range.split_once("..").ok_or_else(|| {
            let message = format!("`{}` is no range of commits", Escaped(range));
            Failure::usage(message, "Write `A..B`: what B has and A has not.")
        })?;
        let repo = open()?;
        let resolve = |name: &str| {
            let step = "Name a branch, a tag or a commit, as `git rev-parse` takes them.";
            repo.resolve(name).map_err(|error| Failure::usage(Failure::from(error).message, step))
        };
        let tip = resolve(if tip.is_empty() { "HEAD" } else { tip })?;
        let hidden = if hidden.is_empty() { Vec::new() } else { vec![resolve(hidden)?] };
        let mut outcome = history::scan_commits(scan, &repo, &[tip], &hidden).map_err(damaged)?;
        let range = repo.new_commits(&[tip], &hidden).map_err(damaged)?;
        outcome.cuts = usize::from(repo.cut_off(&range).map_err(damaged)?.is_some());
        return Ok(outcome);
    }
    let here = vec![PathBuf::from(".")];
    let paths = if args.paths.is_empty() { &here } else { &args.paths };
    Ok(files::scan_paths(scan, &session.folder, paths))
}

fn damaged(error: GitError) -> Failure {
    let is_damage =
        matches!(error, GitError::Open { .. } | GitError::Read { .. } | GitError::Malformed { .. });
    let mut failure = Failure::from(error);
    if !is_damage {
        return failure;
    }
    failure.advice.next_step =
        "Run `git fsck`; what a remote has, `git fetch --refetch` brings again.".to_owned();
    failure
}

/// Writes the findings in the chosen format.
fn say(outcome: &ScanOutcome, seconds: f64, ui: &mut Ui) {
    match ui.any_format() {
        AnyFormat::Human => outcome.findings.iter().for_each(|located| human(located, ui)),
        // A scan is refused this format before it starts.
        AnyFormat::Html | AnyFormat::Markdown => {}
        AnyFormat::Json => ui.json(&ScanDocument::of(outcome, seconds)),
        AnyFormat::Jsonl => {
            outcome.findings.iter().for_each(|located| ui.json_line(&FindingDocument::of(located)));
        }
        AnyFormat::Sarif => ui.json(&sarif::sarif(outcome)),
        AnyFormat::Csv => ui.raw(findings::csv(outcome).as_bytes()),
        AnyFormat::Junit => ui.raw(findings::junit(outcome).as_bytes()),
        AnyFormat::Github => ui.raw(findings::github(outcome).as_bytes()),
        AnyFormat::Gitlab => ui.json(&findings::gitlab(outcome)),
    }
    for unreadable in &outcome.unreadable {
        ui.warn(format!(
            "`{}` could not be scanned: {}",
            Escaped(&shortened(&unreadable.path)),
            unreadable.reason
        ));
    }
    if outcome.cuts > 0 {
        ui.warn(
            "the history is cut off, as `git clone --depth` leaves it: what lies before was not \
             scanned. `git fetch --unshallow` brings it",
        );
    }
    let found = outcome.findings.len() + outcome.unlisted;
    let (files, bytes) = (outcome.files, outcome.bytes);
    if outcome.unlisted > 0 {
        let left = count(outcome.unlisted, "finding is", "findings are");
        ui.warn(format!("{left} not listed: there are too many"));
    }
    let binary = match outcome.binary {
        0 => String::new(),
        binary => format!(" ({binary} more hold no text; archives are not opened)"),
    };
    let allowed =
        if outcome.allowed > 0 { format!(", {} accepted", outcome.allowed) } else { String::new() };
    let known = match outcome.known {
        0 => String::new(),
        known => format!(" ({known} known clean from an earlier scan)"),
    };
    let (found, files) = (count(found, "finding", "findings"), count(files, "file", "files"));
    let bytes = count(usize::try_from(bytes).unwrap_or(usize::MAX), "byte", "bytes");
    ui.note(format!("{found}{allowed} in {files}{known}{binary}, {bytes}, {seconds:.2} s"));
}

/// A path of endless folders, its middle left out.
fn shortened(path: &str) -> String {
    let chars: Vec<char> = path.chars().collect();
    if chars.len() <= 2 * PATH_SIDE_CHARS {
        return path.to_owned();
    }
    let side = |part: &[char]| part.iter().collect::<String>();
    let (head, tail) = (&chars[..PATH_SIDE_CHARS], &chars[chars.len() - PATH_SIDE_CHARS..]);
    format!("{}…{}", side(head), side(tail))
}

fn human(located: &Located, ui: &mut Ui) {
    let finding = &located.finding;
    let (path, place) = (Escaped(&located.path), finding.start);
    let severity = findings::name(finding.severity);
    ui.line(format!(
        "{path}:{}:{}  {severity}  {} ({})",
        place.line, place.column, finding.message, finding.rule
    ));
    ui.line(format!("    {}", Escaped(&finding.excerpt)));
    let commit = located.commit.map(|id| format!("  first in commit {id}")).unwrap_or_default();
    ui.line(format!("    fingerprint {}{commit}", finding.fingerprint));
}

/// What to do about a credential in a history, in this order.
const RUNBOOK: [&str; 5] = [
    REVOKE,
    LOOK,
    "3. Only then rewrite, on a fresh clone: `git filter-repo --replace-text FILE`, one line `VALUE==>removed` \
     per value; delete FILE afterwards.",
    "4. Push every branch and tag with force, ask the host to drop its caches and pull request refs, and have \
     every clone made anew.",
    "5. Check: `memsync scan --history --no-cache` on a new clone. A value that is revoked may also stay: \
     `memsync scan allow FINGERPRINT --reason revoked`.",
];

/// The same in a team memory, whose history is signed.
const TEAM_RUNBOOK: [&str; 5] = [
    REVOKE,
    LOOK,
    "3. Only then an admin takes it out of the history: `memsync purge FINGERPRINT`, as printed above. Ask the \
     host to drop its caches and pull request refs.",
    "4. Every member follows: `memsync accept-rewrite`, and then what that says about old objects.",
    "5. Check: `memsync scan --history --no-cache` on a new clone. A value that is revoked may also stay: \
     `memsync scan allow FINGERPRINT --reason revoked`.",
];

const REVOKE: &str = "1. Revoke the credential and make a new one: whoever has a clone or a fork has the old one for ever.";
const LOOK: &str =
    "2. Look for uses of it since the commit that is named, in the logs of the service.";

fn conclude(
    args: &ScanArgs,
    outcome: &ScanOutcome,
    root: &std::path::Path,
    ui: &mut Ui,
) -> Outcome {
    if !outcome.findings.is_empty() {
        if outcome.findings.iter().any(|located| located.commit.is_some()) {
            let is_team = root.join(POLICY_PATH).is_file();
            for step in if is_team { TEAM_RUNBOOK } else { RUNBOOK } {
                ui.next(step);
            }
        } else {
            ui.next(
                "Take the value out and revoke it if it was ever shared. For a false alarm: \
                 `memsync scan allow FINGERPRINT --reason …`, or `memsync:allow` in a comment on the line.",
            );
        }
        return Ok(if args.exit_zero { Exit::Done } else { Exit::No });
    }
    if !outcome.unreadable.is_empty() && !args.skip_unreadable {
        ui.next("Make it readable, or pass `--skip-unreadable`.");
        return Ok(Exit::World);
    }
    if args.source.stdin && outcome.bytes == 0 && !args.skip_unreadable {
        let step =
            "Look at the command before the pipe; `--skip-unreadable` lets nothing pass as clean.";
        return Err(Failure::usage("nothing was scanned: standard input was empty", step));
    }
    let is_empty = outcome.files == 0 && outcome.binary == 0;
    if is_empty && (args.source.staged || args.source.range.is_some()) {
        ui.warn("nothing was scanned: no file is new or changed there");
    } else if is_empty && args.source.history && !args.skip_unreadable {
        let step = "Commit something first, or look at the files with `memsync scan`.";
        return Err(Failure::usage("nothing was scanned: no ref leads to a commit", step));
    } else if is_empty && !args.skip_unreadable {
        return Err(Failure::usage("nothing was scanned: there is no file", "Check the path."));
    }
    Ok(Exit::Done)
}
