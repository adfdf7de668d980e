//! Reads one instruction file with all it imports, and the rules of a folder.
//! Border: which files, and in what order, is `chain`; the disk is behind [`Files`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::text::Position;
use crate::instructions::around::Surroundings;
use crate::instructions::entry::{Entry, Importer, Kind, Level, State};
use crate::instructions::import::{Import, imports, names_a_file};
use crate::instructions::paths::{plain, target};
use crate::instructions::profile::Profile;
use crate::instructions::scope::{Scope, scope};
use crate::instructions::text::{cut, told};
use crate::memory::limits::INDEX_FILE_BYTES_MAX;

/// Files that are read at most, and their bytes together: an agent could not read them either.
const FILES_MAX: usize = 10_000;
const BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Entries of a folder of rules.
const ITEMS_MAX: usize = 10_000;
const INDEX_BYTES_MAX: u64 = INDEX_FILE_BYTES_MAX as u64;

/// Where files come from.
pub trait Files {
    /// The path with every link resolved; `None` when nothing is there.
    fn real(&self, path: &Path) -> Option<PathBuf>;
    /// The content of a regular file of at most `limit` bytes.
    ///
    /// # Errors
    /// Why it is not to be had.
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Unread>;
    /// What is in a folder, in the folder's own order, at most `limit` entries.
    fn list(&self, folder: &Path, limit: usize) -> Vec<Item>;
}

/// Something in a folder; links are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Nothing is there.
    NotThere,
    /// It is a folder, a pipe or a device.
    NoFile,
    /// It has more bytes than asked for.
    TooLarge,
    /// What the system says.
    Refused(String),
}

/// Reads files, each once.
pub(super) struct Reader<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) profile: &'a Profile,
    pub(super) around: &'a Surroundings,
    seen: HashSet<PathBuf>,
    bytes: u64,
}

/// What a file is read as.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) kind: Kind,
    pub(super) level: Level,
    pub(super) state: State,
    importer: Option<Importer>,
    hops: usize,
}

impl Role {
    pub(super) fn of(kind: Kind, level: Level, state: State) -> Self {
        Self { kind, level, state, importer: None, hops: 0 }
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        files: &'a dyn Files,
        profile: &'a Profile,
        around: &'a Surroundings,
    ) -> Self {
        Self { files, profile, around, seen: HashSet::new(), bytes: 0 }
    }

    /// Reads a file and what it imports, depth first. A file that is not there and not imported is
    /// nothing; one that was read before neither.
    pub(super) fn load(&mut self, path: &Path, role: Role, out: &mut Vec<Entry>) {
        let path = plain(path);
        if self.seen.contains(&path) {
            return;
        }
        if role.hops > self.profile.hops_max {
            let state = State::TooDeep(self.profile.hops_max);
            return self.leave(path, role, state, out);
        }
        let excluded =
            self.around.excludes.matching(&path).filter(|_| role.level != Level::Managed);
        if let Some(pattern) = excluded {
            let state = State::Excluded(pattern.to_owned());
            if self.files.real(&path).is_some() {
                self.leave(path, role, state, out);
            }
            return;
        }
        let real = self.files.real(&path);
        self.seen.insert(path.clone());
        let Some(real) = real else { return self.leave(path, role, State::Missing, out) };
        if real != path && !self.seen.insert(real.clone()) {
            return;
        }
        if !self.may_import(&path) {
            return self.leave(path, role, State::NotText, out);
        }
        if self.seen.len() > 2 * FILES_MAX || self.bytes > BYTES_MAX {
            return self.leave(path, role, State::Beyond, out);
        }
        match self.files.read(&path, self.profile.file_bytes_max) {
            Ok(content) => self.take(path, &real, role, &content, out),
            Err(unread) => {
                let state = match unread {
                    Unread::NotThere => State::Missing,
                    Unread::NoFile => State::NoFile,
                    Unread::TooLarge => State::TooLarge(self.profile.file_bytes_max),
                    Unread::Refused(why) => State::Unreadable(why),
                };
                self.leave(path, role, state, out);
            }
        }
    }

