//! Finds what both sides added alike, so that it stands once.
//! Border: additions only; what a side has from the base is `identity`.
//!
//! Two additions are one when they read alike under one parent. A heading that repeats in the file
//! (the sections of a log) identifies nothing: sections under it stand one after the other, unless a
//! side has the other's whole addition. A rule belongs to the heading below it.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::merge::units::blocks::{Shape, Unit, is_rule};

/// One side of a merge: its units, and for each its unit in the base.
pub(crate) struct Added<'u, 't> {
    pub(crate) units: &'u [Unit<'t>],
    pub(crate) matched: &'u [Option<usize>],
}

/// What a unit stands under, in terms both sides share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Parent {
    Root,
    /// A unit of the base.
    Base(usize),
    /// An addition, by its place in the first side.
    New(usize),
}

/// Pairs of additions that are one thing: place in the first side, place in the second.
pub(crate) fn twins(first: &Added<'_, '_>, second: &Added<'_, '_>) -> Vec<(usize, usize)> {
    let mut twins = Twins {
        first,
        second,
        of_first: vec![None; first.units.len()],
        of_second: vec![None; second.units.len()],
        repeated: repeated(first.units).chain(repeated(second.units)).collect(),
        titles: titles(first, second),
    };
    twins.pair_runs();
    twins.pair_alike();
    twins.pair_rules();
    twins.pair_keys();
    let places = twins.of_second.iter().enumerate();
    places.filter_map(|(two, one)| one.map(|one| (one, two))).collect()
}

/// The headings that stand more than once in a text.
fn repeated<'u>(units: &'u [Unit<'_>]) -> impl Iterator<Item = &'u str> {
    let mut seen = HashSet::new();
    let headings = units.iter().filter(|unit| matches!(unit.shape, Shape::Heading(_)));
    headings.map(|unit| unit.text.trim_end()).filter(move |text| !seen.insert(*text))
}

/// The titles of two whole texts: both added them, so what stands below stands at the root of both.
fn titles(first: &Added<'_, '_>, second: &Added<'_, '_>) -> [Option<usize>; 2] {
    let all_new = |side: &Added<'_, '_>| side.matched.iter().all(Option::is_none);
    if !all_new(first) || !all_new(second) {
        return [None, None];
    }
    [first, second].map(|side| {
        let is_title = |at: &usize| side.units[*at].shape == Shape::Heading(1);
        let mut titles = (0..side.units.len()).filter(is_title);
        titles.next().filter(|_| titles.next().is_none())
    })
}

struct Twins<'s, 'u, 't> {
    first: &'s Added<'u, 't>,
    second: &'s Added<'u, 't>,
    /// For each unit of the first side its twin, and the other way round.
    of_first: Vec<Option<usize>>,
    of_second: Vec<Option<usize>>,
    repeated: HashSet<&'u str>,
    titles: [Option<usize>; 2],
}

