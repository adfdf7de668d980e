//! Finds the memory directory: every rule of the design in order, what each gave, which one won.
//! Border: looks at folders and one settings file; creates nothing.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::project::{linked_worktrees, project_key, project_root};
use crate::system::files::Root;
use crate::system::reading::read_bounded;

/// Claude Code's settings file.
const SETTINGS_BYTES_MAX: u64 = 4_000_000;

/// What the search starts from. The program fills it from its options and the environment.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// `--memdir`.
    pub memdir: Option<PathBuf>,
    /// `MEMSYNC_MEMDIR`.
    pub memsync_memdir: Option<PathBuf>,
    /// `CLAUDE_COWORK_MEMORY_PATH_OVERRIDE`.
    pub cowork_override: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude_config_dir: Option<PathBuf>,
    /// The person's home folder.
    pub home: Option<PathBuf>,
    /// The folder the command runs in.
    pub folder: PathBuf,
}

/// What became of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It decided.
    Won,
    /// It gave a value, but an earlier rule had won.
    Later,
    /// It gave nothing.
    Unset,
    /// It gave a value that may not be used.
    Ignored,
}

/// One rule of the search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Where the value comes from, for example `--memdir`.
    pub source: String,
    /// The value, if there was one.
    pub value: Option<PathBuf>,
    /// What became of it.
    pub fate: Fate,
    /// Why it was ignored.
    pub reason: Option<String>,
}

/// Where the memory directory is, and how that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Located {
    /// The memory directory; it may not exist yet.
    pub memdir: PathBuf,
    /// The project it belongs to; `None` when the folder was named directly.
    pub project_root: Option<PathBuf>,
    /// Every rule in order.
    pub rules: Vec<Rule>,
    /// Memory directories of worktrees and subfolders of the same project, which agents left behind.
    pub strays: Vec<PathBuf>,
}

/// Where a team memory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamPlace {
    /// Its folder.
    pub folder: PathBuf,
    /// The project it belongs to, where one is known; another project's is refused.
    pub project_root: Option<PathBuf>,
}

impl TeamPlace {
    /// A folder that was named without a project.
    pub fn alone(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), project_root: None }
    }
}

impl Located {
    /// The team memory in this memory directory.
    pub fn place(&self) -> TeamPlace {
        TeamPlace { folder: self.team(), project_root: self.project_root.clone() }
    }

    /// The team memory inside it.
    pub fn team(&self) -> PathBuf {
        self.memdir.join("team")
    }
}

/// Why no memory directory could be named.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// There is neither an option nor a home folder.
    #[error("no memory directory can be found: neither `--memdir` nor a home folder is set")]
    NoHome,
    /// The value of the rule that won is not an absolute path.
    #[error("`{origin}` names `{}`, which is not an absolute path", value.display())]
    NotAbsolute {
        /// Which rule.
        origin: String,
        /// Its value.
        value: PathBuf,
    },
}

/// Runs every rule.
pub fn locate(start: &Start) -> Result<Located, LocateError> {
    let root = project_root(&start.folder);
    let mut rules = Vec::new();
    // An option is typed by hand, so it may be relative to where the person stands.
    let typed = start.memdir.as_ref().map(|dir| start.folder.join(dir));
    rules.push(rule("--memdir", typed));
    rules.push(rule("MEMSYNC_MEMDIR", start.memsync_memdir.clone()));
    rules.push(rule("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", start.cowork_override.clone()));
    let config =
        start.claude_config_dir.clone().or_else(|| Some(start.home.as_ref()?.join(".claude")));
    for name in [".claude/settings.json", ".claude/settings.local.json"] {
        rules.extend(ignored_project_setting(&root, name));
    }
    if let Some(config) = &config {
        rules.push(user_setting(&config.join("settings.json"), start.home.as_deref()));
        let projects = config.join("projects");
        let folder = project_key(&root).folder(&projects).join("memory");
        rules.push(rule("the project's key", Some(folder)));
    }
    let won = rules.iter_mut().find(|rule| rule.fate == Fate::Later).ok_or(LocateError::NoHome)?;
    won.fate = Fate::Won;
    let memdir = won.value.clone().expect("because a rule that can win has a value");
    if !memdir.is_absolute() {
        return Err(LocateError::NotAbsolute { origin: won.source.clone(), value: memdir });
    }
    let named_directly = ["--memdir", "MEMSYNC_MEMDIR"].contains(&won.source.as_str());
    let strays =
        config.map(|config| strays(&config.join("projects"), &root, &memdir, &start.folder));
    Ok(Located {
        memdir,
        project_root: (!named_directly).then_some(root),
        rules,
        strays: strays.unwrap_or_default(),
    })
}

