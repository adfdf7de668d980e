//! Whether what an agent is told is sound: imports, rules, limits, credentials, memories that repeat it.
//! Border: reads the machine and the project; the rules are `instructions`, `secrets` and `base::hidden`.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::disk::Disk;
use super::instructions::{Agent, Question, Told, told};
use super::walk::{Wanted, walk};
use crate::base::display::Escaped;
use crate::base::text::Position;
use crate::base::time::Timestamp;
use crate::instructions::lint::circles::circles;
use crate::instructions::lint::fault::Fault;
use crate::instructions::lint::faults::{Look, faults};
use crate::instructions::pattern::Patterns;
use crate::instructions::scope::Scope;
use crate::instructions::{Entry, Files, Kind, Level};
use crate::memory::advice::repeats::Known;
use crate::memory::document::Document;
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::scan::setup::{Named, Setup, root_of};
use crate::scan::setup_error::SetupError;
use crate::scan::source::Source;
use crate::secrets::Finding;
use crate::secrets::masking::without_values;
use crate::store::agent::claude_code::{MEMORY_INDEX, PROFILE};

/// Memories that are compared with what an agent is told.
const MEMORIES_MAX: usize = 5_000;
/// The folder in which a client keeps rules and instructions of a folder.
const CLIENT_FOLDER: &str = ".claude";
/// The folder of the team layer.
const TEAM: &str = "team";

/// What a check found.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What is wrong, by file and place.
    pub faults: Vec<Fault>,
    /// Files that were looked at.
    pub files: usize,
    /// What a person should know beside.
    pub notes: Vec<String>,
    /// The folder, links resolved.
    pub folder: PathBuf,
}

/// Checks everything an agent is told in a folder, now and when it works below it.
///
/// # Errors
/// Lists or rules of credentials that are there and not understood.
pub fn check(question: &Question<'_>, now: Timestamp) -> Result<Checked, SetupError> {
    let mut first = told(question);
    let mut found = Vec::new();
    if question.agent == Agent::ClaudeCode {
        found.extend(below(question, &mut first));
    }
    let Told { entries, notes, folder } = first;
    let is_file = |path: &Path| std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let folder_of = |path: &Path| {
        let real = Disk.real(path).unwrap_or_else(|| path.to_owned());
        real.parent().map_or(real.clone(), Path::to_owned)
    };
    let home = question.environment.home();
    let look = Look { is_file: &is_file, folder_of: &folder_of, home: home.as_deref() };
    for entry in &entries {
        found.extend(faults(entry, &PROFILE, &look));
    }
    if question.agent == Agent::ClaudeCode {
        found.extend(circles(&entries, &look));
    }
    found.extend(secrets(&entries, &folder, now)?);
    if let Some(memdir) = question.memdir {
        found.extend(repeats(&entries, memdir));
    }
    found.sort_by(|a, b| (&a.path, a.position, &a.rule).cmp(&(&b.path, b.position, &b.rule)));
    found.dedup();
    let files = entries.iter().filter(|entry| !entry.raw.is_empty()).count();
    Ok(Checked { faults: found, files, notes, folder })
}

/// Adds the instructions of folders below, and looks for rules that match no file.
fn below(question: &Question<'_>, first: &mut Told) -> Vec<Fault> {
    let mut wanted = wanted(&first.entries, &first.folder);
    let names = [PROFILE.user, PROFILE.local, CLIENT_FOLDER];
    let patterns = |wanted: &mut Vec<(PathBuf, Wanted)>| {
        std::mem::take(wanted).into_iter().unzip::<PathBuf, Wanted, Vec<_>, Vec<_>>()
    };
    let (mut rules, mut asked) = patterns(&mut wanted);
    let walked = walk(&first.folder, &asked, &names);
    if walked.is_cut {
        first
            .notes
            .push("the project is too large: rules were not compared with its files".to_owned());
        return Vec::new();
    }
    // What is in folders below is told when a file there is touched: ask as if each were.
    let nested: Vec<PathBuf> = walked
        .named
        .into_iter()
        .filter(|path| !first.entries.iter().any(|e| e.path == *path))
        .collect();
    if !nested.is_empty() {
        let known = first.entries.len();
        let more = told(&Question { touched: &nested, ..question.clone() });
        let is_new = |entry: &Entry| !first.entries.iter().any(|known| known.path == entry.path);
        let new: Vec<Entry> = more.entries.into_iter().filter(|entry| is_new(entry)).collect();
        first.entries.extend(new);
        let mut later = self::wanted(&first.entries[known..], &first.folder);
        if !later.is_empty() {
            let (more_rules, more_asked) = patterns(&mut later);
            walk(&first.folder, &more_asked, &[]);
            rules.extend(more_rules);
            asked.extend(more_asked);
        }
    }
    let unmet = rules
        .into_iter()
        .zip(asked)
        .filter(|(_, rule)| !rule.is_met.load(std::sync::atomic::Ordering::Relaxed));
    unmet.map(|(path, rule)| unmet_fault(path, &rule, &first.entries)).collect()
}

