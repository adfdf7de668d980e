//! Scans a text: keyword hits, patterns at the hits, proofs, then findings without values.
//! Border: one text at a time, in memory; which texts is for the callers.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use crate::secrets::allow::inline;
use crate::secrets::encoding::decode;
use crate::secrets::encoding::escaped;
use crate::secrets::encoding::obfuscation;
use crate::secrets::entries::is_in;
use crate::secrets::finding::hit::{Hit, Rejection};
use crate::secrets::finding::mask::Masked;
use crate::secrets::finding::position::Lines;
use crate::secrets::finding::{Confidence, Finding, Severity, fingerprint};
use crate::secrets::gitleaks::GitleaksConfig;
use crate::secrets::named::kubernetes;
use crate::secrets::named::recovery_codes;
use crate::secrets::named::wallet;
use crate::secrets::named::{self, sentence};
use crate::secrets::rules::builtin_format;
use crate::secrets::rules::keyword_index::{Case, Keywords, Trigger};
use crate::secrets::rules::ruleset::Ruleset;
use crate::secrets::rules::spec::Rule;
use crate::secrets::value::vendor_samples;

/// Rules ready to scan a text with, and what the findings are reported with.
#[derive(Debug)]
pub struct Scanner {
    /// The built-in rules, which all scanners of a process share; then those added.
    sets: Vec<Arc<Indexed>>,
    key: Vec<u8>,
    off: BTreeSet<String>,
    foreign: Option<GitleaksConfig>,
}

/// A rule set and the index of its keywords.
#[derive(Debug)]
struct Indexed {
    rules: Vec<Rule>,
    keywords: Keywords,
}

/// Raised with every change of the scanner that may find more than before; part of [`Scanner::version`].
const SCANNER_VERSION: u32 = 4;

/// Ids of findings that no rule file describes.
const WITHOUT_FILE: [&str; 5] =
    ["generic-password", "generic-secret", "kubernetes-secret", "recovery-code", "wallet-phrase"];

/// A value this long is reported whatever mark it begins with.
const UNMARKED_BYTES_MIN: usize = 48;

