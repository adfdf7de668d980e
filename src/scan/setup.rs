//! What a scan is set up with: the repository around a folder, its lists and rules, baselines.
//! Border: reads small files; a file that is there and not understood refuses.

use std::path::{Path, PathBuf};

use super::setup_error::SetupError;
use super::source::{LIST_BYTES_MAX, Source};
use super::{Progress, Scan, files};
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::base::text::place_of;
use crate::base::time::Timestamp;
use crate::config::policy::{POLICY_PATH, Policy};
use crate::secrets::allow::{self, AllowList, Allowed};
use crate::secrets::gitleaks::GitleaksConfig;
use crate::secrets::rules::ruleset::Ruleset;
use crate::secrets::{Finding, Scanner};
use crate::system::files::{Durability, Root};

/// The list of accepted findings, from the root of a repository.
pub const ALLOW_FILE: &str = allow::ALLOW_PATH;
/// The list of accepted places that gitleaks reads.
pub const GITLEAKS_IGNORE_FILE: &str = ".gitleaksignore";

/// The folder whose lists count: the repository around a folder, else the folder itself.
pub fn root_of(folder: &Path) -> PathBuf {
    let has_git = |dir: &&Path| dir.join(".git").exists();
    folder.ancestors().find(has_git).unwrap_or(folder).to_owned()
}

/// Rules of one's own, from the root of a repository.
pub const RULES_FILE: &str = ".memsync/rules.toml";

/// Files a person names instead of the ones of the repository.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// A configuration of gitleaks.
    pub gitleaks: Option<PathBuf>,
    /// A file of rules.
    pub rules: Option<PathBuf>,
}

/// What a scan of one repository is steered by: rules beside the built-in ones, accepted findings.
#[derive(Debug, Default)]
pub struct Setup {
    /// The scanner; `None` where the built-in one is all.
    pub own: Option<Scanner>,
    /// What is accepted.
    pub allow: AllowList,
}

impl Setup {
    /// Reads everything that steers a scan: the policy of a team memory, rules of one's own, the
    /// configuration of gitleaks, the lists of accepted findings, as far as they are there.
    ///
    /// # Errors
    /// A file that is there and not understood: no scan runs with part of its rules or lists.
    pub fn read(source: &Source<'_>, named: &Named, now: Timestamp) -> Result<Self, SetupError> {
        let allow = allow_list(source, now)?;
        Ok(Self { own: scanner(source, named)?, allow })
    }

    /// The scanner.
    pub fn scanner(&self) -> &Scanner {
        self.own.as_ref().unwrap_or_else(|| Scanner::builtin())
    }

    /// Whether it matters in which commit a text is.
    pub fn looks_at_commits(&self) -> bool {
        self.scanner().commits().next().is_some() || self.allow.commits().next().is_some()
    }

    /// Everything in one text, accepted or not but by the rules.
    pub fn findings(&self, path: &str, commit: Option<ObjectId>, content: &[u8]) -> Vec<Finding> {
        let progress = Progress::default();
        let scan =
            Scan { scanner: self.scanner(), allow: AllowList::default(), progress: &progress };
        let found = files::scan_text(&scan, path, commit, content).findings;
        found.into_iter().map(|located| located.finding).collect()
    }
}

/// The scanner for a repository; `None` where the built-in one is all.
fn scanner(source: &Source<'_>, named: &Named) -> Result<Option<Scanner>, SetupError> {
    let policy = source.read(POLICY_PATH)?.map(|text| Policy::parse(&text)).transpose()?;
    let rules = match &named.rules {
        Some(file) => {
            let (folder, name) = split(file)?;
            let text = folder.read(&name, LIST_BYTES_MAX)?;
            Some((file.to_string_lossy().into_owned(), String::from_utf8_lossy(&text).into_owned()))
        }
        None => source.read(RULES_FILE)?.map(|text| (RULES_FILE.to_owned(), text)),
    };
    let gitleaks = gitleaks(source, named.gitleaks.as_deref())?;
    let team = policy.as_ref().filter(|policy| policy.scanner().is_some());
    if team.is_none() && rules.is_none() && gitleaks.is_none() {
        return Ok(None);
    }
    let mut scanner = team.map_or_else(Scanner::to_extend, |policy| policy.secrets.make());
    if let Some((file, text)) = rules {
        scanner = scanner.with_rules(Ruleset::custom(&file, &text)?);
    }
    if let Some(config) = gitleaks {
        scanner = scanner.with_gitleaks(config);
    }
    Ok(Some(scanner))
}

