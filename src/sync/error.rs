//! Everything that can stop a sharing flow, each with its subject.
//! Border: the exit code and the next step are in `report::advice`.

use std::path::PathBuf;
use std::time::Duration;

use crate::base::id::ObjectId;
use crate::base::text::count;
use crate::config::policy::PolicyError;
use crate::git::GitError;
use crate::git::command::GitCommandError;
use crate::git::url::UrlProblem;
use crate::store::state::StateError;
use crate::sync::reverse_error::ReverseError;
use crate::system::files::FileError;
use crate::trust::signature::SignError;

/// Why a flow stopped. Nothing is lost in any of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// There is no memory directory.
    #[error("there is no memory directory at `{}`", .0.display())]
    NoMemoryDirectory(PathBuf),
    /// There is a memory directory without team memory.
    #[error("there is no team memory at `{}`", .0.display())]
    NoTeam(PathBuf),
    /// `team/` exists but is not a git repository.
    #[error("`{}` is not a git repository", .0.display())]
    NotARepository(PathBuf),
    /// `team/` is a symbolic link.
    #[error("`{}` is a symbolic link; team memory is a real folder", .0.display())]
    TeamIsLink(PathBuf),
    /// Team memory is there already.
    #[error("there is team memory at `{}` already", .0.display())]
    AlreadySetUp(PathBuf),
    /// The team repository belongs to another project.
    #[error("the team memory at `{}` belongs to {owner}, not to {here}", team.display())]
    OtherProject {
        /// The team memory.
        team: PathBuf,
        /// The project it was made for.
        owner: String,
        /// The project the command runs in.
        here: String,
    },
    /// A plain git operation is unfinished.
    #[error("a git {operation} is unfinished in `{}`", team.display())]
    Unfinished {
        /// The team memory.
        team: PathBuf,
        /// Which one.
        operation: &'static str,
    },
    /// HEAD is not on a branch.
    #[error("`{}` is on no branch (detached HEAD)", .0.display())]
    Detached(PathBuf),
    /// The repository was begun and has no commit.
    #[error("`{}` has no commit yet", .0.display())]
    Unborn(PathBuf),
    /// The policy cannot be used.
    #[error("the team's policy cannot be used")]
    Policy(#[source] PolicyError),
    /// The roster cannot be used.
    #[error("the team's roster cannot be used")]
    Roster(#[source] crate::trust::roster::RosterProblem),
    /// The lists of accepted findings cannot be used.
    #[error("the team's lists of accepted findings cannot be used")]
    Lists(#[source] crate::scan::setup_error::SetupError),
    /// Nobody of this name is or was in the team.
    #[error("there is no `{0}` in the roster or the history")]
    NoMember(String),
    /// No remote is set.
    #[error("the team memory at `{}` has no remote", .0.display())]
    NoRemote(PathBuf),
    /// The remote has no such branch.
    #[error("the remote `{remote}` has no branch `{branch}`")]
    NoRemoteBranch {
        /// The remote, safe to show.
        remote: String,
        /// The branch.
        branch: String,
    },
    /// The remote holds history already.
    #[error("the remote `{0}` is not empty: it already holds branches")]
    RemoteNotEmpty(String),
    /// The remote's history does not descend from what was verified before.
    #[error("the remote's history was rewritten: {offered} does not descend from {verified}")]
    Rewritten {
        /// The last verified tip.
        verified: ObjectId,
        /// What the remote offers now.
        offered: ObjectId,
    },
    /// Two histories share no commit.
    #[error("the remote's history has nothing in common with this team memory")]
    Unrelated,
    /// The joined repository does not start as the introduction says.
    #[error("the repository starts with {found}, not with the introduced {expected}")]
    WrongIntroduction {
        /// What was introduced.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The introduction must be confirmed.
    #[error("the introduction `{0}` was not confirmed")]
    UnconfirmedIntroduction(String),
    /// The repository is not a team repository.
    #[error(
        "the repository at `{0}` is not a memsync team repository: it has no `.memsync/policy.yaml`"
    )]
    NotATeamRepository(String),
    /// `ci` was started where no repository is.
    #[error("`{}` is not the top of a git repository", .0.display())]
    NotACheckout(PathBuf),
    /// Someone else works on this team memory.
    #[error("another memsync has been working on `{}` for {}", team.display(), shown(.waited))]
    Busy {
        /// The team memory.
        team: PathBuf,
        /// How long this one waited.
        waited: Duration,
    },
    /// A proposal is to go to the shared branch itself.
    #[error("`{0}` is the shared branch, or cannot be told from it")]
    SharedBranch(String),
    /// A branch of the remote holds something else than what was proposed from here.
    #[error("the branch `{branch}` at `{remote}` holds what this clone did not put there")]
    ForeignBranch {
        /// The remote, safe to show.
        remote: String,
        /// The branch, escaped.
        branch: String,
    },
    /// A way out of a refusal was asked for, and nothing is refused.
    #[error("nothing of what the remote offers is refused")]
    NothingRefused,
    /// A commit that no vouch can lift.
    #[error("commit {} cannot be vouched for: {message}", commit.short())]
    NotVouchable {
        /// The commit.
        commit: ObjectId,
        /// What it breaks.
        message: String,
    },
    /// What a vouch would take in was not confirmed; the lines say what that is.
    #[error("this was not confirmed:\n{}", .0.join("\n"))]
    VouchUnconfirmed(Vec<String>),
    /// A vouch would make admins whom nobody named, or let everybody in.
    #[error("it was not said that {} should become admin", .0.join(", "))]
    UnnamedAdmins(Vec<String>),
    /// Taking refused commits back on the remote was not confirmed.
    #[error("taking {} back on the remote was not confirmed", count(*.0, "commit", "commits"))]
    OverRefusedUnconfirmed(usize),
    /// The remote does not take a push although nobody else moved the branch.
    #[error("`{remote}` did not take the push, though nobody else moved the branch")]
    NotTaken {
        /// The remote, safe to show.
        remote: String,
    },
    /// Other writers were faster until the deadline.
    #[error("other writers were faster {} within {}", count(*.races, "time", "times"), shown(.waited))]
    LostRaces {
        /// How often.
        races: usize,
        /// How long.
        waited: Duration,
    },
    /// A mass deletion was not confirmed.
    #[error("{deleted} of {total} memories are gone from `{}`", team.display())]
    MassDeletion {
        /// The team memory.
        team: PathBuf,
        /// How many are gone.
        deleted: usize,
        /// How many there were.
        total: usize,
    },
    /// The first reconciliation of an index was not confirmed.
    #[error(
        "`MEMORY.md` in `{}` would change in {}:\n{}",
        team.display(), count(lines.len(), "place", "places"), lines.join("\n")
    )]
    FirstReconciliation {
        /// The team memory.
        team: PathBuf,
        /// Every line that would come, go or change, ready to show.
        lines: Vec<String>,
    },
    /// The index on disk is not text.
    #[error("`{}` is not valid UTF-8", .0.display())]
    IndexNotUtf8(PathBuf),
    /// A tree holds a path that no team memory may hold.
    #[error("the team repository holds a path that is not allowed")]
    UnsafeTree(#[source] crate::base::path::PathProblem),
    /// A commit that is not shared yet breaks a rule of the gate.
    #[error("commit {} is not shared: {}", commit.short(), shown_reasons(.reasons))]
    OutgoingRefused {
        /// The first such commit.
        commit: ObjectId,
        /// The team memory.
        team: PathBuf,
        /// The commit before all unshared ones.
        restart: Option<ObjectId>,
        /// Every reason.
        reasons: Vec<crate::gate::verdict::Reason>,
    },
    /// Others would refuse one of our own commits.
    #[error("commit {} would be refused by the team: {}", commit.short(), why(.refusal, .cause.as_deref()))]
    NotAuthorised {
        /// The commit.
        commit: ObjectId,
        /// Why.
        refusal: Box<crate::trust::verdict::Refusal>,
        /// What it is about the person, where that is why.
        cause: Option<Box<super::absence::Absence>>,
    },
    /// A roster team needs a key to sign with.
    #[error("there is no key to sign with")]
    NoKey,
    /// The person cannot be named in a roster.
    #[error("`{0}` cannot become a member id")]
    NoMemberId(String),
    /// The roster cannot be changed like this.
    #[error("the roster stays as it is")]
    RosterChange(#[source] crate::trust::roster::RosterProblem),
    /// A checkout has not the commits that are needed.
    #[error("history is missing: {0}")]
    MissingHistory(String),
    /// Nobody asks under this id or with this key.
    #[error("no request by `{0}` waits on the remote")]
    NoRequest(String),
    /// Several people ask under one id.
    #[error("several requests by `{0}` wait on the remote")]
    ManyRequests(String),
    /// A request found on the remote was not confirmed.
    #[error("the request by `{id}` with the key {fingerprint} was not confirmed")]
    UnconfirmedRequest {
        /// The id.
        id: String,
        /// The key.
        fingerprint: String,
    },
    /// The team memory to be joined is for another project.
    #[error("the team memory at `{remote}` is for the project `{owner}`, and this is `{here}`")]
    ForeignProject {
        /// The remote, safe to show.
        remote: String,
        /// The project it is for, escaped.
        owner: String,
        /// The project here.
        here: String,
    },
    /// The roster is not changed on top of what is refused.
    #[error("the key stays as it is while the remote offers what is refused: {0}")]
    RotationWaits(String),
    /// A vouch does not help.
    #[error("the history is still refused with this vouch: {0}")]
    StillRefused(String),
    /// The caller's own request would not be read by anyone.
    #[error("your request was not made: nobody could let you in by the name `{0}`")]
    OwnRequest(String, #[source] crate::trust::request::RequestProblem),
    /// A line that should ask for membership does not.
    #[error(transparent)]
    Request(#[from] crate::trust::request::RequestProblem),
    /// Nothing of what the remote offers may be taken.
    #[error("nothing that `{remote}` offers may be taken: {refused}")]
    NothingAcceptable {
        /// The remote, safe to show.
        remote: String,
        /// Why, ready to show.
        refused: String,
    },
    /// There is a memory of this name already.
    #[error("there is a memory `{name}` already, in `{path}`")]
    NameTaken {
        /// The name, escaped.
        name: String,
        /// The file.
        path: String,
    },
    /// No open conflict has this id.
    #[error("there is no open conflict `{0}`")]
    NoConflict(String),
    /// Several things begin like this.
    #[error("`{text}` begins several: {}", candidates.join(", "))]
    Ambiguous {
        /// What was typed, escaped.
        text: String,
        /// What it could be.
        candidates: Vec<String>,
    },
    /// What closing a conflict would change was not confirmed.
    #[error("closing it would change `{path}`: {}", changes.join("; "))]
    UnconfirmedEffect {
        /// The file.
        path: String,
        /// Each change, ready to show.
        changes: Vec<String>,
    },
    /// A conflict record cannot be used.
    #[error("{0}")]
    BadRecord(String),
    /// A choice cannot be carried out.
    #[error("the conflict in `{path}` cannot be closed like this")]
    Unresolvable {
        /// The file.
        path: String,
        /// Why.
        #[source]
        problem: crate::merge::conflict::resolve::ResolveProblem,
    },
    /// No such memory.
    #[error("there is no memory `{0}`")]
    NoMemory(String),
    /// A change cannot be taken back.
    #[error(transparent)]
    Reverse(#[from] ReverseError),
    /// The name cannot become a file name.
    #[error("`{0}` cannot become a file name")]
    BadName(String),
    /// A commit is named that is not there.
    #[error("there is no commit `{0}`")]
    NoCommit(String),
    /// The gate said no.
    #[error("the memory was not written: {}", shown_reasons(.0))]
    Refused(Vec<crate::gate::verdict::Reason>),
    /// A file that steers the team is not the caller's to change.
    #[error("nothing was changed: {}", .0.message)]
    NotEntitled(Box<crate::gate::verdict::Reason>),
    /// A name, trailer or message that would travel with the change holds a credential.
    #[error("nothing was committed: {}", shown_reasons(.0))]
    EnvelopeRefused(Vec<crate::gate::verdict::Reason>),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A record cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// Git's data cannot be read or written.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The git configuration cannot be changed.
    #[error(transparent)]
    Config(#[from] crate::git::setup::config::ConfigError),
    /// The git program failed.
    #[error(transparent)]
    Command(#[from] GitCommandError),
    /// A remote address is not acceptable.
    #[error(transparent)]
    Url(#[from] UrlProblem),
    /// The lock cannot be used at all.
    #[error(transparent)]
    Lock(crate::system::lock::LockError),
    /// A memory cannot be sealed, opened or sealed again.
    #[error(transparent)]
    Seal(#[from] super::seal_error::SealError),
    /// The clone and its remote stand apart.
    #[error(transparent)]
    Remote(Box<crate::sync::remote_state::RemoteState>),
    /// A history could not be started anew.
    #[error(transparent)]
    Renew(#[from] super::renew_error::RenewError),
    /// The exchange stopped after local changes were committed.
    #[error(transparent)]
    Unsent(GitCommandError),
    /// A commit could not be signed.
    #[error("the change could not be signed")]
    Sign(#[from] SignError),
}

/// What it is about the person, else what the rule says.
fn why(
    refusal: &crate::trust::verdict::Refusal,
    cause: Option<&super::absence::Absence>,
) -> String {
    cause.map_or_else(|| refusal.to_string(), ToString::to_string)
}

impl From<crate::sync::remote_state::RemoteState> for SyncError {
    fn from(state: crate::sync::remote_state::RemoteState) -> Self {
        Self::Remote(Box::new(state))
    }
}

/// Reasons as `place: message (rule)`, ready to show.
fn shown_reasons(reasons: &[crate::gate::verdict::Reason]) -> String {
    let one =
        |r: &crate::gate::verdict::Reason| format!("{}: {} ({})", r.place(), r.message, r.rule);
    reasons.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// A duration for people.
fn shown(duration: &Duration) -> String {
    count(duration.as_secs_f64().ceil() as usize, "second", "seconds")
}