impl Scanner {
    /// The scanner with the built-in rules, built once per process.
    pub fn builtin() -> &'static Self {
        static SCANNER: OnceLock<Scanner> = OnceLock::new();
        SCANNER.get_or_init(Self::made)
    }

    /// Makes the scanner with the built-in rules.
    pub(crate) fn made() -> Self {
        let rules = Ruleset::builtin().rules;
        let fixed = |words: &'static [&str], trigger| {
            words
                .iter()
                .filter(|word| is_in(*word))
                .map(move |word| (Cow::Borrowed(*word), Case::Any, trigger))
        };
        let names = fixed(named::KEYWORDS, Trigger::Name);
        let secrets = fixed(kubernetes::KEYWORDS, Trigger::Kubernetes);
        let phrases = fixed(wallet::KEYWORDS, Trigger::Wallet);
        let codes = fixed(recovery_codes::KEYWORDS, Trigger::Codes);
        let spoken = names.chain(secrets).chain(phrases).chain(codes);
        let keywords = Keywords::new(Indexed::words(&rules).chain(spoken));
        let sets = vec![Arc::new(Indexed { rules, keywords })];
        Self { sets, key: Vec::new(), off: BTreeSet::new(), foreign: None }
    }

    /// The ids of everything the program itself finds, sorted.
    pub fn builtin_ids() -> Vec<String> {
        let mut ids: Vec<String> = WITHOUT_FILE.iter().map(|id| (*id).to_owned()).collect();
        ids.extend(builtin_format::read(builtin_format::BUILTIN).map(|spec| spec.id.into_owned()));
        ids.sort();
        ids
    }

    /// Tells that the program itself has a rule with this id.
    pub fn is_builtin(id: &str) -> bool {
        WITHOUT_FILE.contains(&id)
            || builtin_format::read(builtin_format::BUILTIN).any(|spec| spec.id == id)
    }

    /// A scanner with the built-in rules that can be given more; the rules are shared.
    pub fn to_extend() -> Self {
        let sets = Self::builtin().sets.clone();
        Self { sets, key: Vec::new(), off: BTreeSet::new(), foreign: None }
    }

    /// Adds rules that come from people.
    #[must_use]
    pub fn with_rules(mut self, set: Ruleset) -> Self {
        let keywords = Keywords::new(Indexed::words(&set.rules));
        self.sets.push(Arc::new(Indexed { rules: set.rules, keywords }));
        self
    }

    /// Switches rules off, by their names.
    #[must_use]
    pub fn without(mut self, rules: impl IntoIterator<Item = String>) -> Self {
        self.off.extend(rules);
        self
    }

    /// Adds the rules and allow lists of a gitleaks configuration.
    #[must_use]
    pub fn with_gitleaks(mut self, config: GitleaksConfig) -> Self {
        self.foreign = Some(config);
        self
    }

    /// Keys the fingerprints, so that those of weak values cannot be looked up in a table.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.key = key.into();
        self
    }

    /// Stands for everything that decides what is found: a text that was clean stays clean as long
    /// as this is the same.
    pub fn version(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("{SCANNER_VERSION} {}\0", env!("CARGO_PKG_VERSION")));
        hash.update(builtin_format::BUILTIN);
        for rule in self.sets[1..].iter().flat_map(|set| &set.rules) {
            hash.update(format!("\0{:?}", rule.spec));
        }
        hash.update(format!("\0{:?}\0", self.off));
        hash.update(self.foreign.as_ref().map_or_else(String::new, |config| config.text.clone()));
        hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Finds credentials in one text. `path` is where it stands, for rules that care.
    ///
    /// Findings are in the order of the text and do not overlap. A comment beside a value accepts
    /// nothing: whoever may write a text that is shared could write the comment as well.
    pub fn scan(&self, path: &str, content: &[u8]) -> Vec<Finding> {
        self.findings(content, self.hits_in(path, None, content))
    }

    /// The same where comments beside a value accept it, in a text that its owner looks after;
    /// `commit` is for lists that care.
    pub fn scan_in(&self, path: &str, commit: Option<&str>, content: &[u8]) -> Vec<Finding> {
        let mut hits = self.hits_in(path, commit, content);
        hits.retain(|hit| !inline::is_allowed_inline(content, &hit.value));
        self.findings(content, hits)
    }

    fn hits_in(&self, path: &str, commit: Option<&str>, content: &[u8]) -> Vec<Hit> {
        let mut hits = self.hits(content, &mut |_, _| ());
        if let Some(foreign) = &self.foreign {
            hits.extend(foreign.hits(path, commit, content));
            hits.retain(|hit| !foreign.allows((path, commit), content, &hit.rule, &hit.value));
        }
        hits.retain(|hit| {
            !self.off.contains(&hit.rule)
                && !inline::is_entry_of_gitleaks(path, content, hit.value.start)
        });
        hits
    }

    /// Whether what is found in a text depends on its path, beside the name of a `.gitleaksignore`.
    pub fn looks_at_paths(&self) -> bool {
        self.foreign.as_ref().is_some_and(GitleaksConfig::looks_at_paths)
    }

    /// The commits that lists look at.
    pub fn commits(&self) -> impl Iterator<Item = &str> {
        self.foreign.iter().flat_map(GitleaksConfig::commits)
    }

    /// Says what was looked at in a text and why it is no finding; for measuring and for people
    /// who write rules.
    pub fn explain(&self, path: &str, content: &[u8]) -> Vec<String> {
        let _ = path;
        let mut reasons = Vec::new();
        self.hits(content, &mut |rule, refusal| {
            let reason = format!("{rule}: {refusal:?}");
            if refusal > Rejection::Boundary && !reasons.contains(&reason) {
                reasons.push(reason);
            }
        });
        reasons
    }

    fn hits(&self, content: &[u8], refused: &mut dyn FnMut(&str, Rejection)) -> Vec<Hit> {
        let mut hits = self.plain_hits(content, refused);
        for plain in obfuscation::plain_lines(content) {
            hits.extend(self.plain_hits(&plain.text, refused).into_iter().map(|hit| Hit {
                plain: Some(plain.text[hit.value.clone()].to_vec()),
                value: plain.original(&hit.value),
                ..hit
            }));
        }
        hits.extend(self.decoded_hits(content, 1));
        hits.retain(|hit| {
            let value = hit.plain.as_deref().unwrap_or(&content[hit.value.clone()]);
            !vendor_samples::is_published(value)
        });
        hits
    }

    /// What encoded runs and escaped characters hold. Only values with a mark or structure of their own count there.
    fn decoded_hits(&self, content: &[u8], depth: usize) -> Vec<Hit> {
        let mut hits = Vec::new();
        for decoded in decode::runs(content) {
            let inner = self.hits_within(&decoded.text, depth);
            hits.extend(inner.map(|hit| Hit { value: decoded.run.clone(), ..hit }));
        }
        for plain in escaped::blocks(content) {
            let inner = self.hits_within(&plain.text, depth);
            hits.extend(inner.map(|hit| Hit { value: plain.original(&hit.value), ..hit }));
        }
        hits
    }

    /// What a decoded text holds, with its values.
    fn hits_within(&self, text: &[u8], depth: usize) -> impl Iterator<Item = Hit> {
        let mut inner = self.plain_hits(text, &mut |_, _| ());
        if depth < decode::DEPTH_MAX {
            inner.extend(self.decoded_hits(text, depth + 1));
        }
        inner.into_iter().filter(|hit| hit.confidence > Confidence::Medium).map(|hit| Hit {
            plain: Some(hit.plain.unwrap_or_else(|| text[hit.value.clone()].to_vec())),
            ..hit
        })
    }

    fn plain_hits(&self, content: &[u8], refused: &mut dyn FnMut(&str, Rejection)) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        let mut half_marked = Vec::new();
        for set in &self.sets {
            set.look(content, &mut hits, &mut half_marked, refused);
        }
        // A vendor's mark on a value that is not of the vendor's form: a sample, cut or mistyped.
        half_marked.sort_unstable();
        hits.retain(|hit| {
            let short =
                hit.value.len() < UNMARKED_BYTES_MIN && hit.confidence == Confidence::Medium;
            !(short && half_marked.binary_search(&hit.value.start).is_ok())
        });
        hits
    }

    /// Drops what overlaps a better hit, and turns the rest into findings.
    fn findings(&self, content: &[u8], mut hits: Vec<Hit>) -> Vec<Finding> {
        // The surest first, then the longest; what they cover is theirs.
        hits.sort_by(|a, b| {
            let key =
                |hit: &Hit| (std::cmp::Reverse(hit.confidence), std::cmp::Reverse(hit.value.len()));
            key(a).cmp(&key(b)).then(a.value.start.cmp(&b.value.start)).then(a.rule.cmp(&b.rule))
        });
        let mut kept: Vec<Hit> = Vec::new();
        let mut taken = std::collections::BTreeMap::new();
        for hit in hits {
            // What is taken never overlaps, so only the last that starts before can reach into it.
            let before = taken.range(..hit.value.end).next_back();
            if before.is_none_or(|(_, end)| *end <= hit.value.start) {
                taken.insert(hit.value.start, hit.value.end);
                kept.push(hit);
            }
        }
        kept.sort_by_key(|hit| hit.value.start);
        let mut masked = Masked::default();
        for hit in &kept {
            masked.add(hit.value.clone());
            masked.add_value(&content[hit.value.clone()]);
            masked.add_value(hit.plain.as_deref().unwrap_or_default());
        }
        let mut lines = Lines::new(content);
        let finding = |hit: Hit| Finding {
            start: lines.position(hit.value.start),
            end: lines.position(hit.value.end),
            fingerprint: fingerprint(
                &self.key,
                hit.plain.as_deref().unwrap_or(&content[hit.value.clone()]),
            ),
            excerpt: masked.excerpt(content, &hit.value),
            rule: hit.rule,
            severity: hit.severity,
            confidence: hit.confidence,
            message: hit.about,
            bytes: hit.value,
        };
        kept.into_iter().map(finding).collect()
    }
}

