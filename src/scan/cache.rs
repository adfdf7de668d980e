//! What a history scan remembers in the git directory: tips that are done, texts that are clean.
//! Border: believed only where nobody else could have written it, and only for the same rules.
//!
//! One record per line: `version`, `shallow`, `read`, then `tip ID`, `leak BLOB CLASS COMMIT PATH`,
//! `clean BLOB CLASS`; a class stands for all places with one verdict. A line that is not understood makes the whole file worthless, never part of it.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::PathBuf;

use super::Scan;
use super::apart::Apart;
use crate::base::id::ObjectId;
use crate::git::objects::FirstSeen;
use crate::git::repo::Repo;
use crate::system::files::{Durability, Root};
use crate::system::reading;

const FORMAT: &str = "memsync.scan-cache/2";
/// Below the git directory that all worktrees share.
const CACHE_FILE: &str = "memsync/scan-cache";
/// A larger file is not read; it would take longer than it saves.
const CACHE_BYTES_MAX: u64 = 64_000_000;
/// So many clean texts are remembered; tips that are done need none of them.
const CLEAN_MAX: usize = 500_000;

/// What is known of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Everything these commits reach was scanned.
    pub(super) tips: Vec<ObjectId>,
    /// Texts that held a finding, accepted or not; they are scanned again each time.
    pub(super) leaks: Vec<FirstSeen>,
    /// Texts without any finding, each with its class.
    pub(super) clean: HashSet<(ObjectId, u128)>,
    /// Texts and bytes below the tips, and files without text.
    pub(super) read: [u64; 3],
}

/// The record of one repository for one set of rules.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    version: String,
    shallow: String,
}

impl Cache {
    /// The record of a repository for what a scan is run with.
    pub fn of(repo: &Repo, scan: &Scan<'_>) -> Self {
        let version = format!("{} {}", scan.scanner.version(), Apart::of(scan).version(scan));
        let folder = repo.common_dir().to_owned();
        // Where history was cut, what a commit reaches changes without the commit changing.
        let cut =
            Root::open(&folder).and_then(|root| root.read_if_there("shallow", CACHE_BYTES_MAX));
        let shallow = match cut {
            Ok(None) => "-".to_owned(),
            Ok(Some(bytes)) => crate::secrets::finding::fingerprint(b"shallow", &bytes),
            Err(_) => "?".to_owned(),
        };
        Self { folder, version, shallow }
    }

    /// What is known; nothing where there is no record, another version, or anybody else's file.
    pub fn load(&self) -> Known {
        let mut text = String::new();
        let open = reading::open_own(&self.folder.join(CACHE_FILE));
        let read = open.and_then(|file| file.take(CACHE_BYTES_MAX).read_to_string(&mut text));
        read.ok().and_then(|_| self.parse(&text)).unwrap_or_default()
    }

    /// Remembers. A disk that refuses costs only time at the next scan.
    pub fn save(&self, known: &Known) {
        let text = self.render(known);
        let root = Root::open(&self.folder);
        drop(
            root.and_then(|root| {
                root.write_private(CACHE_FILE, text.as_bytes(), Durability::Relaxed)
            }),
        );
    }

    fn header(&self) -> [String; 3] {
        let (version, shallow) = (&self.version, &self.shallow);
        [FORMAT.to_owned(), format!("version {version}"), format!("shallow {shallow}")]
    }

    fn parse(&self, text: &str) -> Option<Known> {
        let mut lines = text.lines();
        for expected in self.header() {
            lines.next().filter(|line| *line == expected)?;
        }
        let mut known = Known::default();
        for line in lines.by_ref() {
            let (kind, rest) = line.split_once(' ')?;
            match kind {
                "read" => {
                    let mut numbers = rest.split(' ').map(str::parse);
                    known.read =
                        [numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?];
                }
                "tip" => known.tips.push(rest.parse().ok()?),
                "clean" => {
                    let (id, class) = rest.split_once(' ')?;
                    known.clean.insert((id.parse().ok()?, u128::from_str_radix(class, 16).ok()?));
                }
                "leak" => {
                    let mut parts = rest.splitn(4, ' ');
                    let id = parts.next()?.parse().ok()?;
                    let class = u128::from_str_radix(parts.next()?, 16).ok()?;
                    let commit = Some(parts.next()?.parse().ok()?);
                    let path = unhex(parts.next()?)?;
                    known.leaks.push(FirstSeen { id, commit, path, class });
                }
                "end" => return Some(known),
                _ => return None,
            }
        }
        // Without its last line the file was cut.
        None
    }

    fn render(&self, known: &Known) -> String {
        let mut text = self.header().join("\n");
        let [files, bytes, binary] = known.read;
        text.push_str(&format!("\nread {files} {bytes} {binary}\n"));
        known.tips.iter().for_each(|tip| text.push_str(&format!("tip {tip}\n")));
        for leak in &known.leaks {
            if let Some(commit) = leak.commit {
                let path: String = leak.path.iter().map(|b| format!("{b:02x}")).collect();
                text.push_str(&format!("leak {} {:x} {commit} {path}\n", leak.id, leak.class));
            }
        }
        let clean = known.clean.iter().take(CLEAN_MAX);
        clean.for_each(|(id, class)| text.push_str(&format!("clean {id} {class:x}\n")));
        text.push_str("end -\n");
        text
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pair = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(version: &str) -> Cache {
        Cache { folder: PathBuf::new(), version: version.to_owned(), shallow: "-".to_owned() }
    }

    fn known() -> Known {
        let id = |n: u8| format!("{n:02x}").repeat(20).parse::<ObjectId>().unwrap();
        Known {
            tips: vec![id(1), id(2)],
            leaks: vec![FirstSeen {
                id: id(3),
                path: b"a b\n\xFF".to_vec(),
                commit: Some(id(1)),
                class: 1,
            }],
            clean: HashSet::from([(id(4), 0), (id(5), u128::MAX)]),
            read: [7, 800, 9],
        }
    }

    #[test]
    fn what_is_saved_is_what_is_known() {
        let text = cache("1").render(&known());
        assert_eq!(cache("1").parse(&text), Some(known()));
    }

    #[test]
    fn other_rules_a_cut_file_and_a_strange_line_are_worth_nothing() {
        let text = cache("1").render(&known());
        assert_eq!(cache("2").parse(&text), None);
        assert_eq!(cache("1").parse(&text[..text.len() - 8]), None);
        assert_eq!(cache("1").parse(&text.replace("tip ", "tap ")), None);
        assert_eq!(cache("1").parse(""), None);
    }
}
