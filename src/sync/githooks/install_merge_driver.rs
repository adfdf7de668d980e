//! Installs, removes and looks at the merge driver in any repository.
//! Border: which files git gives to memsync and how it is started; the merge is `sync::merge_driver`.

use std::path::{Path, PathBuf};

use super::HooksError;
use crate::config::policy::POLICY_PATH;
use crate::gate::GITATTRIBUTES;
use crate::git::setup::merge_config::MergeConfig;

/// What git shows while it merges.
const NAME: &str = "merges memories by meaning (memsync)";

const BEGIN: &str = "# memsync merge driver: begin";
const END: &str = "# memsync merge driver: end";

/// The memories of agents in a code repository, at any depth.
const AGENT_MEMORY: &str = "**/.claude/agent-memory/**/*.md merge=memsync\n";

/// What was done, each with the file it was done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverChange {
    /// Git did not know the driver.
    Added(PathBuf),
    /// Git started another program.
    Replaced(PathBuf),
    /// As it should be already.
    Kept(PathBuf),
    /// The driver is out.
    Removed(PathBuf),
}

/// Whether plain git merges memories with memsync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverState {
    /// Git does not know the driver.
    Absent,
    /// It runs.
    Runs,
    /// The program it names is gone; git would report a conflict.
    ProgramGone(PathBuf),
    /// The driver is known, but no attribute of memsync's gives it files.
    NoAttributes,
}

/// Puts the driver into the repository around a folder.
pub fn install(repository: &Path, program: &Path) -> Result<Vec<DriverChange>, HooksError> {
    let place = MergeConfig::find(repository)?;
    let wanted = command(program);
    let config = place.config_path();
    let first = match place.command()? {
        Some(command) if command == wanted => DriverChange::Kept(config),
        Some(_) => DriverChange::Replaced(config),
        None => DriverChange::Added(config),
    };
    let existing = place.attributes()?;
    let text = with_block(existing.as_deref().unwrap_or_default(), attributes(&place));
    let path = place.attributes_path();
    let second = if existing.as_ref() == Some(&text) {
        DriverChange::Kept(path)
    } else {
        place.write_attributes(&text)?;
        DriverChange::Added(path)
    };
    if !matches!(first, DriverChange::Kept(_)) {
        place.set_command(NAME, &wanted)?;
    }
    Ok(vec![first, second])
}

/// Takes the driver out; every other line stays.
pub fn uninstall(repository: &Path) -> Result<Vec<DriverChange>, HooksError> {
    let place = MergeConfig::find(repository)?;
    let mut changes = Vec::new();
    if place.remove_command()? {
        changes.push(DriverChange::Removed(place.config_path()));
    }
    if let Some(existing) = place.attributes()?
        && let Some(rest) = without_block(&existing)
    {
        place.write_attributes(&rest)?;
        changes.push(DriverChange::Removed(place.attributes_path()));
    }
    Ok(changes)
}

/// What really runs.
pub fn status(repository: &Path) -> Result<DriverState, HooksError> {
    let place = MergeConfig::find(repository)?;
    let Some(command) = place.command()? else { return Ok(DriverState::Absent) };
    if let Some(program) = program_of(&command)
        && !program.exists()
    {
        return Ok(DriverState::ProgramGone(program));
    }
    let has_block = place.attributes()?.is_some_and(|text| without_block(&text).is_some());
    Ok(if has_block { DriverState::Runs } else { DriverState::NoAttributes })
}

/// The files git gives to the driver: all of a team memory, elsewhere only those of agents.
fn attributes(place: &MergeConfig) -> &'static str {
    let is_team = place.work_dir().is_some_and(|top| top.join(POLICY_PATH).is_file());
    if is_team { GITATTRIBUTES } else { AGENT_MEMORY }
}

/// Git hands the command to a shell; `%P` arrives quoted.
fn command(program: &Path) -> String {
    let program = program.to_string_lossy().replace('\'', r"'\''");
    format!("'{program}' merge-driver %O %A %B %P")
}

/// The program of a command as [`command`] writes it; `None` for what others wrote.
fn program_of(command: &str) -> Option<PathBuf> {
    let (program, _) = command.strip_prefix('\'')?.split_once("' merge-driver")?;
    Some(PathBuf::from(program.replace(r"'\''", "'")))
}

/// The text with one block of ours at its end; git lets the last line that matches decide.
fn with_block(existing: &[u8], lines: &str) -> Vec<u8> {
    let mut text = without_block(existing).unwrap_or_else(|| existing.to_vec());
    if text.last().is_some_and(|byte| *byte != b'\n') {
        text.push(b'\n');
    }
    text.extend_from_slice(format!("{BEGIN}\n{lines}{END}\n").as_bytes());
    text
}

/// The text without our block; `None` when it has none.
fn without_block(existing: &[u8]) -> Option<Vec<u8>> {
    let mut is_inside = false;
    let mut was_there = false;
    let mut rest = Vec::new();
    for line in existing.split_inclusive(|byte| *byte == b'\n') {
        match line.trim_ascii_end() {
            text if text == BEGIN.as_bytes() => (is_inside, was_there) = (true, true),
            text if text == END.as_bytes() => is_inside = false,
            // A block that lost its end must not swallow lines of others.
            text if is_inside && is_ours(text) => {}
            _ => rest.extend_from_slice(line),
        }
    }
    was_there.then_some(rest)
}

fn is_ours(line: &[u8]) -> bool {
    line.ends_with(b"merge=memsync") || line == b"* -text"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_and_goes_and_every_other_line_stays() {
        for own in ["", "*.md merge=union\n", "*.png binary", "# note\r\n\r\n* text\r\n"] {
            let with = with_block(own.as_bytes(), AGENT_MEMORY);
            assert_eq!(with_block(&with, AGENT_MEMORY), with, "twice is once");
            let rest = String::from_utf8(without_block(&with).unwrap()).unwrap();
            assert_eq!(rest.trim_end(), own.trim_end());
        }
        assert_eq!(without_block(b"*.md merge=union\n"), None);
    }

    #[test]
    fn a_block_that_lost_its_end_swallows_no_line_of_others() {
        let text = format!("{BEGIN}\n{AGENT_MEMORY}*.png binary\n");
        assert_eq!(without_block(text.as_bytes()).unwrap(), b"*.png binary\n");
    }

    #[test]
    fn a_program_is_read_back_from_its_command() {
        for program in ["/usr/bin/memsync", "/home/o'neil/my programs/memsync"] {
            let program = PathBuf::from(program);
            assert_eq!(program_of(&command(&program)), Some(program));
        }
        assert_eq!(program_of("memsync merge-driver %O %A %B %P"), None);
    }
}
