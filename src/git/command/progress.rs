//! Reads git's progress lines (`Receiving objects:  45% (9/20)`).
//! Border: what is no progress line is ignored here; errors are read from the whole stderr later.

use crate::base::display::Escaped;

/// Longest line that is read; a server may send one without end.
const LINE_BYTES_MAX: usize = 400;

/// One step of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What git is doing, escaped, for example `Receiving objects`.
    pub stage: String,
    /// How many are done.
    pub done: u64,
    /// Of how many.
    pub total: u64,
}

/// Cuts a stream into lines, ended by `\n` or by the `\r` that redraws one.
#[derive(Debug, Default)]
pub(super) struct Lines {
    open: Vec<u8>,
}

impl Lines {
    /// Takes the next bytes and reports each whole progress line.
    pub(super) fn feed(&mut self, bytes: &[u8], on_progress: &mut super::OnProgress<'_>) {
        for byte in bytes {
            if matches!(byte, b'\n' | b'\r') {
                if let Some(progress) = read(&String::from_utf8_lossy(&self.open)) {
                    on_progress(progress);
                }
                self.open.clear();
            } else if self.open.len() < LINE_BYTES_MAX {
                self.open.push(*byte);
            }
        }
    }
}

fn read(line: &str) -> Option<Progress> {
    let line = line.strip_prefix("remote: ").unwrap_or(line);
    let (stage, rest) = line.split_once(':')?;
    let counts = rest.split_once('(')?.1.split_once(')')?.0;
    let (done, total) = counts.split_once('/')?;
    let (done, total) = (done.trim().parse().ok()?, total.trim().parse().ok()?);
    rest.contains('%').then(|| Progress { stage: Escaped(stage).to_string(), done, total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_lines_are_read_and_others_ignored() {
        let mut seen = Vec::new();
        let mut lines = Lines::default();
        let mut note = |progress: Progress| seen.push(progress);
        lines.feed(b"remote: Counting objects:  50% (1/2)\rremote: Cou", &mut note);
        lines.feed(b"nting objects: 100% (2/2), done.\nfatal: x (1/2)\n", &mut note);
        lines.feed(b"Receiving \x1b[2J:  45% (9/20), 1 KiB/s\rx: 1% (a/b)\r", &mut note);
        let step = |stage: &str, done, total| Progress { stage: stage.into(), done, total };
        assert_eq!(
            seen,
            [
                step("Counting objects", 1, 2),
                step("Counting objects", 2, 2),
                step("Receiving \\u{1b}[2J", 9, 20),
            ]
        );
    }
}
