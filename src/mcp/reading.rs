//! `memory_search`, `memory_read`, `memory_list`: what is there.
//! Border: reads; a sealed memory is opened for who may open it without being asked.

use crate::base::text::count;
use crate::local::context::body;
use crate::local::layers::{LayerFile, Layers};
use crate::local::list::{Listed, list};
use crate::local::recall::recall;
use crate::local::search::search;
use crate::mcp::answer::{
    ANSWER_CHARACTERS_MAX, Said, revision_of, team_revision, told, within_limit,
};
use crate::mcp::arguments::{self, given, one_of};
use crate::mcp::desk::Call;
use crate::memories::error::MoveError;
use crate::memories::pick::pick_any;
use crate::memory::kind::{Kind, Scope};
use crate::memory::limits::MEMORY_BYTES_MAX;
use crate::recall::query::Query;
use crate::seal::envelope::is_sealed_text;
use crate::sync::sealed::open::open;
use crate::system::clock::Clock;

/// So many memories are recalled unless told otherwise.
const RECALLED: usize = 5;
/// So many lines with the words are shown.
const MATCHES_MAX: usize = 60;
/// So many names are offered for one that is not there.
const OFFERED_MAX: usize = 5;

impl Call<'_> {
    fn now(&self) -> Result<i64, String> {
        Ok(Clock::from_environment(self.desk.environment()).map_err(told)?.now().seconds)
    }

    /// The memories that matter for a question, then the lines that hold its words.
    pub(super) fn search(&self, arguments: &arguments::Search) -> Said {
        let wanted = arguments.query.trim();
        if wanted.is_empty() {
            return Err(
                "`query` is empty.\nNext: say what you look for, or call memory_list.".to_owned()
            );
        }
        let located = self.located()?;
        let query = Query { text: wanted.to_owned(), ..Query::default() };
        let limit = arguments.limit.unwrap_or(RECALLED).clamp(1, 20);
        let recalled = recall(&located.memdir, &query, limit, self.now()?).map_err(told)?;
        let mut lines = vec![format!("[{}]", team_revision(&located.place()))];
        for memory in &recalled.memories {
            let bytes = memory.text.len() as u64 + memory.cut_bytes;
            let bytes = count(usize::try_from(bytes).unwrap_or(usize::MAX), "byte", "bytes");
            lines.push(format!("{} ({}; {bytes})", memory.path, memory.facts().join(", ")));
            let text = body(memory);
            let shown = text.lines().filter(|line| !line.trim().is_empty()).take(12);
            lines.extend(shown.map(|line| format!("    {line}")));
        }
        let found = search(&located.memdir, wanted).map_err(told)?;
        if !found.matches.is_empty() {
            lines.push(format!("Lines that hold `{wanted}`:"));
            let shown = found.matches.iter().take(MATCHES_MAX);
            lines.extend(shown.map(|one| format!("{}:{}: {}", one.path, one.line, one.text)));
            if found.matches.len() > MATCHES_MAX {
                lines.push(format!("[{} more]", found.matches.len() - MATCHES_MAX));
            }
        }
        if recalled.memories.is_empty() && found.matches.is_empty() {
            lines.push(format!(
                "Nothing is known about `{wanted}`. Next: other words, or memory_list for all there is."
            ));
        }
        Ok(within_limit(lines, "Search for less."))
    }

    /// The whole text of a memory, from a place on.
    pub(super) fn read(&self, arguments: &arguments::Read) -> Said {
        let located = self.located()?;
        let layers = Layers::open(&located.memdir).map_err(told)?;
        let file = self.pick(&layers, &arguments.memory)?;
        let raw = raw(&layers, &file)?;
        let text = String::from_utf8_lossy(&raw);
        let text = match is_sealed_text(&text) {
            true => {
                let opened = open(&located.place(), &self.actor()?, &file.file).map_err(told)?;
                String::from_utf8_lossy(opened.text.as_bytes()).into_owned()
            }
            false => text.into_owned(),
        };
        let total = text.chars().count();
        if arguments.offset > total {
            return Err(format!(
                "`{}` has {total} characters.\nNext: a smaller `offset`.",
                file.path()
            ));
        }
        let shown: String =
            text.chars().skip(arguments.offset).take(ANSWER_CHARACTERS_MAX).collect();
        let mut head = format!("[{} at revision {}", file.path(), revision_of(&raw));
        let end = arguments.offset + shown.chars().count();
        if end < total {
            head += &format!("; {end} of {total} characters, next offset {end}");
        }
        Ok(format!("{head}]\n{shown}"))
    }

    /// Every memory in one line.
    pub(super) fn list(&self, arguments: &arguments::List) -> Said {
        let layer = given(arguments.layer.as_deref());
        let layer = layer.map(|word| one_of("layer", word, &["private", "team"])).transpose()?;
        let kind = given(arguments.kind.as_deref());
        let kind = kind.map(|word| one_of("type", word, &KINDS)).transpose()?;
        let located = self.located()?;
        let all = list(&located.memdir, self.now()?).map_err(told)?;
        let fits = |one: &&Listed| {
            layer.as_deref().is_none_or(|layer| one.layer.name() == layer)
                && kind
                    .as_deref()
                    .is_none_or(|kind| one.kind.is_some_and(|own| own.to_string() == kind))
        };
        let mut lines = vec![format!("[{}]", team_revision(&located.place()))];
        lines.extend(all.memories.iter().filter(fits).map(line));
        if lines.len() == 1 {
            lines.push("There is no such memory yet.".to_owned());
        }
        lines.extend(all.notes.iter().map(|note| format!("[not read: {note}]")));
        Ok(within_limit(lines, "Name a `layer` or a `type`, or use memory_search."))
    }

    /// The memory that a name means; where there is none, names like it and what to call.
    pub(super) fn pick(&self, layers: &Layers, name: &str) -> Result<LayerFile, String> {
        match pick_any(layers, name) {
            Err(MoveError::NoMemory { .. }) => Err(not_found(layers, name)),
            other => other.map_err(told),
        }
    }
}

