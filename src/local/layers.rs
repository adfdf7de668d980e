//! The memories of both layers of a memory directory, as files.
//! Border: lists and finds; a link is never followed, other files and names that cannot be shown are no
//! memories. What a memory says is read by whoever asks.

use std::path::Path;

use crate::base::path::MemoryPath;
use crate::memory::document::Document;
use crate::memory::kind::Scope;
use crate::system::files::{ClosedFolder, FileError, FileKind, Root, WalkLimits};

/// The team memory's folder inside the memory directory.
pub const TEAM: &str = "team";
/// The journal's folder, whose days are no memories.
const JOURNAL: &str = "logs";
/// Where the name and description of a memory stand.
pub const HEAD_BYTES_MAX: usize = 64_000;

/// The layers that are there.
#[derive(Debug)]
pub struct Layers {
    roots: Vec<(Scope, Root)>,
}

/// A memory as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerFile {
    /// Its layer.
    pub layer: Scope,
    /// Below the layer's folder.
    pub file: String,
    /// When it was last written, in nanoseconds since the epoch.
    pub modified_ns: i64,
}

impl LayerFile {
    /// Below the memory directory: `x.md`, `team/x.md`.
    pub fn path(&self) -> String {
        match self.layer {
            Scope::Private => self.file.clone(),
            Scope::Team => format!("{TEAM}/{}", self.file),
        }
    }
}

/// Memories that a name may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// This one.
    One(LayerFile),
    /// None.
    None,
    /// Several; each by its path below the memory directory.
    Several(Vec<String>),
}

impl Layers {
    /// Opens the layers of a memory directory. One that is not there holds nothing; a link in its place
    /// is not followed.
    pub fn open(memdir: &Path) -> Result<Self, FileError> {
        let mut roots = Vec::new();
        for (layer, folder) in
            [(Scope::Private, memdir.to_owned()), (Scope::Team, memdir.join(TEAM))]
        {
            match Root::open(&folder) {
                Ok(root) => roots.push((layer, root)),
                Err(FileError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { roots })
    }

    /// The folder of a layer; `None` where it is not there.
    pub fn root(&self, layer: Scope) -> Option<&Root> {
        self.roots.iter().find(|root| root.0 == layer).map(|root| &root.1)
    }

    /// Every memory of both layers, the newest first.
    pub fn files(&self) -> Result<Vec<LayerFile>, FileError> {
        let mut found = Vec::new();
        for (layer, root) in &self.roots {
            let elsewhere: &[&str] = if *layer == Scope::Private { &[TEAM, JOURNAL] } else { &[] };
            let limits = WalkLimits { closed: ClosedFolder::List, ..WalkLimits::default() };
            for file in root.walk_except(limits, elsewhere)? {
                let Ok(name) = String::from_utf8(file.path) else { continue };
                if file.stat.kind == FileKind::File && is_memory_name(&name, *layer) {
                    let modified_ns = file.stat.modified_ns;
                    found.push(LayerFile { layer: *layer, file: name, modified_ns });
                }
            }
        }
        found.sort_by(|one, other| {
            let newest = other.modified_ns.cmp(&one.modified_ns);
            newest.then_with(|| one.path().cmp(&other.path()))
        });
        Ok(found)
    }

    /// The memories of a layer that bear a name; upper and lower case are the same.
    pub fn bearing(&self, layer: Scope, name: &str) -> Result<Vec<LayerFile>, FileError> {
        let Some(root) = self.root(layer) else { return Ok(Vec::new()) };
        let wanted = name.to_lowercase();
        let mut files = self.files()?;
        files.retain(|file| {
            file.layer == layer
                && bears(root, file).is_some_and(|title| title.to_lowercase() == wanted)
        });
        Ok(files)
    }

    /// The memory of a layer that a name means: its path, its file, the `name` it bears, or the only one
    /// with the text in one of them.
    pub fn find(&self, layer: Scope, name: &str) -> Result<Found, FileError> {
        let Some(root) = self.root(layer) else { return Ok(Found::None) };
        let files: Vec<LayerFile> =
            self.files()?.into_iter().filter(|file| file.layer == layer).collect();
        let exact = files.iter().find(|file| {
            file.path() == name || file.file == name || file.file.strip_suffix(".md") == Some(name)
        });
        if let Some(file) = exact {
            return Ok(Found::One(file.clone()));
        }
        let wanted = name.to_lowercase();
        let named: Vec<(String, LayerFile)> = files
            .into_iter()
            .map(|file| (bears(root, &file).unwrap_or_default().to_lowercase(), file))
            .collect();
        let fits = |is: &dyn Fn(&str, &LayerFile) -> bool| -> Vec<LayerFile> {
            let fitting = named.iter().filter(|(title, file)| is(title, file));
            fitting.map(|(_, file)| file.clone()).collect()
        };
        for found in [
            fits(&|title, file| title == wanted || stem(&file.file).to_lowercase() == wanted),
            fits(&|title, file| {
                !wanted.is_empty()
                    && (title.contains(&wanted) || file.file.to_lowercase().contains(&wanted))
            }),
        ] {
            match found.as_slice() {
                [] => {}
                [one] => return Ok(Found::One(one.clone())),
                several => {
                    return Ok(Found::Several(several.iter().map(LayerFile::path).collect()));
                }
            }
        }
        Ok(Found::None)
    }
}

/// The `name` in the frontmatter of a memory.
pub fn bears(root: &Root, file: &LayerFile) -> Option<String> {
    let (head, _) = root.read_head(&file.file, HEAD_BYTES_MAX).ok()?;
    Document::parse(&String::from_utf8_lossy(&head)).name().map(str::to_owned)
}

/// The file name without folder and extension.
pub fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".md").unwrap_or(name)
}

/// Whether a file is a memory by its name: Markdown, not the index, nothing hidden. In the team's
/// layer the path gate has its say too.
fn is_memory_name(path: &str, layer: Scope) -> bool {
    if layer == Scope::Team && !MemoryPath::parse(path).is_ok_and(|path| path.is_memory()) {
        return false;
    }
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    let stem = path.strip_suffix(".md").unwrap_or_default();
    let aside = stem.eq_ignore_ascii_case("memory") || stem.eq_ignore_ascii_case("readme");
    !stem.is_empty() && !hidden && !aside && !path.chars().any(char::is_control)
}
