//! What Claude Code loads at the start of a session, in its order.
//! Border: rules over files someone else gives; what a touched file adds is `triggered`.

use std::path::{Path, PathBuf};

use crate::instructions::around::Foreign;
use crate::instructions::entry::{Entry, Kind, Level, State};
use crate::instructions::pattern::Patterns;
use crate::instructions::profile::Profile;
use crate::instructions::reader::{Reader, Role};
use crate::instructions::text::{cut, told};

/// A rule that waits for a file.
pub(super) struct Waiting {
    /// Its place among the entries.
    pub(super) at: usize,
    /// The folder its patterns start at.
    pub(super) base: PathBuf,
    pub(super) patterns: Patterns,
}

/// A chain while it is being put together.
pub(super) struct Chain<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) entries: Vec<Entry>,
    /// Rules that are not of the project.
    pub(super) wide: Vec<Waiting>,
    /// Rules of the folder and those above it, from the top.
    pub(super) around: Vec<Waiting>,
}

impl<'a> Chain<'a> {
    /// An empty chain.
    pub(super) fn new(reader: Reader<'a>) -> Self {
        Self { reader, entries: Vec::new(), wide: Vec::new(), around: Vec::new() }
    }
}

impl Chain<'_> {
    pub(super) fn managed(&mut self) {
        let around = self.reader.around;
        let Some(folder) = &around.managed else { return };
        let role = Role::of(Kind::Managed, Level::Managed, State::Start);
        self.reader.load(&folder.join(self.reader.profile.user), role, &mut self.entries);
        if let Some(text) = &around.managed_text {
            let told = told(&text[cut(text).body..]).into_owned();
            let path = folder.join("managed-settings.json");
            let state = if told.is_empty() { State::Empty } else { State::Start };
            let unread = Entry::unread(path, Kind::Managed, Level::Managed, state);
            self.entries.push(Entry { told, bytes: text.len() as u64, ..unread });
        }
        let rules = folder.join(self.reader.profile.rules);
        let waiting = self.rules(&rules, folder, &around.folder, Level::Managed, &State::Start);
        self.wide.extend(waiting);
    }

    pub(super) fn user(&mut self) {
        let around = self.reader.around;
        let Some(folder) = &around.user else { return };
        let role = Role::of(Kind::User, Level::User, State::Start);
        self.reader.load(&folder.join(self.reader.profile.user), role, &mut self.entries);
        let base = folder.parent().unwrap_or(folder);
        let rules = folder.join(self.reader.profile.user_rules);
        let waiting = self.rules(&rules, base, &around.folder, Level::User, &State::Start);
        self.wide.extend(waiting);
    }

    /// The folder and those above it, from the top. What other agents read comes last in each folder.
    pub(super) fn folders(&mut self) {
        let around = self.reader.around;
        let mut ends = Vec::new();
        let mut own = None;
        for folder in above(&around.folder) {
            let from = self.entries.len();
            let is_main_copy = around.nested.as_ref().is_some_and(|(main, nested)| {
                folder.starts_with(main) && !folder.starts_with(nested)
            });
            let waiting = self.folder(&folder, &State::Start, !is_main_copy);
            self.around.extend(waiting);
            let is_own = |entry: &&Entry| {
                matches!(entry.kind, Kind::Project | Kind::Local) && entry.state.is_loaded()
            };
            own = own.or_else(|| self.entries[from..].iter().find(is_own).map(|e| e.path.clone()));
            if !is_main_copy {
                ends.push((self.entries.len(), folder));
            }
        }
        let state = match around.foreign {
            Foreign::Beside => State::Start,
            Foreign::WhereNone => own.map_or(State::Start, State::Shadowed),
            Foreign::Never | Foreign::ManagedOnly => {
                State::Off("the setting for project instructions".to_owned())
            }
        };
        // From the last folder up, so that places stay right.
        let mut added = Vec::new();
        for (end, folder) in ends {
            added.push((end, self.foreign(&folder, &state)));
        }
        for (end, entries) in added.into_iter().rev() {
            let count = entries.len();
            self.entries.splice(end..end, entries);
            for waiting in self.around.iter_mut().filter(|waiting| waiting.at >= end) {
                waiting.at += count;
            }
        }
    }

    fn foreign(&mut self, folder: &Path, state: &State) -> Vec<Entry> {
        let mut found = Vec::new();
        for name in self.reader.profile.foreign {
            let path = folder.join(name);
            let role = Role::of(Kind::Project, Level::Project, State::Start);
            if state.is_loaded() {
                self.reader.load(&path, role, &mut found);
            } else if !self.reader.was_read(&path) && self.reader.is_file(&path) {
                found.push(Entry::unread(path, role.kind, role.level, state.clone()));
            }
        }
        found
    }

    /// The client's own files of one folder.
    pub(super) fn folder(
        &mut self,
        folder: &Path,
        state: &State,
        has_shared: bool,
    ) -> Vec<Waiting> {
        let mut waiting = Vec::new();
        let profile = self.reader.profile;
        let is_start = *state == State::Start;
        let local = |chain: &mut Self| {
            let role = Role::of(Kind::Local, Level::Local, state.clone());
            chain.reader.load(&folder.join(profile.local), role, &mut chain.entries);
        };
        if has_shared {
            for name in profile.project {
                let role = Role::of(Kind::Project, Level::Project, state.clone());
                self.reader.load(&folder.join(name), role, &mut self.entries);
            }
            // Below the folder the client runs in, a person's own come before the rules.
            if !is_start {
                local(self);
            }
            let rules = folder.join(profile.rules);
            waiting = self.rules(&rules, folder, folder, Level::Project, state);
        }
        if is_start || !has_shared {
            local(self);
        }
        waiting
    }

    /// Adds the rules of a folder; those that wait are given back, with where their patterns start.
    fn rules(
        &mut self,
        rules: &Path,
        base: &Path,
        start: &Path,
        level: Level,
        state: &State,
    ) -> Vec<Waiting> {
        let mut waiting = Vec::new();
        let role = Role::of(Kind::Rule, level, state.clone());
        for mut entry in self.reader.rules(rules, base, &role) {
            if let Some(patterns) = Reader::is_waiting(&entry) {
                entry.state = State::Waiting(patterns.clone());
                entry.base = Some(start.to_owned());
                let patterns = Patterns::of(patterns, self.reader.profile);
                let at = self.entries.len();
                waiting.push(Waiting { at, base: start.to_owned(), patterns });
            }
            self.entries.push(entry);
        }
        waiting
    }

    /// The index of the private memory: no imports, cut at whole lines.
    pub(super) fn memory(&mut self) {
        let around = self.reader.around;
        let Some(path) = &around.memory else { return };
        let mut entry = match self.reader.index(path) {
            Some(entry) => entry,
            None => return,
        };
        if let Some(why) = &around.memory_off {
            entry.state = State::Off(why.clone());
        }
        let (lines, kept) = capped(&entry.told, self.reader.profile);
        if kept < lines {
            let last = entry.told.split('\n').take(kept).collect::<Vec<_>>().join("\n");
            entry.told = last;
            entry.cut = Some(format!(
                "cut here: {} of {lines} lines do not fit, from line {}",
                lines - kept,
                kept + 1
            ));
        }
        self.entries.push(entry);
    }
}

/// How many lines a text has, and how many whole lines of it fit.
fn capped(text: &str, profile: &Profile) -> (usize, usize) {
    let mut units = 0;
    let mut kept = 0;
    let mut lines = 0;
    for line in text.split('\n') {
        units += line.encode_utf16().count() + usize::from(lines > 0);
        lines += 1;
        if lines <= profile.memory_lines_max && units <= profile.memory_units_max {
            kept = lines;
        }
    }
    (lines, kept)
}

/// A folder and all above it, from the top.
fn above(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = folder.ancestors().map(Path::to_owned).collect();
    folders.reverse();
    folders
}