fn unmet_fault(path: PathBuf, rule: &Wanted, entries: &[Entry]) -> Fault {
    let entry = entries.iter().find(|entry| entry.path == path);
    let line = entry.and_then(|entry| {
        entry
            .raw
            .lines()
            .position(|line| line.trim_start().trim_start_matches(['"', '\'']).starts_with("paths"))
    });
    let at = line.map(|line| Position { line: line + 1, column: 1 });
    let shown: Vec<String> = rule
        .patterns
        .written()
        .iter()
        .take(10)
        .map(|pattern| format!("`{}`", Escaped(pattern)))
        .collect();
    let message =
        format!("no file of the project matches {}, so the rule is never told", shown.join(", "));
    let next = "Correct the patterns, which start at the folder of `.claude`; files that git ignores were not looked at.";
    Fault::error(path, at, "rule-matches-nothing", [message, next.to_owned()])
}

/// The project's rules with patterns, and where these start. Those of folders above, and a person's
/// own, are about other projects, too.
fn wanted(entries: &[Entry], folder: &Path) -> Vec<(PathBuf, Wanted)> {
    let rule = |entry: &Entry| {
        let Some(Scope::Paths(patterns)) = entry.front.as_ref().map(|front| &front.scope) else {
            return None;
        };
        let base = entry.base.as_ref().filter(|base| base.starts_with(folder))?;
        if entry.kind != Kind::Rule || !matches!(entry.level, Level::Project | Level::Local) {
            return None;
        }
        let patterns = Patterns::of(patterns.clone(), &PROFILE);
        let wanted = Wanted { base: base.clone(), patterns, is_met: AtomicBool::new(false) };
        Some((entry.path.clone(), wanted))
    };
    entries.iter().filter_map(rule).collect()
}

/// Credentials, as `memsync scan` finds them in the project.
fn secrets(entries: &[Entry], folder: &Path, now: Timestamp) -> Result<Vec<Fault>, SetupError> {
    let root = root_of(folder);
    let setup = Setup::read(&Source::folder(&root), &Named::default(), now)?;
    let mut found = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.raw.is_empty()) {
        let path = entry.path.strip_prefix(&root).unwrap_or(&entry.path).to_string_lossy();
        let mut findings: Vec<Finding> = setup.findings(&path, None, entry.raw.as_bytes());
        findings.retain(|finding| !setup.allow.allows(finding, &path, None));
        let shown = without_values(&entry.path.to_string_lossy(), entry.raw.as_bytes(), &findings);
        found.extend(findings.into_iter().map(|finding| {
            let message = format!("looks like a secret: {}", Escaped(&finding.excerpt));
            let next = format!(
                "Take it out and rotate it, or accept it with `memsync scan allow {} --reason …`.",
                finding.fingerprint
            );
            let says = [message, next];
            Fault::error(PathBuf::from(&shown), Some(finding.start), &finding.rule, says)
        }));
    }
    Ok(found)
}

/// Memories of both layers that say what a file says already.
fn repeats(entries: &[Entry], memdir: &Path) -> Vec<Fault> {
    let mut known = Known::default();
    for entry in entries.iter().filter(|entry| entry.kind != Kind::Memory) {
        known.add(entry.path.to_string_lossy().into_owned(), &entry.told);
    }
    let mut found = Vec::new();
    for folder in [memdir.to_owned(), memdir.join(TEAM)] {
        let mut items = Disk.list(&folder, MEMORIES_MAX);
        items.sort_by(|a, b| a.name.cmp(&b.name));
        let is_memory = |name: &str| name.ends_with(".md") && name != MEMORY_INDEX;
        for item in items.iter().filter(|item| !item.is_folder && is_memory(&item.name)) {
            let path = folder.join(&item.name);
            let Ok(content) = Disk.read(&path, MEMORY_BYTES_MAX as u64) else { continue };
            let document = Document::parse(&String::from_utf8_lossy(&content));
            if let Some(by) = known.holding(document.body(), None) {
                let message = format!("the memory says what `{}` says already", Escaped(by));
                let next = "Forget the memory, or take the text out of the file.".to_owned();
                found.push(Fault::warning(path, None, "memory-repeats", [message, next]));
            }
        }
    }
    found
}
