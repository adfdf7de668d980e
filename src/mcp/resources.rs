//! Memories as resources: `memory://team/x.md`, `memory://private/x.md`.
//! Border: addresses and texts; a sealed memory is listed and read as a tool reads it.

use std::path::Path;

use rmcp::model::{Resource, ResourceTemplate};

use super::answer::told;
use super::desk::Call;
use super::reading::raw;
use crate::local::layers::{LayerFile, Layers};
use crate::local::list::list;
use crate::memory::kind::Scope;
use crate::system::clock::Clock;

const TEAM: &str = "memory://team/";
const PRIVATE: &str = "memory://private/";
const INDEX: &str = "MEMORY.md";
/// Addresses in one page of the list.
pub(super) const PAGE: usize = 200;
/// What every memory is.
pub(super) const MARKDOWN: &str = "text/markdown";

/// The address of a memory by its path below the memory directory.
fn address(path: &str) -> String {
    match path.strip_prefix("team/") {
        Some(file) => format!("{TEAM}{file}"),
        None => format!("{PRIVATE}{path}"),
    }
}

/// The layer and file of an address.
fn place(uri: &str) -> Option<(Scope, &str)> {
    let team = uri.strip_prefix(TEAM).map(|file| (Scope::Team, file));
    team.or_else(|| uri.strip_prefix(PRIVATE).map(|file| (Scope::Private, file)))
}

/// The two shapes of addresses.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    [
        ("team", TEAM, "A memory that the team shares"),
        ("private", PRIVATE, "A memory on this machine only"),
    ]
    .map(|(name, start, description)| {
        ResourceTemplate::new(format!("{start}{{+path}}"), name)
            .with_description(description)
            .with_mime_type(MARKDOWN)
    })
    .to_vec()
}

impl Call<'_> {
    /// Every memory and both indexes, from a place on.
    pub(super) fn resources(&self, from: usize) -> Result<(Vec<Resource>, Option<usize>), String> {
        let located = self.located()?;
        let now = Clock::from_environment(self.desk.environment()).map_err(told)?.now().seconds;
        let layers = Layers::open(&located.memdir).map_err(told)?;
        let mut all = Vec::new();
        for (scope, path) in [(Scope::Private, INDEX), (Scope::Team, "team/MEMORY.md")] {
            if layers.root(scope).is_some_and(|root| root.exists(INDEX).unwrap_or(false)) {
                all.push(Resource::new(address(path), path).with_mime_type(MARKDOWN));
            }
        }
        for one in list(&located.memdir, now).map_err(told)?.memories {
            let resource = Resource::new(address(&one.path), one.name).with_mime_type(MARKDOWN);
            all.push(resource.with_description(one.description));
        }
        let next = (all.len() > from + PAGE).then_some(from + PAGE);
        Ok((all.into_iter().skip(from).take(PAGE).collect(), next))
    }

    /// The text behind an address; `None` where there is none.
    pub(super) fn resource(&self, uri: &str) -> Result<Option<String>, String> {
        let Some((layer, file)) = place(uri) else { return Ok(None) };
        let located = self.located()?;
        let layers = Layers::open(&located.memdir).map_err(told)?;
        let Some(root) = layers.root(layer) else { return Ok(None) };
        let known = file == INDEX
            || layers
                .files()
                .map_err(told)?
                .iter()
                .any(|one| one.layer == layer && one.file == file);
        if !known || !root.exists(file).map_err(told)? {
            return Ok(None);
        }
        let one = LayerFile { layer, file: file.to_owned(), modified_ns: 0 };
        Ok(Some(String::from_utf8_lossy(&raw(&layers, &one)?).into_owned()))
    }

    /// Something that differs when what is behind an address may have changed.
    pub(super) fn stamp(&self, uri: &str) -> Option<(i64, u64, u64)> {
        let (layer, file) = place(uri)?;
        let located = self.located().ok()?;
        stamp_of(&located.memdir, layer, file)
    }
}

fn stamp_of(memdir: &Path, layer: Scope, file: &str) -> Option<(i64, u64, u64)> {
    let layers = Layers::open(memdir).ok()?;
    let stat = layers.root(layer)?.stat(file).ok()??;
    Some((stat.modified_ns, stat.size, stat.inode))
}
