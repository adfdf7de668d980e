//! What a session is told in addition when a file is touched: nested instructions and rules by path.
//! Border: adds to a chain; what a pattern matches is `pattern`.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::instructions::chain::{Chain, Waiting};
use crate::instructions::entry::{Entry, State};
use crate::instructions::paths::below;

/// Adds what each touched file brings, in the client's order; nothing is told twice.
pub(super) fn add(chain: &mut Chain<'_>, touched: &[PathBuf]) {
    let mut nested: HashMap<PathBuf, Vec<Waiting>> = HashMap::new();
    let mut moved = HashSet::new();
    for path in touched {
        let wide = std::mem::take(&mut chain.wide);
        chain.wide = fire(chain, wide, path, &mut moved);
        for folder in folders_down(&chain.reader.around.folder, path) {
            let waiting = match nested.remove(&folder) {
                Some(waiting) => waiting,
                None => chain.folder(&folder, &State::Touched(path.clone()), true),
            };
            let left = fire(chain, waiting, path, &mut moved);
            nested.insert(folder, left);
        }
        let around = std::mem::take(&mut chain.around);
        chain.around = fire(chain, around, path, &mut moved);
    }
    // What fired stands where it fired.
    let mut at = 0;
    chain.entries.retain(|_| {
        at += 1;
        !moved.contains(&(at - 1))
    });
}

/// The folders between the one the client runs in and a file below it, from the top.
fn folders_down(folder: &Path, path: &Path) -> Vec<PathBuf> {
    let parents = path.ancestors().skip(1).take_while(|parent| *parent != folder);
    let mut folders: Vec<PathBuf> = parents.map(Path::to_owned).collect();
    folders.reverse();
    if path.starts_with(folder) { folders } else { Vec::new() }
}

/// Adds the rules that match a path; gives back those that still wait.
fn fire(
    chain: &mut Chain<'_>,
    waiting: Vec<Waiting>,
    path: &Path,
    moved: &mut HashSet<usize>,
) -> Vec<Waiting> {
    let mut left = Vec::new();
    for rule in waiting {
        let hit = below(path, &rule.base).filter(|path| rule.patterns.matches(path));
        let Some(hit) = hit else {
            left.push(rule);
            continue;
        };
        let pattern = rule.patterns.hitting(&hit, chain.reader.profile);
        let entry = &chain.entries[rule.at];
        let state = State::Fired { path: path.to_owned(), pattern };
        let fired = Entry { state, ..entry.clone() };
        moved.insert(rule.at);
        chain.entries.push(fired);
    }
    left
}
