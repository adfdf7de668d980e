//! Goes over commits, parents first: facts for the judgement, what changed, what came in as secret.
//! Border: every blob is read and scanned once; this thread reads, all cores digest and scan.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use crate::audit::event::{Event, Leak, MESSAGE_PATH, Touched};
use crate::audit::fields::Digest;
use crate::audit::report::Unread;
use crate::audit::verdict::Verdict;
use crate::base::display::Escaped;
use crate::base::id::ObjectId;
use crate::config::policy::Policy;
use crate::gate::envelope::{Piece, of_commit};
use crate::git::commit::Commit;
use crate::memory::limits::INDEX_FILE_BYTES_MAX;
use crate::secrets::allow::AllowList;
use crate::secrets::finding::record::FindingRecord;
use crate::secrets::masking::{holds_part, without};
use crate::secrets::{Finding, Scanner};
use crate::sync::error::SyncError;
use crate::sync::repo::changed_files::touched;
use crate::sync::repo::team::Team;
use crate::sync::verify::judge::{Judge, OwnChange, head_of};
use crate::trust::authorize::{CommitHead, MergeShape};
use crate::trust::trailers::Trailers;

/// Commits whose files are in memory at once.
const CHUNK: usize = 256;

/// What the scanner says of each blob; empty for most.
pub(crate) type Findings = HashMap<ObjectId, Arc<[Finding]>>;

/// The walk and what it found so far, parents first.
pub(crate) struct Walk<'a> {
    team: &'a Team,
    judge: &'a Judge<'a>,
    allow: AllowList,
    policy: &'a Policy,
    /// Digests of the newest blob of each path, and of those in work.
    digests: HashMap<ObjectId, Arc<Digest>>,
    newest: BTreeMap<String, ObjectId>,
    findings: Findings,
    pub(crate) events: Vec<Event>,
    pub(crate) unread: Vec<Unread>,
    /// Values that stand in the name of a file, too.
    pub(crate) in_names: Vec<Vec<u8>>,
}