impl Indexed {
    /// Every word that leads to one of these rules.
    fn words(rules: &[Rule]) -> impl Iterator<Item = (Cow<'static, str>, Case, Trigger)> {
        let rules = rules.iter().enumerate();
        rules.flat_map(|(at, rule)| rule.words(Trigger::Rule(at), Trigger::Near(at)))
    }

    /// Looks at every place where one of these rules might match.
    fn look(
        &self,
        content: &[u8],
        hits: &mut Vec<Hit>,
        half_marked: &mut Vec<usize>,
        refused: &mut dyn FnMut(&str, Rejection),
    ) {
        let mut named_to = 0;
        self.keywords.hits(content, &mut |at, trigger| {
            let (rule, result) = match trigger {
                Trigger::Rule(rule) => {
                    let result = self.rules[rule].hit(content, at.clone());
                    if result.is_err() && self.rules[rule].is_marked_by(&content[at.clone()]) {
                        half_marked.push(at.start);
                    }
                    (&*self.rules[rule].spec.id, result)
                }
                Trigger::Near(rule) => {
                    (&*self.rules[rule].spec.id, self.rules[rule].hit_near(content, at))
                }
                // The name that the last keyword was part of is done.
                Trigger::Name if at.start < named_to => return,
                Trigger::Name => {
                    let (end, result) = sentence::hits(content, at);
                    named_to = end;
                    let one = result.map(|found| hits.extend(found));
                    return one.unwrap_or_else(|refusal| refused("generic", refusal));
                }
                Trigger::Kubernetes => ("kubernetes-secret", kubernetes_hit(content, &at)),
                Trigger::Wallet => ("wallet-phrase", wallet_hit(content, &at)),
                Trigger::Codes => {
                    hits.extend(recovery_codes::codes(content, &at).into_iter().map(code_hit));
                    return;
                }
            };
            match result {
                Ok(hit) => hits.push(hit),
                Err(refusal) => refused(rule, refusal),
            }
        });
    }
}

/// The value in a Kubernetes secret.
fn kubernetes_hit(content: &[u8], keyword: &Range<usize>) -> Result<Hit, Rejection> {
    let value = kubernetes::value(content, keyword).ok_or(Rejection::Pattern)?;
    Ok(spoken("kubernetes-secret", "value in a Kubernetes secret", value, Confidence::High))
}

/// The words that restore a wallet.
fn wallet_hit(content: &[u8], keyword: &Range<usize>) -> Result<Hit, Rejection> {
    let (value, confidence) = wallet::phrase(content, keyword).ok_or(Rejection::Pattern)?;
    let hit = spoken("wallet-phrase", "words that restore a wallet", value, confidence);
    Ok(Hit { severity: Severity::Critical, ..hit })
}

/// One of several recovery codes.
fn code_hit(value: Range<usize>) -> Hit {
    spoken("recovery-code", "recovery code of a second factor", value, Confidence::High)
}

/// A hit that no rule file describes.
fn spoken(rule: &str, about: &str, value: Range<usize>, confidence: Confidence) -> Hit {
    let (rule, about, severity) = (rule.to_owned(), about.to_owned(), Severity::High);
    Hit { rule, about, severity, confidence, value, plain: None }
}
