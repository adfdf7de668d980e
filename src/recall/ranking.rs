//! Orders the memories for a prompt and draws the line: certain to help, or nothing.
//! Border: the verdict with its reasons, as values; showing them is the doors' business.

use super::candidate::{Candidate, Indexed, index};
use super::query::{Query, Request};
use super::score::{Collection, Match, Scored};
use super::subject::{Replaced, Successors};
use super::terms::Reader;
use super::tools::{self, Stance};
use super::weights;

/// All candidates, best first, and what was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The chosen ones first.
    pub judged: Vec<Judged>,
    /// What the best one had to reach.
    pub line: f64,
    /// What the others had to reach beside it.
    pub beside: f64,
    /// Whether the prompt says that it carries all it needs.
    pub is_self_contained: bool,
}

/// A candidate and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The candidate's place.
    pub place: usize,
    /// Its final score.
    pub score: f64,
    /// Whether it is recalled.
    pub is_chosen: bool,
    /// What it answers, the heaviest first.
    pub matches: Vec<Match>,
    /// What raised, lowered or barred it.
    pub notes: Vec<Note>,
}

/// What raised, lowered or barred a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It warns about a tool in use.
    WarnsAboutTool,
    /// It is the plain reference of a tool in use, so it is left out.
    DocumentsTool,
    /// It was already shown, so it is left out.
    Surfaced,
    /// The candidate at this place replaces it.
    ReplacedBy(usize, Replaced),
    /// It replaces the candidate at this place and stands in for it.
    Replaces(usize),
    /// What replaces it was already shown, so it is left out.
    ReplacedBySurfaced(usize),
    /// A memory that was already shown answers the prompt better.
    AnsweredBefore,
}

impl Note {
    fn bars(self) -> bool {
        matches!(self, Self::DocumentsTool | Self::Surfaced | Self::ReplacedBySurfaced(_))
    }
}

impl Ranking {
    /// The places of the recalled candidates, best first.
    pub fn chosen(&self) -> impl Iterator<Item = usize> {
        self.judged.iter().filter(|judged| judged.is_chosen).map(|judged| judged.place)
    }
}

/// Ranks candidates for a query and chooses at most `limit` of them.
pub fn rank(candidates: &[Candidate], query: &Query, limit: usize) -> Ranking {
    let mut reader = Reader::default();
    let request = Request::of(&mut reader, query);
    let pairs = request.pairs();
    let indexed =
        candidates.iter().map(|candidate| index(&mut reader, candidate, &pairs)).collect();
    rank_indexed(candidates, indexed, query, &request, limit)
}

/// Ranks candidates that were counted before, each with the pairs of the request.
pub fn rank_indexed(
    candidates: &[Candidate],
    indexed: Vec<Indexed>,
    query: &Query,
    request: &Request,
    limit: usize,
) -> Ranking {
    let collection = Collection::of(indexed);
    let mut scored = collection.score(request);
    let mut notes = vec![Vec::new(); candidates.len()];

    judge_tools(candidates, &collection, query, &mut scored, &mut notes);
    for (place, candidate) in candidates.iter().enumerate() {
        if query.surfaced.iter().any(|name| candidate.is_called(name)) {
            notes[place].push(Note::Surfaced);
        }
    }
    let successors = Successors::of(candidates, &collection);
    prefer_newer(&successors, &mut scored, &mut notes);
    discount_answered(&mut scored, &mut notes);

    scored.sort_by(|one, other| {
        let newer = || candidates[other.place].modified.cmp(&candidates[one.place].modified);
        let path = || candidates[one.place].path.cmp(&candidates[other.place].path);
        other.score.total_cmp(&one.score).then_with(newer).then_with(path)
    });
    let (barred, open): (Vec<Scored>, Vec<Scored>) =
        scored.into_iter().partition(|one| notes[one.place].iter().any(|note| note.bars()));
    let lines = Lines::of(request, open.first().map_or(0.0, |best| best.score));
    let chosen = choose(&open, &lines, limit);

    let judged = |one: Scored, is_chosen: bool| Judged {
        place: one.place,
        score: one.score,
        is_chosen,
        matches: one.matches,
        notes: std::mem::take(&mut notes[one.place]),
    };
    Ranking { judged: in_order(open, &chosen, barred, judged), ..lines.ranking(request) }
}

/// The chosen ones, then the others, then those that were barred.
fn in_order(
    open: Vec<Scored>,
    chosen: &[usize],
    barred: Vec<Scored>,
    mut judged: impl FnMut(Scored, bool) -> Judged,
) -> Vec<Judged> {
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for (at, one) in open.into_iter().enumerate() {
        let is_chosen = chosen.contains(&at);
        let judged = judged(one, is_chosen);
        if is_chosen { first.push(judged) } else { others.push(judged) }
    }
    first.append(&mut others);
    first.extend(barred.into_iter().map(|one| judged(one, false)));
    first
}

