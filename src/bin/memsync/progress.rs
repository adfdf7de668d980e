//! Progress on stderr for what takes longer than half a second: only on a terminal, never with
//! `-q` or a format for programs.
//! Border: draws; what goes on is told by the commands and by `git::command`.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memsync::git::command::{self, Git};

use crate::global::{AnyFormat, GlobalArgs};

/// What is faster than this shows nothing: a flicker helps nobody.
const PATIENCE: Duration = Duration::from_millis(500);

/// Time between two frames of the spinner.
const FRAME: Duration = Duration::from_millis(120);

/// Shows progress, or nothing where it must not be drawn.
#[derive(Clone)]
pub(crate) struct Progress {
    is_drawn: bool,
    bar: Arc<Mutex<Option<ProgressBar>>>,
}

/// Progress is shown while this lives.
pub(crate) struct Busy {
    progress: Progress,
    /// Dropped to end the wait of the thread that begins to draw.
    _waiting: Option<Sender<()>>,
}

impl Progress {
    /// Decides once whether anything is drawn.
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        let is_for_people = matches!(global.format, AnyFormat::Human | AnyFormat::Html);
        let is_drawn = !global.quiet && is_for_people && std::io::stderr().is_terminal();
        Self { is_drawn, bar: Arc::default() }
    }

    /// A git program whose transfers are shown.
    pub(crate) fn watch(&self, git: Git) -> Git {
        if !self.is_drawn {
            return git;
        }
        let own = self.clone();
        git.watched(move |step| own.step(&step))
    }

    /// Begins to show that something goes on, once it has taken a while.
    pub(crate) fn start(&self, what: &'static str) -> Busy {
        if !self.is_drawn {
            return Busy { progress: self.clone(), _waiting: None };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(spinner());
        bar.set_message(what);
        self.set(Some(bar.clone()));
        let (waiting, ended) = channel::<()>();
        std::thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) && !bar.is_finished()
            {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.enable_steady_tick(FRAME);
            }
        });
        Busy { progress: self.clone(), _waiting: Some(waiting) }
    }

    /// Takes the bar away for good, because someone is asked or something is said.
    pub(crate) fn pause(&self) {
        self.set(None);
    }

    fn set(&self, bar: Option<ProgressBar>) {
        // A poisoned lock means a panic elsewhere; drawing on is then the least concern.
        if let Ok(mut current) = self.bar.lock()
            && let Some(old) = std::mem::replace(&mut *current, bar)
        {
            old.finish_and_clear();
        }
    }

    fn step(&self, step: &command::Progress) {
        let Ok(current) = self.bar.lock() else { return };
        let Some(bar) = current.as_ref() else { return };
        if step.done < step.total {
            bar.set_style(counted());
            bar.set_length(step.total);
            bar.set_position(step.done);
        } else {
            bar.set_style(spinner());
        }
        bar.set_message(step.stage.clone());
    }
}

impl Busy {
    /// Shows how much of a known amount is done.
    pub(crate) fn reach(&self, stage: &'static str, done: u64, total: u64) {
        let Ok(current) = self.progress.bar.lock() else { return };
        let Some(bar) = current.as_ref() else { return };
        if bar.length() != Some(total) {
            bar.set_style(counted());
            bar.set_length(total);
            bar.set_message(stage);
        }
        bar.set_position(done);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.progress.set(None);
    }
}

fn spinner() -> ProgressStyle {
    style("{spinner} {msg} …")
}

fn counted() -> ProgressStyle {
    style("{spinner} {msg} [{bar:30}] {pos}/{len}")
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("because both templates are valid")
}