/// A commit between being read and becoming an event.
struct Pending {
    commit: Commit,
    head: CommitHead,
    own: OwnChange,
    files: Vec<Touched>,
    /// What travels beside the files, where it holds a credential.
    texts: Vec<(Piece, Vec<Finding>)>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        team: &'a Team,
        judge: &'a Judge<'a>,
        allow: AllowList,
        policy: &'a Policy,
    ) -> Self {
        Self {
            team,
            judge,
            allow,
            policy,
            digests: HashMap::new(),
            newest: BTreeMap::new(),
            findings: HashMap::new(),
            events: Vec::new(),
            unread: Vec::new(),
            in_names: Vec::new(),
        }
    }

    pub(crate) fn into_findings(self) -> Findings {
        self.findings
    }

    /// Goes over commits, parents first; tells after each how many are done.
    pub(crate) fn go(
        &mut self,
        ids: &[ObjectId],
        taken: bool,
        done: &dyn Fn(u64),
    ) -> Result<(), SyncError> {
        let mut count = 0;
        for chunk in ids.chunks(CHUNK) {
            let mut pending = Vec::with_capacity(chunk.len());
            for id in chunk {
                let commit = self.team.repo.commit(*id)?;
                let (head, own) = (head_of(&commit), self.judge.own_change(&commit)?);
                let files = touched(&self.team.repo, &own.files)?;
                pending.push(Pending { commit, head, own, files, texts: Vec::new() });
                count += 1;
                done(count);
            }
            self.read(&pending);
            let scanner = scanner(self.policy);
            pending
                .par_iter_mut()
                .for_each(|one| one.texts = scan_envelope(scanner, &one.commit.raw));
            for one in pending {
                let event = self.event(one, taken);
                self.events.push(event);
            }
            self.forget();
        }
        Ok(())
    }

    /// Reads, digests and scans every blob of a chunk that is not known yet.
    fn read(&mut self, pending: &[Pending]) {
        let mut wanted: BTreeMap<ObjectId, &str> = BTreeMap::new();
        for file in pending.iter().flat_map(|one| &one.files) {
            let ids = file.old.into_iter().chain(file.new);
            for id in ids.filter(|id| !self.digests.contains_key(id)) {
                wanted.entry(id).or_insert(&file.path);
            }
        }
        let mut contents = Vec::new();
        for (id, path) in wanted {
            match self.team.repo.blob(id, INDEX_FILE_BYTES_MAX as u64) {
                Ok(content) => contents.push((id, path, content)),
                Err(error) => {
                    self.digests.insert(id, Arc::default());
                    if self.findings.insert(id, Arc::default()).is_none() {
                        let (path, reason) = (path.to_owned(), error.to_string());
                        self.unread.push(Unread { path, reason });
                    }
                }
            }
        }
        let known = &self.findings;
        let scanner = scanner(self.policy);
        let read: Vec<_> = contents
            .par_iter()
            .map(|(id, path, content)| {
                let scan = || scanner.scan(path, content).into();
                let findings = (!known.contains_key(id)).then(scan);
                (*id, Arc::new(Digest::of(path, content)), findings)
            })
            .collect();
        for (id, digest, findings) in read {
            self.digests.insert(id, digest);
            if let Some(findings) = findings {
                self.findings.insert(id, findings);
            }
        }
    }

    /// Keeps only digests that the next commits are compared with.
    fn forget(&mut self) {
        let newest: std::collections::HashSet<ObjectId> = self.newest.values().copied().collect();
        self.digests.retain(|id, _| newest.contains(id));
    }

    fn event(&mut self, one: Pending, taken: bool) -> Event {
        let Pending { commit, head, own, mut files, texts } = one;
        let mut secrets = Vec::new();
        for (piece, found) in &texts {
            let place = match piece.name.as_str() {
                "commit message" => MESSAGE_PATH.to_owned(),
                _ => format!("({})", piece.shown(found)),
            };
            secrets.extend(self.leaks(&place, commit.id, &[], found));
        }
        for file in &mut files {
            secrets.extend(self.leaks_of(file, commit.id));
            self.note_names(file);
            let none = Arc::default();
            let digest = |id: Option<ObjectId>| id.and_then(|id| self.digests.get(&id));
            let (old, new) = (digest(file.old).unwrap_or(&none), digest(file.new).unwrap_or(&none));
            if file.new.is_some() && file.old.is_some() {
                file.fields.extend(Digest::changes(old, new));
            }
            match file.new {
                Some(id) => drop(self.newest.insert(file.path.clone(), id)),
                None => drop(self.newest.remove(&file.path)),
            }
        }
        let trailers = Trailers::parse(&commit.message).unwrap_or_default();
        let value =
            |piece: &Piece, one: &Finding| Some(piece.text.get(one.bytes.clone())?.to_vec());
        let values_in = |(piece, found): &(Piece, Vec<Finding>)| {
            found.iter().filter_map(|one| value(piece, one)).collect::<Vec<_>>()
        };
        let values: Vec<Vec<u8>> = texts.iter().flat_map(values_in).collect();
        let masked = |text: &str| without(text, values.iter().map(Vec::as_slice));
        let shown = |text: &str| Escaped(&masked(text)).to_string();
        Event {
            commit: commit.id,
            parents: commit.parents,
            time: commit.author_time,
            author: shown(&commit.author.name),
            email: shown(&commit.author.email),
            member: None,
            claimed: trailers.member.map(|member| member.to_string()),
            agent: trailers.agent.as_deref().map(masked),
            session: trailers.session.as_deref().map(masked),
            key: head.signature.as_ref().ok().map(|key| key.fingerprint()),
            subject: Escaped(masked(&commit.message).lines().next().unwrap_or_default())
                .to_string(),
            taken,
            verdict: Verdict::unjudged(),
            altered_merge: own.shape == MergeShape::Altered,
            files,
            secrets,
        }
    }

    /// Notes values that a file has in its name as well. Findings are rare, so the text is read again.
    fn note_names(&mut self, file: &Touched) {
        let Some(id) = file.new else { return };
        let Some(findings) = self.findings.get(&id).filter(|found| !found.is_empty()) else {
            return;
        };
        let Ok(content) = self.team.repo.blob(id, INDEX_FILE_BYTES_MAX as u64) else { return };
        let values = findings.iter().filter_map(|finding| content.get(finding.bytes.clone()));
        let named = values.filter(|value| holds_part(&file.path, value)).map(<[u8]>::to_vec);
        self.in_names.extend(named);
    }

    fn leaks_of(&self, file: &Touched, commit: ObjectId) -> Vec<Leak> {
        let of = |id: Option<ObjectId>| -> &[Finding] {
            id.and_then(|id| self.findings.get(&id)).map_or(&[], |findings| findings)
        };
        self.leaks(&file.path, commit, of(file.old), of(file.new))
    }

    /// What the new findings have that the old have not and nobody accepted.
    fn leaks(&self, path: &str, commit: ObjectId, old: &[Finding], new: &[Finding]) -> Vec<Leak> {
        let commit = commit.to_string();
        let counts = |finding: &&Finding| {
            old.iter().all(|known| known.fingerprint != finding.fingerprint)
                && !self.policy.secrets.off.contains(&finding.rule)
                && !self.allow.allows(finding, path, Some(&commit))
        };
        let leak = |finding: &Finding| {
            let excerpt = Escaped(&finding.excerpt).to_string();
            Leak {
                finding: FindingRecord { excerpt, ..FindingRecord::of(finding, path) },
                present: false,
            }
        };
        new.iter().filter(counts).map(leak).collect()
    }

    /// Marks the credentials that the newest state still holds.
    pub(crate) fn mark_present(
        &self,
        tree: ObjectId,
        events: &mut [Event],
    ) -> Result<(), SyncError> {
        if events.iter().all(|event| event.secrets.is_empty()) {
            return Ok(());
        }
        let files = self.team.repo.tree_files(tree)?;
        let here: std::collections::HashSet<&str> = files
            .values()
            .filter_map(|file| self.findings.get(&file.id))
            .flat_map(|findings| findings.iter().map(|finding| finding.fingerprint.as_str()))
            .collect();
        for leak in events.iter_mut().flat_map(|event| &mut event.secrets) {
            leak.present = here.contains(leak.finding.fingerprint.as_str());
        }
        Ok(())
    }
}

/// The scanner of the team, so that fingerprints are those of its list of accepted findings.
fn scanner(policy: &Policy) -> &Scanner {
    policy.scanner().unwrap_or_else(|| Scanner::builtin())
}

/// The texts beside the files of a commit that hold a credential.
fn scan_envelope(scanner: &Scanner, raw: &[u8]) -> Vec<(Piece, Vec<Finding>)> {
    let scan = |text: &[u8]| scanner.scan("", text);
    let pieces = of_commit(raw).into_iter().map(|piece| (piece.findings(scan), piece));
    pieces.filter(|(found, _)| !found.is_empty()).map(|(found, piece)| (piece, found)).collect()
}

/// A text with every value that was found in it masked, wherever it stands.
pub(crate) fn masked(text: &str, findings: &[Finding]) -> String {
    let mut shown = text.to_owned();
    let mut values: Vec<&str> =
        findings.iter().filter_map(|finding| text.get(finding.bytes.clone())).collect();
    // The longest first: one value may hold another.
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    for value in values.into_iter().filter(|value| !value.trim().is_empty()) {
        shown = shown.replace(value, crate::secrets::finding::MASK);
    }
    shown
}