/// The four kinds, as they are written.
pub(super) const KINDS: [&str; 4] = ["user", "feedback", "project", "reference"];

/// The bytes of a memory.
pub(super) fn raw(layers: &Layers, file: &LayerFile) -> Result<Vec<u8>, String> {
    let root = layers.root(file.layer).ok_or_else(|| format!("`{}` is gone.", file.path()))?;
    root.read(&file.file, MEMORY_BYTES_MAX as u64).map_err(told)
}

fn not_found(layers: &Layers, name: &str) -> String {
    let files = layers.files().unwrap_or_default();
    let wanted = name.to_lowercase();
    let words: Vec<&str> =
        wanted.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect();
    let alike = files
        .iter()
        .map(LayerFile::path)
        .filter(|path| words.iter().any(|word| path.to_lowercase().contains(word)));
    let alike: Vec<String> = alike.take(OFFERED_MAX).collect();
    let offered = match alike.is_empty() {
        true => String::new(),
        false => format!(" Alike: {}.", alike.join(", ")),
    };
    format!(
        "There is no memory `{name}`.{offered}\nNext: memory_search with what it is about, or memory_list."
    )
}

fn line(one: &Listed) -> String {
    let mut facts: Vec<String> = one.kind.iter().map(Kind::to_string).collect();
    facts.push(match one.age_days {
        0 => "today".to_owned(),
        days => {
            format!("{} old", count(usize::try_from(days).unwrap_or(usize::MAX), "day", "days"))
        }
    });
    facts.extend(one.author.iter().map(|author| format!("by {author}")));
    facts.extend(one.is_sealed.then(|| "sealed".to_owned()));
    facts.extend(one.has_conflict.then(|| "conflict open".to_owned()));
    facts.extend(one.superseded_by.iter().map(|by| format!("replaced by {by}")));
    if one.layer == Scope::Private {
        facts.push("on this machine only".to_owned());
    }
    format!("{} — {} ({})", one.path, one.description, facts.join(", "))
}