/// What warns about a tool in use is needed, its plain reference is not.
fn judge_tools(
    candidates: &[Candidate],
    collection: &Collection,
    query: &Query,
    scored: &mut [Scored],
    notes: &mut [Vec<Note>],
) {
    let tools = tools::keys(&query.tools);
    if tools.is_empty() {
        return;
    }
    for (place, candidate) in candidates.iter().enumerate() {
        match tools::stance(candidate, &collection.indexed[place], &tools) {
            Some(Stance::Warns) => {
                scored[place].score += weights::WARNS_ABOUT_TOOL;
                notes[place].push(Note::WarnsAboutTool);
            }
            Some(Stance::Documents) => notes[place].push(Note::DocumentsTool),
            None => {}
        }
    }
}

/// Of two on one subject the newer stands in for the older, which keeps a part of its score.
fn prefer_newer(successors: &Successors<'_>, scored: &mut [Scored], notes: &mut [Vec<Note>]) {
    let mut order: Vec<usize> = (0..scored.len()).collect();
    order.sort_by(|one, other| {
        scored[*other].score.total_cmp(&scored[*one].score).then(one.cmp(other))
    });
    order.truncate(weights::ASKED_FOR_SUCCESSOR_MAX);
    let mut done = vec![false; scored.len()];
    let mut next = 0;
    while next < order.len() {
        let old = order[next];
        next += 1;
        if std::mem::replace(&mut done[old], true) {
            continue;
        }
        let Some((new, why)) = successors.find(old) else { continue };
        if scored[old].score > scored[new].score {
            scored[new].score = scored[old].score;
            notes[new].push(Note::Replaces(old));
        }
        scored[old].score *= weights::OUTDATED;
        let shown = notes[new].iter().any(|note| note.bars());
        notes[old].push(Note::ReplacedBy(new, why));
        if shown {
            notes[old].push(Note::ReplacedBySurfaced(new));
        }
        // A chain of three: the newest stands in for all of them.
        order.push(new);
    }
}

/// Where a memory that was already shown answers the prompt best, the others must add to it.
fn discount_answered(scored: &mut [Scored], notes: &mut [Vec<Note>]) {
    let shown = scored.iter().filter(|one| notes[one.place].contains(&Note::Surfaced));
    let best = shown.map(|one| one.score).fold(0.0, f64::max);
    if best <= 0.0 {
        return;
    }
    for one in scored.iter_mut().filter(|one| one.score < best) {
        one.score *= 1.0 - (1.0 - weights::ALREADY_ANSWERED) * (1.0 - one.score / best);
        notes[one.place].push(Note::AnsweredBefore);
    }
}

/// What must be reached.
struct Lines {
    first: f64,
    beside: f64,
    beside_if_new: f64,
}

impl Lines {
    fn of(request: &Request, best: f64) -> Self {
        use weights::{BESIDE_BEST, BESIDE_BEST_NEW, BESIDE_BEST_PASTED, BESIDE_BEST_SHORT};
        let short = request.is_short();
        let first = if short { weights::LINE_SHORT } else { weights::LINE };
        let (share, share_if_new) = if short {
            (BESIDE_BEST_SHORT, BESIDE_BEST_SHORT)
        } else if request.is_mostly_pasted() {
            (BESIDE_BEST_PASTED, BESIDE_BEST_PASTED)
        } else {
            (BESIDE_BEST, BESIDE_BEST_NEW)
        };
        let floor = first * weights::BESIDE_LINE;
        Self {
            first,
            beside: floor.max(share * best),
            beside_if_new: floor.max(share_if_new * best),
        }
    }

    fn ranking(&self, request: &Request) -> Ranking {
        let is_self_contained = request.asides > 0;
        Ranking { judged: Vec::new(), line: self.first, beside: self.beside, is_self_contained }
    }
}

/// The best one if it reaches the line, and beside it what is nearly as good or answers a part of
/// the prompt that nothing chosen so far answers.
fn choose(open: &[Scored], lines: &Lines, limit: usize) -> Vec<usize> {
    let Some(best) = open.first().filter(|best| best.score >= lines.first && limit > 0) else {
        return Vec::new();
    };
    let mut chosen = vec![0];
    let mut answered = best.answers.clone();
    for (at, one) in open.iter().enumerate().skip(1) {
        if chosen.len() == limit {
            break;
        }
        let new: f64 =
            one.answers.iter().zip(&answered).map(|(own, held)| (own - held).max(0.0)).sum();
        let adds = one.score * new / one.sum.max(f64::EPSILON);
        if one.score >= lines.beside
            || (one.score >= lines.beside_if_new && adds >= lines.beside_if_new)
        {
            chosen.push(at);
            for (held, own) in answered.iter_mut().zip(&one.answers) {
                *held = held.max(*own);
            }
        }
    }
    chosen
}