    fn take(
        &mut self,
        path: PathBuf,
        real: &Path,
        role: Role,
        content: &[u8],
        out: &mut Vec<Entry>,
    ) {
        self.bytes += content.len() as u64;
        let raw: Arc<str> = Arc::from(String::from_utf8_lossy(content));
        let split = cut(&raw);
        let body = &raw[split.body..];
        let told = told(body).into_owned();
        let front = split.frontmatter.map(|range| scope(&raw[range]));
        let state = if told.is_empty() { State::Empty } else { role.state.clone() };
        let is_empty = told.is_empty();
        out.push(Entry {
            path: path.clone(),
            kind: role.kind,
            level: role.level,
            state,
            bytes: content.len() as u64,
            importer: role.importer.clone(),
            front,
            raw: Arc::clone(&raw),
            told,
            cut: None,
            base: None,
        });
        if is_empty {
            return;
        }
        // What a link leads to is where relative imports start.
        let folder = real.parent().unwrap_or(real).to_owned();
        for import in imports(body) {
            self.follow(&path, &folder, &raw, split.body, &import, &role, out);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one import, and where it stands")]
    fn follow(
        &mut self,
        path: &Path,
        folder: &Path,
        raw: &str,
        body: usize,
        import: &Import,
        role: &Role,
        out: &mut Vec<Entry>,
    ) {
        let Some(wanted) = target(&import.path, folder, self.around.home.as_deref()) else {
            return;
        };
        let importer = Importer {
            path: path.to_owned(),
            at: Position::of(raw, body + import.at),
            written: import.written.clone(),
        };
        let (kind, level) = (Kind::Import, role.level);
        let state = match &role.state {
            State::Start | State::Imported => State::Imported,
            other => other.clone(),
        };
        let role = Role { kind, level, state, importer: Some(importer), hops: role.hops + 1 };
        if !self.may_reach(&wanted, level) && !self.seen.contains(&wanted) {
            let is_there = self.files.real(&wanted).is_some();
            let state = if is_there { State::Outside } else { State::Missing };
            return self.leave(wanted, role, state, out);
        }
        self.load(&wanted, role, out);
    }

    /// Whether a file may be reached from instructions of a level: a person's own may lead anywhere,
    /// others stay below the folder the client runs in, by name and by where links lead.
    pub(super) fn may_reach(&self, path: &Path, level: Level) -> bool {
        if level == Level::User || self.around.may_reach_outside {
            return true;
        }
        let is_inside = |path: &Path| path.starts_with(&self.around.folder);
        is_inside(path) && self.files.real(path).is_none_or(|real| is_inside(&real))
    }

    fn may_import(&self, path: &Path) -> bool {
        let Some(extension) = path.extension() else { return true };
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        self.profile.import_extensions.contains(&extension.as_str())
    }

    /// Says of a file that it is not loaded, where a person would want to know.
    fn leave(&self, path: PathBuf, role: Role, state: State, out: &mut Vec<Entry>) {
        let is_missing = matches!(state, State::Missing);
        let names_one = |importer: &Importer| names_a_file(&importer.written);
        if is_missing && !role.importer.as_ref().is_some_and(names_one) {
            return;
        }
        let importer = role.importer;
        out.push(Entry { importer, ..Entry::unread(path, role.kind, role.level, state) });
    }

    /// The rules of a folder with all they import, in the folder's order. `base` is the folder that
    /// `.claude` is in.
    pub(super) fn rules(&mut self, folder: &Path, base: &Path, role: &Role) -> Vec<Entry> {
        let mut out = Vec::new();
        let mut folders = HashSet::new();
        let mut room = ITEMS_MAX;
        self.rules_in(folder, base, role, &mut folders, &mut room, &mut out);
        out
    }

    fn rules_in(
        &mut self,
        folder: &Path,
        base: &Path,
        role: &Role,
        folders: &mut HashSet<PathBuf>,
        room: &mut usize,
        out: &mut Vec<Entry>,
    ) {
        let Some(real) = self.files.real(folder) else { return };
        let is_link = !self.is_named_so(folder, &real, base);
        if is_link && !self.may_reach(&real, role.level) || !folders.insert(real.clone()) {
            return;
        }
        for item in self.files.list(&real, *room) {
            *room = room.saturating_sub(1);
            let path = folder.join(&item.name);
            if item.is_folder {
                self.rules_in(&path, base, role, folders, room, out);
            } else if item.name.ends_with(".md")
                && let Some(real) = self.files.real(&path)
            {
                let is_link = !self.is_named_so(&path, &real, base);
                if !is_link || self.may_reach(&real, role.level) {
                    self.load(if is_link { &real } else { &path }, role.clone(), out);
                }
            }
        }
    }

    /// Whether no link is on the way from the base to a path.
    fn is_named_so(&self, path: &Path, real: &Path, base: &Path) -> bool {
        let below = path.strip_prefix(base).ok();
        let base = self.files.real(base);
        below.zip(base).is_some_and(|(below, base)| base.join(below) == real)
    }

    /// Whether a path was loaded, or left, before.
    pub(super) fn was_read(&self, path: &Path) -> bool {
        self.seen.contains(path)
    }

    /// Whether a regular file is there.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        let read = self.files.read(path, self.profile.file_bytes_max);
        matches!(read, Ok(_) | Err(Unread::TooLarge))
    }

    /// The private memory's index, as far as it is there: nothing is imported.
    pub(super) fn index(&self, path: &Path) -> Option<Entry> {
        let (kind, level) = (Kind::Memory, Level::User);
        let unread = |state| Some(Entry::unread(path.to_owned(), kind, level, state));
        let content = match self.files.read(path, INDEX_BYTES_MAX) {
            Ok(content) => content,
            Err(Unread::NotThere) => return None,
            Err(Unread::NoFile) => return unread(State::NoFile),
            Err(Unread::TooLarge) => return unread(State::TooLarge(INDEX_BYTES_MAX)),
            Err(Unread::Refused(why)) => return unread(State::Unreadable(why)),
        };
        let raw: Arc<str> = Arc::from(String::from_utf8_lossy(&content));
        let told = told(&raw[cut(&raw).body..]).into_owned();
        let state = if told.is_empty() { State::Empty } else { State::Start };
        let bytes = content.len() as u64;
        Some(Entry { bytes, told, raw, ..Entry::unread(path.to_owned(), kind, level, state) })
    }

    /// Splits what a folder's rules gave: what loads with the session, and what waits for a file.
    pub(super) fn is_waiting(entry: &Entry) -> Option<Vec<String>> {
        match entry.front.as_ref().map(|front| &front.scope) {
            Some(Scope::Paths(patterns)) if entry.state.is_loaded() => Some(patterns.clone()),
            _ => None,
        }
    }
}
