//! Whether a tool may write what it is about to write into the team memory.
//! Border: the verdict is the gate's; here is what would be written, and words an agent can act on.

use std::path::Path;

use serde_json::Value;

use super::input::Input;
use super::shell;
use super::target::{Seen, Target};
use crate::base::path::{EntryMode, MemoryPath};
use crate::gate::verdict::{Reason, Weight};
use crate::gate::{Gate, KIND_NOT_SHARED};
use crate::memory::limits::INDEX_FILE_BYTES_MAX;
use crate::store::locate::TeamPlace;
use crate::sync::error::SyncError;
use crate::sync::repo::team::{Actor, Team};
use crate::system::files::{FileError, Root};

/// So many reasons are told; the rest is a number.
const REASONS_MAX: usize = 5;
/// What a command is called where a finding needs the name of a file.
const COMMAND: &str = "command.md";
/// Folders of the team memory that only memsync and people write into.
const OWN_FOLDERS: [&str; 2] = [".git", ".memsync"];

/// A file that a tool is about to write.
struct Draft {
    path: String,
    before: Option<Vec<u8>>,
    after: Vec<u8>,
}

/// Why the tool may not run; `None` where it may, or where it is none of our business.
///
/// # Errors
/// A team memory that cannot be opened, a file that cannot be read.
pub fn refusal(
    input: &Input,
    seen: &Seen<'_>,
    place: &TeamPlace,
    actor: &Actor,
) -> Result<Option<String>, SyncError> {
    if input.tool == "Bash" {
        return of_command(input.of_tool("command").unwrap_or_default(), seen, place, actor);
    }
    let Some(written) = input.of_tool("file_path") else { return Ok(None) };
    let Target::Team(path) = seen.target(written) else { return Ok(None) };
    if let Some(own) = own_folder(&path) {
        return Ok(Some(of_own_folder(own)));
    }
    let before = on_disk(&place.folder, &path)?;
    let Some(after) = written_text(&input.tool_input, before.as_deref()) else { return Ok(None) };
    let draft = Draft { path, before, after: after.into_bytes() };
    let mut team = Team::open(place)?;
    let reasons = team.with_gate(actor, |_, gate| Ok(new_reasons(gate, &draft)))?;
    Ok(worded(&reasons, &format!("team/{} cannot be shared as it would be", draft.path)))
}

/// What a file will say: the text of `Write`, or the text on disk after the edits.
fn written_text(tool_input: &Value, before: Option<&[u8]>) -> Option<String> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(content) = text(tool_input, "content") {
        return Some(content);
    }
    let mut now = String::from_utf8(before.unwrap_or_default().to_vec()).ok()?;
    let single = std::slice::from_ref(tool_input);
    let edits = tool_input.get("edits").and_then(Value::as_array).map_or(single, Vec::as_slice);
    for edit in edits {
        let (old, new) = (text(edit, "old_string")?, text(edit, "new_string")?);
        let is_all = edit.get("replace_all").and_then(Value::as_bool) == Some(true);
        now = match (old.is_empty(), is_all) {
            (true, _) if now.is_empty() => new,
            (true, _) => return None,
            (false, true) => now.replace(&old, &new),
            (false, false) => now.replacen(&old, &new, 1),
        };
    }
    Some(now)
}

/// The text on disk. A file that is no text, or no file, is the client's business to refuse.
fn on_disk(team: &Path, path: &str) -> Result<Option<Vec<u8>>, SyncError> {
    match Root::open(team)?.read_if_there(path, INDEX_FILE_BYTES_MAX as u64) {
        Ok(found) => Ok(found),
        Err(FileError::NotFound { .. } | FileError::NotAFile { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What the gate refuses in the new text, and did not refuse in the one on disk: whoever takes the first
/// of two credentials out is not stopped for the second.
fn new_reasons(gate: &Gate<'_>, draft: &Draft) -> Vec<Reason> {
    let size = draft.after.len() as u64;
    let path = match gate.entry(draft.path.as_bytes(), EntryMode::File, size) {
        Ok(path) => path,
        Err(reason) => return vec![*reason],
    };
    let refused = |content: &[u8]| {
        let mut reasons = gate.content(&path, content);
        reasons.retain(|reason| reason.weight >= Weight::Refused);
        reasons
    };
    let mut known = draft.before.as_deref().map(refused).unwrap_or_default();
    let mut new = refused(&draft.after);
    new.retain(|reason| {
        let same = |one: &Reason| one.rule == reason.rule && one.message == reason.message;
        match known.iter().position(same) {
            Some(at) => {
                known.swap_remove(at);
                false
            }
            None => true,
        }
    });
    new
}

/// A command that names the team memory and holds a credential, or writes where no agent should.
fn of_command(
    command: &str,
    seen: &Seen<'_>,
    place: &TeamPlace,
    actor: &Actor,
) -> Result<Option<String>, SyncError> {
    let mut is_about_team = false;
    for (folder, word) in shell::words(command) {
        // Options may carry a file: `--output=team/x.md`, `of=team/x.md`.
        let written = word.text.rsplit('=').next().unwrap_or_default();
        let seen_from = seen.target(&shell::join(&folder, written));
        let Target::Team(path) = seen_from else { continue };
        is_about_team = true;
        if let Some(own) = own_folder(&path).filter(|_| word.is_written) {
            return Ok(Some(of_own_folder(own)));
        }
    }
    if !is_about_team && !matches!(seen.target("."), Target::Team(_)) {
        return Ok(None);
    }
    let mut team = Team::open(place)?;
    let name = MemoryPath::parse_bytes(COMMAND.as_bytes()).expect("because the name is a good one");
    let reasons = team.with_gate(actor, |_, gate| Ok(gate.secrets(&name, command.as_bytes())))?;
    Ok(worded(&reasons, "the command names the team memory and holds what cannot be shared"))
}

fn own_folder(path: &str) -> Option<&'static str> {
    let first = path.split('/').next().unwrap_or_default();
    OWN_FOLDERS.into_iter().find(|own| first.eq_ignore_ascii_case(own))
}

fn of_own_folder(own: &str) -> String {
    format!(
        "memsync: `team/{own}` is not written to by agents. Who is in the team and what its rules are is \
         for a person to change, with `memsync member` and the other commands. Nothing was written."
    )
}

/// The reasons in words an agent can act on; `None` where there are none.
fn worded(reasons: &[Reason], subject: &str) -> Option<String> {
    if reasons.is_empty() {
        return None;
    }
    let mut lines = vec![format!("memsync: {subject}:")];
    for reason in reasons.iter().take(REASONS_MAX) {
        let place = reason.position.map(|at| format!("line {}: ", at.line)).unwrap_or_default();
        lines.push(format!("- {place}{}", reason.message));
        if !reason.is_secret() && reason.rule != KIND_NOT_SHARED {
            lines.push(format!("  What to do: {}", reason.next_step));
        }
    }
    if reasons.len() > REASONS_MAX {
        lines.push(format!("- and {} more", reasons.len() - REASONS_MAX));
    }
    if reasons.iter().any(Reason::is_secret) {
        lines.push(
            "Leave the value out and say where it is kept, for example in which vault or variable. If it \
             is no credential, ask the person to accept it with `memsync scan allow`."
                .to_owned(),
        );
    }
    if reasons.iter().any(|reason| reason.rule == KIND_NOT_SHARED) {
        lines.push(
            "Write it to the memory directory itself, the folder above `team/`, which stays on this \
             machine."
                .to_owned(),
        );
    }
    lines.push("Nothing was written.".to_owned());
    Some(lines.join("\n"))
}
