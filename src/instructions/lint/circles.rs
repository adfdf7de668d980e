//! Imports that come back to a file they started from.
//! Border: over files that were read; a circle harms nothing, the client reads each file once.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::base::display::Escaped;
use crate::base::text::Position;
use crate::instructions::entry::Entry;
use crate::instructions::import::imports;
use crate::instructions::lint::fault::Fault;
use crate::instructions::lint::faults::Look;
use crate::instructions::paths::target;
use crate::instructions::text::cut;

/// Circles that are told; more are one knot.
const CIRCLES_MAX: usize = 100;

/// An import: the file it means, its place, and what is written.
type Edge = (PathBuf, Position, String);

/// The last import of each circle.
pub fn circles(entries: &[Entry], look: &Look<'_>) -> Vec<Fault> {
    let known: HashSet<&Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
    let mut edges: HashMap<&Path, Vec<Edge>> = HashMap::new();
    for entry in entries.iter().filter(|entry| entry.raw.contains('@')) {
        let body = cut(&entry.raw).body;
        let folder = (look.folder_of)(&entry.path);
        let found = imports(&entry.raw[body..]).into_iter().filter_map(|import| {
            let path = target(&import.path, &folder, look.home)?;
            let at = Position::of(&entry.raw, body + import.at);
            known.contains(path.as_path()).then_some((path, at, import.written))
        });
        edges.insert(&entry.path, found.collect());
    }
    let mut done: HashSet<&Path> = HashSet::new();
    let mut found = Vec::new();
    for entry in entries {
        walk(&entry.path, &edges, &mut done, &mut found);
    }
    found.truncate(CIRCLES_MAX);
    found
}

/// Goes down all imports of a file, without recursion: a circle may be long.
fn walk<'e>(
    start: &'e Path,
    edges: &'e HashMap<&'e Path, Vec<Edge>>,
    done: &mut HashSet<&'e Path>,
    found: &mut Vec<Fault>,
) {
    let mut open: HashSet<&Path> = HashSet::new();
    let mut stack: Vec<(&Path, usize)> = vec![(start, 0)];
    while let Some((path, next)) = stack.pop() {
        if next == 0 && (done.contains(path) || !open.insert(path)) {
            continue;
        }
        let Some((target, at, written)) = edges.get(path).and_then(|all| all.get(next)) else {
            open.remove(path);
            done.insert(path);
            continue;
        };
        stack.push((path, next + 1));
        if open.contains(target.as_path()) {
            let message = format!(
                "`{}` comes back to a file that imports this one; it is read once",
                Escaped(&format!("@{written}"))
            );
            let next = "Take one of the imports of the circle out.".to_owned();
            found.push(Fault::warning(path.to_owned(), Some(*at), "import-cycle", [message, next]));
        } else {
            stack.push((target, 0));
        }
    }
}
