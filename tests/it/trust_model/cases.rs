//! The known histories of `cases.json` and what the second model says about them.
//! Border: reads the file; the verdicts come from `model.rs`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::model::{Commit, History, Own, judge, take};
use super::roster::{Id, Key, Member, Role, Tree};

const CASES: &str = include_str!("cases.json");

/// A history with names, and the verdicts that are right.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) history: History,
    /// The names of the commits, by place.
    pub(crate) commits: Vec<String>,
    /// The names of members and keys, by number.
    pub(crate) names: Names,
    /// Verified tip, remote tip, and what is taken.
    pub(crate) pulls: Vec<(usize, usize, usize)>,
    right: Vec<Value>,
    /// Commits that are marked as neutral.
    neutral: BTreeSet<usize>,
}

/// Numbers for names of members and keys.
#[derive(Default)]
pub(crate) struct Names(Vec<String>);

impl Names {
    fn number(&mut self, name: &str) -> u8 {
        let place = self.0.iter().position(|known| known == name).unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        });
        u8::try_from(place).unwrap()
    }

    fn tree(&mut self, value: &Value) -> Tree {
        let open = match value["trust"].as_str().unwrap() {
            "open" => true,
            "roster" => false,
            other => panic!("trust `{other}`"),
        };
        let mut members = BTreeMap::new();
        for (id, member) in value["members"].as_object().unwrap() {
            let role = match member["role"].as_str().unwrap() {
                "admin" => Role::Admin,
                "writer" => Role::Writer,
                "reader" => Role::Reader,
                other => panic!("role `{other}`"),
            };
            let keys = texts(&member["keys"]).map(|key| Key(self.number(key))).collect();
            members.insert(Id(self.number(id)), Member { role, keys });
        }
        Tree { open, members }
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap())
}

/// All known histories.
pub(crate) fn all() -> Vec<Case> {
    let document: Value = serde_json::from_str(CASES).unwrap();
    document["cases"].as_array().unwrap().iter().map(case).collect()
}

fn case(value: &Value) -> Case {
    let listed = value["commits"].as_array().unwrap();
    let commits: Vec<String> =
        listed.iter().map(|c| c["id"].as_str().unwrap().to_owned()).collect();
    let place = |id: &str| commits.iter().position(|known| known == id).unwrap();
    let mut names = Names::default();
    let history = History {
        commits: listed
            .iter()
            .map(|c| Commit {
                parents: texts(&c["parents"]).map(place).collect(),
                signer: c["signer"].as_str().map(|key| Key(names.number(key))),
                tree: Some(names.tree(&c["tree"])),
                writes: c["writes"].as_bool().unwrap_or(false),
                governs: false,
                vouches: texts(&c["vouches"]).map(place).collect(),
            })
            .collect(),
        introduced: Key(names.number("a1")),
    };
    let pull = |pull: &Value| {
        let tip = |which: &str| place(pull[which].as_str().unwrap());
        (tip("verified"), tip("remote"), tip("takes"))
    };
    Case {
        name: value["name"].as_str().unwrap().to_owned(),
        history,
        pulls: value["pulls"].as_array().unwrap().iter().map(pull).collect(),
        right: listed.iter().map(|c| c["verdict"].clone()).collect(),
        neutral: (0..listed.len()).filter(|&c| listed[c]["neutral"] == true).collect(),
        commits,
        names,
    }
}

fn own_word(own: Own) -> &'static str {
    match own {
        Own::Good => "good",
        Own::Unsigned => "unsigned",
        Own::UnknownKey => "unknown-key",
        Own::NotAllowed => "not-allowed",
        Own::BrokenRoster => "broken-roster",
        Own::NoAdmin => "no-admin",
        Own::RosterOnRefused => "roster-on-refused",
    }
}

#[test]
fn the_model_gives_the_known_verdicts() {
    for mut case in all() {
        let verdicts = judge(&case.history);
        for (place, verdict) in verdicts.iter().enumerate() {
            let at = format!("{} at {}", case.name, case.commits[place]);
            let right = &case.right[place];
            assert_eq!(own_word(verdict.own), right["own"], "own: {at}");
            assert_eq!(verdict.good_tip, right["good_tip"], "good tip: {at}");
            assert_eq!(verdict.neutral, case.neutral.contains(&place), "neutral: {at}");
            if !right["judged_by"].is_null() {
                assert_eq!(
                    verdict.judged_by,
                    case.names.tree(&right["judged_by"]),
                    "judged by: {at}"
                );
            }
            let named = |c: &usize| case.commits[*c].as_str();
            let refused: BTreeSet<&str> = verdict.refused.iter().map(named).collect();
            assert_eq!(refused, texts(&right["refused_below"]).collect(), "refused: {at}");
            let conflicts: BTreeSet<Vec<&str>> =
                verdict.conflicts.iter().map(|(r, u)| vec![named(r), named(u)]).collect();
            let pairs = right["conflicts"].as_array().into_iter().flatten();
            assert_eq!(
                conflicts,
                pairs.map(|pair| texts(pair).collect()).collect(),
                "conflicts: {at}"
            );
        }
        for &(verified, remote, takes) in &case.pulls {
            assert_eq!(
                take(&case.history, verified, remote),
                takes,
                "{} from {verified}",
                case.name
            );
        }
    }
}