/// The configuration of gitleaks, from the root of a repository.
pub const GITLEAKS_FILE: &str = ".gitleaks.toml";
/// gitleaks itself follows `extend.path` only so far.
const EXTEND_DEPTH_MAX: usize = 2;

/// Reads the gitleaks configuration that applies: the one named, else the repository's own.
fn gitleaks(
    source: &Source<'_>,
    named: Option<&Path>,
) -> Result<Option<GitleaksConfig>, SetupError> {
    let (shown, text) = match named {
        Some(file) => {
            let (folder, name) = split(file)?;
            let text = folder.read(&name, LIST_BYTES_MAX)?;
            (file.to_string_lossy().into_owned(), String::from_utf8_lossy(&text).into_owned())
        }
        None => match source.read(GITLEAKS_FILE)? {
            Some(text) => (GITLEAKS_FILE.to_owned(), text),
            None => return Ok(None),
        },
    };
    extended(source, &shown, &text, 0).map(Some)
}

/// A configuration with what it builds on; those paths start at the root of the repository.
fn extended(
    source: &Source<'_>,
    shown: &str,
    text: &str,
    depth: usize,
) -> Result<GitleaksConfig, SetupError> {
    let mut config = GitleaksConfig::parse(shown, text)?;
    if let Some(path) = config.extend_path.take().filter(|_| depth < EXTEND_DEPTH_MAX) {
        let not_there = || SetupError::NotThere {
            file: Escaped(&place_of(shown, text, &path)).to_string(),
            path: Escaped(&path).to_string(),
        };
        let text = source.read(&path)?.ok_or_else(not_there)?;
        config.extend(extended(source, &path, &text, depth + 1)?);
    }
    Ok(config)
}

/// Reads what the repository accepts.
///
/// # Errors
/// A list that is there and cannot be read or understood.
pub fn allow_list(source: &Source<'_>, now: Timestamp) -> Result<AllowList, SetupError> {
    let mut list = AllowList::default();
    if let Some(text) = source.read(ALLOW_FILE)? {
        list.add_yaml(ALLOW_FILE, &text, now)?;
    }
    if let Some(text) = source.read(GITLEAKS_IGNORE_FILE)? {
        list.add_gitleaks_ignore(GITLEAKS_IGNORE_FILE, &text)?;
    }
    Ok(list)
}

/// Accepts everything a former report names.
///
/// # Errors
/// A file that cannot be read, or is no report of memsync or gitleaks.
pub fn add_baseline(list: &mut AllowList, file: &Path) -> Result<(), SetupError> {
    let (folder, name) = split(file)?;
    let bytes = folder.read(&name, LIST_BYTES_MAX)?;
    let wrong = || SetupError::Baseline { file: file.to_string_lossy().into_owned() };
    let report: serde_json::Value = serde_json::from_slice(&bytes).map_err(|_| wrong())?;
    let findings = report.get("findings").unwrap_or(&report).as_array().ok_or_else(wrong)?;
    for finding in findings {
        let text = |name: &str| finding.get(name).and_then(serde_json::Value::as_str);
        match (text("fingerprint"), text("Fingerprint")) {
            (Some(ours), _) => list.add_fingerprint(ours),
            (None, Some(theirs)) => list.add_gitleaks_ignore(&file.to_string_lossy(), theirs)?,
            (None, None) => return Err(wrong()),
        }
    }
    Ok(())
}

/// Writes a report to a file, for `--write-baseline`.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn write_report(file: &Path, report: &[u8]) -> Result<(), SetupError> {
    let (folder, name) = split(file)?;
    Ok(folder.write_atomic(&name, report, Durability::Durable)?)
}

/// Adds an entry to the repository's list of accepted findings.
///
/// # Errors
/// A fingerprint of the wrong shape, a list that is not understood, a disk that refuses.
pub fn allow(root: &Path, entry: &Allowed, now: Timestamp) -> Result<(), SetupError> {
    if !allow::is_fingerprint(&entry.fingerprint) {
        let shown = Escaped(&entry.fingerprint).to_string();
        return Err(SetupError::Fingerprint { shown });
    }
    let folder = Root::open(root)?;
    let mut text = Source::folder(root).read(ALLOW_FILE)?.unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&allow::entry_text(entry));
    AllowList::default().add_yaml(ALLOW_FILE, &text, now)?;
    Ok(folder.write_atomic(ALLOW_FILE, text.as_bytes(), Durability::Durable)?)
}

fn split(file: &Path) -> Result<(Root, String), SetupError> {
    let parent = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let name =
        name.ok_or_else(|| SetupError::Baseline { file: file.to_string_lossy().into_owned() })?;
    Ok((Root::open(parent)?, name))
}
