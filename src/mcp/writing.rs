//! `memory_write` and `memory_delete`: through the gate, as `remember` and `forget` are.
//! Border: a text that changed since it was read is not written over.

use crate::agents::background::{Want, ask};
use crate::local::layers::Layers;
use crate::mcp::answer::{Said, revision_of, team_revision, told};
use crate::mcp::arguments::{self, given, one_of};
use crate::mcp::desk::Call;
use crate::mcp::reading::{KINDS, raw};
use crate::memories::private::{forget_private, read_private};
use crate::memories::remember::{remember_for_team, remember_privately};
use crate::memories::share::Places;
use crate::memory::kind::{Kind, Scope};
use crate::store::agent_state::{AgentState, Wish};
use crate::store::locate::Located;
use crate::sync::write::remember::{NewMemory, Remembered, forget_for_team};

impl Call<'_> {
    /// Writes a memory, new or in place of one of the same name.
    pub(super) fn write(&self, arguments: &arguments::Write) -> Said {
        one_of("type", &arguments.kind, &KINDS)?;
        let kind = Kind::parse(&arguments.kind).ok_or("there is no such type")?;
        let layer = match given(arguments.layer.as_deref()) {
            Some(word) => one_of("layer", word, &["private", "team"])?,
            None => kind.default_scope().name().to_owned(),
        };
        if arguments.text.trim().is_empty() {
            return Err("`text` is empty.\nNext: say what is to be remembered.".to_owned());
        }
        let located = self.located()?;
        if let Some(revision) = given(arguments.revision.as_deref()) {
            refuse_changed(&located, &layer, &arguments.name, revision)?;
        }
        let memory = NewMemory {
            name: arguments.name.clone(),
            kind,
            description: arguments.description.clone(),
            body: arguments.text.clone(),
            replace: arguments.replace,
            supersedes: Vec::new(),
            path: None,
        };
        if layer == Scope::Private.name() {
            let done = remember_privately(&located.memdir, &memory).map_err(told)?;
            return self.written(&located, &done);
        }
        let place = located.place();
        let places = Places { memdir: &located.memdir, team: &place };
        let done = remember_for_team(places, &self.actor()?, &memory).map_err(told)?;
        self.share(&located);
        self.written(&located, &done)
    }

    /// Removes a memory that is there.
    pub(super) fn delete(&self, arguments: &arguments::Delete) -> Said {
        let located = self.located()?;
        let layers = Layers::open(&located.memdir).map_err(told)?;
        let file = self.pick(&layers, &arguments.memory)?;
        let raw = raw(&layers, &file)?;
        if let Some(revision) = given(arguments.revision.as_deref())
            && revision != revision_of(&raw)
        {
            return Err(changed(&file.path(), &raw));
        }
        if file.layer == Scope::Private {
            let (file, raw) = read_private(&located.memdir, &file.file).map_err(told)?;
            forget_private(&located.memdir, &file, &raw).map_err(told)?;
            return Ok(format!(
                "Removed {}. It was on this machine only and has no history.",
                file.path()
            ));
        }
        let done = forget_for_team(&located.place(), &self.actor()?, &file.file).map_err(told)?;
        self.share(&located);
        let history = match done.is_shared {
            true => "The others keep it in their history.",
            false => "Nobody else had it.",
        };
        Ok(format!("[{}]\nRemoved team/{}. {history}", team_revision(&located.place()), done.path))
    }

    fn written(&self, located: &Located, done: &Remembered) -> Said {
        let layers = Layers::open(&located.memdir).map_err(told)?;
        let path = match done.scope {
            Scope::Team => format!("team/{}", done.path),
            Scope::Private => done.path.to_string(),
        };
        let file = self.pick(&layers, &path)?;
        let revision = revision_of(&raw(&layers, &file)?);
        let held = done.exchange.iter().flat_map(|exchange| &exchange.staged.held_back);
        let held: Vec<String> = held
            .flat_map(|held| {
                held.reasons.iter().map(|reason| format!("team/{}: {}", held.path, reason.message))
            })
            .collect();
        let mut text = format!("[{path} at revision {revision}]\nWritten.");
        text += match done.scope {
            Scope::Team => " It is shared with the team in the background.",
            Scope::Private => " It stays on this machine.",
        };
        if !held.is_empty() {
            text += &format!("\nNot shared until corrected:\n- {}", held.join("\n- "));
        }
        Ok(text)
    }

    /// Asks for a push beside the client. Who cannot have it shares with the next sync.
    fn share(&self, located: &Located) {
        let state = AgentState::open(self.desk.environment(), &located.memdir).ok().flatten();
        let wish = Wish { agent: self.client.clone(), session: None };
        let start = || self.desk.start_sharing(self.folder.as_deref());
        if let Some(state) = state {
            ask(&state, Want::Push, &wish, &start).ok();
        }
    }
}

/// Refuses to write over a text that is not the one that was read.
fn refuse_changed(
    located: &Located,
    layer: &str,
    name: &str,
    revision: &str,
) -> Result<(), String> {
    let layers = Layers::open(&located.memdir).map_err(told)?;
    let scope = if layer == Scope::Team.name() { Scope::Team } else { Scope::Private };
    let found = layers.find(scope, name).map_err(told)?;
    let crate::local::layers::Found::One(file) = found else {
        return Err(format!(
            "There is no one memory `{name}` in the {layer} layer.\nNext: leave `revision` out to write a new one."
        ));
    };
    let now = raw(&layers, &file)?;
    if revision_of(&now) == revision { Ok(()) } else { Err(changed(&file.path(), &now)) }
}

fn changed(path: &str, now: &[u8]) -> String {
    format!(
        "`{path}` changed since you read it; it is at revision {} now.\nNext: memory_read it again, bring your change into the newer text.",
        revision_of(now)
    )
}