fn rule(source: &str, value: Option<PathBuf>) -> Rule {
    let value = value.filter(|value| !value.as_os_str().is_empty());
    let fate = if value.is_some() { Fate::Later } else { Fate::Unset };
    Rule { source: source.to_owned(), value, fate, reason: None }
}

/// `autoMemoryDirectory` in the text of a settings file; `None` when it has none.
fn setting(text: &[u8]) -> Option<String> {
    let json: serde_json::Value = serde_json::from_slice(text).ok()?;
    Some(json.get("autoMemoryDirectory")?.as_str()?.to_owned())
}

/// A setting inside the project may come from anyone who can commit there, so it is never used, and
/// no link that came with the project is followed to read it.
fn ignored_project_setting(root: &Path, name: &str) -> Option<Rule> {
    let text = Root::open(root).ok()?.read_if_there(name, SETTINGS_BYTES_MAX).ok()??;
    let value = setting(&text)?;
    Some(Rule {
        source: format!("autoMemoryDirectory in the project's {name}"),
        value: Some(PathBuf::from(value)),
        fate: Fate::Ignored,
        reason: Some("a project's own settings may not choose where memories are kept".to_owned()),
    })
}

fn user_setting(file: &Path, home: Option<&Path>) -> Rule {
    let source = format!("autoMemoryDirectory in {}", file.display());
    let text = match read_bounded(file, SETTINGS_BYTES_MAX) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => {
            let reason = Some(format!("the file cannot be read: {error}"));
            return Rule { source, value: None, fate: Fate::Ignored, reason };
        }
    };
    let Some(value) = setting(&text) else { return rule(&source, None) };
    let expanded = match (value.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(&value),
    };
    if expanded.is_absolute() {
        return rule(&source, Some(expanded));
    }
    let reason = Some("only an absolute path or one that starts with ~/ is used".to_owned());
    Rule { source, value: Some(expanded), fate: Fate::Ignored, reason }
}

/// Memory directories under other keys of the same project.
fn strays(projects: &Path, root: &Path, memdir: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut places = linked_worktrees(root);
    let here = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    places.extend(here.ancestors().take_while(|dir| dir.starts_with(root)).map(Path::to_owned));
    let mut found: Vec<PathBuf> =
        places.iter().map(|place| project_key(place).folder(projects).join("memory")).collect();
    found.retain(|stray| stray != memdir && stray.is_dir());
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a test prepares folders")]
    fn start(home: &Path) -> Start {
        let folder = home.join("proj");
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        Start { home: Some(home.to_owned()), folder, ..Start::default() }
    }

    #[test]
    fn the_first_rule_that_applies_wins_and_all_are_told() {
        let home = tempfile::tempdir().unwrap();
        let mut start = start(home.path());
        let by_key = locate(&start).unwrap();
        assert!(by_key.memdir.ends_with("memory"));
        assert!(by_key.project_root.is_some());
        start.cowork_override = Some("/cowork".into());
        assert_eq!(locate(&start).unwrap().memdir, Path::new("/cowork"));
        start.memdir = Some("mine".into());
        let located = locate(&start).unwrap();
        assert_eq!(located.memdir, start.folder.join("mine"));
        assert_eq!(located.rules.iter().filter(|r| r.fate == Fate::Won).count(), 1);
        assert_eq!(located.rules.iter().filter(|r| r.fate == Fate::Later).count(), 2);
        start.memdir = None;
        start.memsync_memdir = Some("relative".into());
        assert!(locate(&start).is_err());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test prepares settings files")]
    fn a_checked_in_setting_is_ignored_and_said() {
        let home = tempfile::tempdir().unwrap();
        let start = start(home.path());
        std::fs::create_dir_all(start.folder.join(".claude")).unwrap();
        let text = r#"{"autoMemoryDirectory": "/tmp/evil"}"#;
        std::fs::write(start.folder.join(".claude/settings.json"), text).unwrap();
        let located = locate(&start).unwrap();
        assert_ne!(located.memdir, Path::new("/tmp/evil"));
        assert!(located.rules.iter().any(|r| r.fate == Fate::Ignored));
        std::fs::create_dir_all(home.path().join(".claude")).unwrap();
        let text = r#"{"autoMemoryDirectory": "~/mine"}"#;
        std::fs::write(home.path().join(".claude/settings.json"), text).unwrap();
        assert_eq!(locate(&start).unwrap().memdir, home.path().join("mine"));
    }
}