impl Twins<'_, '_, '_> {
    fn pair(&mut self, one: usize, two: usize) {
        (self.of_first[one], self.of_second[two]) = (Some(two), Some(one));
    }

    fn is_free(&self, one: usize, two: usize) -> bool {
        let is_new = self.first.matched[one].is_none() && self.second.matched[two].is_none();
        is_new && self.of_first[one].is_none() && self.of_second[two].is_none()
    }

    /// Additions at one place with sections that repeat: they are one where one begins or ends with
    /// all of the other, or where both have the same blocks first or last.
    fn pair_runs(&mut self) {
        if self.repeated.is_empty() {
            return;
        }
        let (one, two) = (runs(self.first), runs(self.second));
        for (anchor, one) in &one {
            let Some(two) = two.get(anchor) else { continue };
            let repeats = |at: &usize| self.is_repeated(&self.first.units[*at]);
            if !one.iter().any(repeats) {
                continue;
            }
            let head = self.alike_blocks(one, two);
            let (one_left, two_left) = (&one[head..], &two[head..]);
            let tail = self.alike_tail(one_left, two_left);
            let heads = one[..head].iter().zip(&two[..head]);
            let tails = one_left.iter().rev().zip(two_left.iter().rev()).take(tail);
            for (one, two) in heads.chain(tails) {
                self.pair(*one, *two);
            }
        }
    }

    fn is_repeated(&self, unit: &Unit<'_>) -> bool {
        matches!(unit.shape, Shape::Heading(_)) && self.repeated.contains(unit.text.trim_end())
    }

    /// How many units two runs begin with alike, in whole blocks.
    fn alike_blocks(&self, one: &[usize], two: &[usize]) -> usize {
        let (one_text, two_text) = (self.texts(one, true), self.texts(two, false));
        let alike = one_text.iter().zip(&two_text).take_while(|(a, b)| a == b).count();
        let starts = |text: &[&str], at: usize| text.get(at).is_none_or(|t| *t == text[0]);
        let whole = |at: &usize| {
            *at == one.len() || *at == two.len() || starts(&one_text, *at) && starts(&two_text, *at)
        };
        (1..=alike).rev().find(whole).unwrap_or(0)
    }

    /// How many units two runs end with alike, in whole blocks.
    fn alike_tail(&self, one: &[usize], two: &[usize]) -> usize {
        let (one_text, two_text) = (self.texts(one, true), self.texts(two, false));
        let pairs = one_text.iter().rev().zip(two_text.iter().rev());
        let alike = pairs.take_while(|(a, b)| a == b).count();
        let starts = |text: &[&str], count: usize| text[text.len() - count] == text[0];
        let whole = |count: &usize| starts(&one_text, *count) && starts(&two_text, *count);
        (1..=alike).rev().find(whole).unwrap_or(0)
    }

    fn texts(&self, run: &[usize], of_first: bool) -> Vec<&str> {
        let units = if of_first { self.first.units } else { self.second.units };
        run.iter().map(|at| units[*at].text).collect()
    }

    /// Equal texts under one parent, in order.
    fn pair_alike(&mut self) {
        let mut waiting: HashMap<(&str, Parent), VecDeque<usize>> = HashMap::new();
        for at in 0..self.first.units.len() {
            let unit = &self.first.units[at];
            if self.first.matched[at].is_none() && self.of_first[at].is_none() && self.says(unit) {
                let parent = self.parent_in_first(unit);
                waiting.entry((unit.text, parent)).or_default().push_back(at);
            }
        }
        for two in 0..self.second.units.len() {
            let unit = &self.second.units[two];
            let is_taken = self.second.matched[two].is_some() || self.of_second[two].is_some();
            let Some(parent) = self.parent_in_second(unit).filter(|_| !is_taken) else { continue };
            let twin = waiting.get_mut(&(unit.text, parent)).and_then(VecDeque::pop_front);
            if let Some(one) = twin {
                self.pair(one, two);
            }
        }
    }

    /// Whether the text of a unit says which one it is.
    fn says(&self, unit: &Unit<'_>) -> bool {
        !self.is_repeated(unit) && !is_rule(unit)
    }

    fn parent_in_first(&self, unit: &Unit<'_>) -> Parent {
        match unit.parent {
            None => Parent::Root,
            parent if parent == self.titles[0] => Parent::Root,
            Some(at) => self.first.matched[at].map_or(Parent::New(at), Parent::Base),
        }
    }

    /// `None` under an addition that only the second side has.
    fn parent_in_second(&self, unit: &Unit<'_>) -> Option<Parent> {
        match unit.parent {
            None => Some(Parent::Root),
            parent if parent == self.titles[1] => Some(Parent::Root),
            Some(at) => {
                let base = self.second.matched[at].map(Parent::Base);
                base.or_else(|| self.of_second[at].map(Parent::New))
            }
        }
    }

    /// A rule goes with the heading below it.
    fn pair_rules(&mut self) {
        for two in 0..self.second.units.len().saturating_sub(1) {
            let Some(below) = self.of_second[two + 1] else { continue };
            let Some(one) = below.checked_sub(1) else { continue };
            let rules = [&self.first.units[one], &self.second.units[two]];
            if rules.iter().all(|unit| is_rule(unit)) && self.is_free(one, two) {
                self.pair(one, two);
            }
        }
    }

    /// Equal keys, wherever they stand.
    fn pair_keys(&mut self) {
        let mut waiting: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (at, unit) in self.first.units.iter().enumerate() {
            if let Some(key) = &unit.key
                && self.first.matched[at].is_none()
                && self.of_first[at].is_none()
            {
                waiting.entry(key).or_default().push_back(at);
            }
        }
        for two in 0..self.second.units.len() {
            let key = self.second.units[two].key.as_deref();
            let waits = key.and_then(|key| waiting.get_mut(key));
            if let Some(queue) = waits
                && let Some(one) = queue.front().copied()
                && self.is_free(one, two)
            {
                queue.pop_front();
                self.pair(one, two);
            }
        }
    }
}

/// What a side added, by the unit of the base before it.
fn runs(side: &Added<'_, '_>) -> HashMap<Option<usize>, Vec<usize>> {
    let mut runs: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    let mut anchor = None;
    for (at, home) in side.matched.iter().enumerate() {
        match home {
            Some(home) => anchor = Some(*home),
            None => runs.entry(anchor).or_default().push(at),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::units::blocks::split;
    use crate::merge::units::identity::identify;

    /// How many additions stand once.
    fn check(base: &str, first: &str, second: &str, expected: usize) {
        let (base, first, second) = (split(base), split(first), split(second));
        let (one, two) =
            (identify(&base.units, &first.units), identify(&base.units, &second.units));
        let pairs = twins(
            &Added { units: &first.units, matched: &one },
            &Added { units: &second.units, matched: &two },
        );
        assert_eq!(pairs.len(), expected, "{pairs:?}");
    }

    #[test]
    fn a_section_both_added_stands_once_with_what_is_alike_in_it() {
        check("# A\n", "# A\n\n## B\n\n- x\n- y\n", "# A\n\n## B\n\n- x\n- z\n", 2);
        check("# A\n", "# A\n\n## B\n\n- x\n", "# A\n\n## C\n\n- x\n", 0);
        check("", "# One\n\n## B\n\n- x\n", "# Two\n\n## B\n\n- x\n", 2);
    }

    #[test]
    fn a_heading_that_repeats_is_no_key_but_a_whole_addition_is() {
        let (a, b) = ("\n---\n\n## S\n\na\n", "\n---\n\n## S\n\nb\n");
        let base = "## S\n\nfirst\n";
        check(base, &format!("{base}{a}"), &format!("{base}{b}"), 0);
        check(base, &format!("{base}{a}"), &format!("{base}{a}{b}"), 3);
        check(base, &format!("{base}{a}{b}"), &format!("{base}{a}\n---\n\n## S\n\nc\n"), 3);
    }
}
