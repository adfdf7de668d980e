//! What CI systems say about a run: which branch is shared, where the range begins, where the shared branch
//! was before.
//! Border: reads variables and GitHub's event file; the checkout is asked by `ci`.
//!
//! A branch that is not the shared one holds a proposal for it, pull request or not: it is judged as part of
//! the shared branch, and the range begins where that one is.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::system::env::Environment;
use crate::system::files::Root;

/// GitHub's own limit for an event, with room.
const EVENT_BYTES_MAX: u64 = 30_000_000;

/// Where a run stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CiPlace {
    /// The shared branch the changes are for.
    pub branch: Option<String>,
    /// Where the range begins; the first that is in the checkout counts.
    pub bases: Vec<String>,
    /// Where the shared branch was before the push to it that is looked at.
    pub before: Option<String>,
    /// Whether a CI system runs it that shows annotations in the output.
    pub is_github: bool,
}

impl CiPlace {
    /// Reads the environment; `chosen` is the shared branch where somebody named it.
    pub fn of_environment(environment: &Environment, chosen: Option<&str>) -> Self {
        let variables: BTreeMap<&str, &str> = VARIABLES
            .into_iter()
            .filter_map(|name| Some((name, environment.text(name)?)))
            .collect();
        Self::of(&variables, &event(environment).unwrap_or_default(), chosen)
    }

    /// Reads the variables of GitHub Actions and GitLab CI, and GitHub's event.
    pub fn of(variables: &BTreeMap<&str, &str>, event: &Value, chosen: Option<&str>) -> Self {
        let text = |name: &str| variables.get(name).copied().filter(|text| !text.is_empty());
        let told = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
        let is_branch = text("GITHUB_REF_TYPE").is_none_or(|kind| kind == "branch");
        let target = text("GITHUB_BASE_REF").or(text("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"));
        let pushed = match target {
            Some(_) => None,
            None => text("GITHUB_REF_NAME").filter(|_| is_branch).or(text("CI_COMMIT_BRANCH")),
        };
        let default = told("/repository/default_branch").or(text("CI_DEFAULT_BRANCH"));
        let branch = chosen.or(default).or(target).or(pushed);
        let remote = |name: &str| format!("refs/remotes/origin/{name}");
        let mut place = Self {
            branch: branch.map(str::to_owned),
            is_github: text("GITHUB_ACTIONS") == Some("true"),
            ..Self::default()
        };
        if target.is_some() {
            let merged = text("CI_MERGE_REQUEST_DIFF_BASE_SHA").map(str::to_owned);
            let given = told("/pull_request/base/sha").map(str::to_owned);
            place.bases = merged.into_iter().chain(target.map(remote)).chain(given).collect();
        } else if pushed.is_some() && pushed == branch {
            let before = told("/before").or(text("CI_COMMIT_BEFORE_SHA"));
            place.before = before.filter(|id| !is_nothing(id)).map(str::to_owned);
        } else if variables.contains_key("GITHUB_REF_NAME") || pushed.is_some() {
            place.bases = branch.map(remote).into_iter().collect();
        }
        place
    }
}

/// The variables that are looked at.
const VARIABLES: [&str; 10] = [
    "GITHUB_ACTIONS",
    "GITHUB_BASE_REF",
    "GITHUB_REF_NAME",
    "GITHUB_REF_TYPE",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA",
    "CI_COMMIT_BRANCH",
    "CI_COMMIT_BEFORE_SHA",
    "CI_DEFAULT_BRANCH",
    "CI",
];

/// Whether a base is none: empty, or the zeros that CI gives for a branch that is new.
pub fn is_nothing(base: &str) -> bool {
    base.bytes().all(|byte| byte == b'0')
}

/// GitHub's event; without one the variables have to do.
fn event(environment: &Environment) -> Option<Value> {
    let path = environment.path("GITHUB_EVENT_PATH")?;
    let name = path.file_name()?.to_str()?;
    let bytes = Root::open(path.parent()?).ok()?.read(name, EVENT_BYTES_MAX).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn place(variables: &[(&'static str, &'static str)], event: Value) -> CiPlace {
        CiPlace::of(&variables.iter().copied().collect(), &event, None)
    }

    #[test]
    fn a_branch_that_is_not_the_shared_one_is_a_proposal_for_it() {
        let event = json!({"repository": {"default_branch": "main"}, "before": "ab12"});
        let feature = [("GITHUB_REF_NAME", "feature"), ("GITHUB_REF_TYPE", "branch")];
        let found = place(&feature, event.clone());
        assert_eq!(found.branch.as_deref(), Some("main"));
        assert_eq!(
            (found.bases, found.before),
            (vec!["refs/remotes/origin/main".to_owned()], None)
        );
        let tag = [("GITHUB_REF_NAME", "v1"), ("GITHUB_REF_TYPE", "tag")];
        assert_eq!(place(&tag, event.clone()).bases, ["refs/remotes/origin/main"]);
        let found = place(&[("GITHUB_REF_NAME", "main")], event.clone());
        assert_eq!((found.bases.len(), found.before.as_deref()), (0, Some("ab12")));
        // A pull request's event has a `before`, too: of the proposal.
        let pull = [("GITHUB_REF_NAME", "7/merge"), ("GITHUB_BASE_REF", "stacked")];
        let found = place(&pull, event);
        assert_eq!(found.branch.as_deref(), Some("main"));
        assert_eq!(
            (found.bases, found.before),
            (vec!["refs/remotes/origin/stacked".to_owned()], None)
        );
        let gitlab = [("CI_COMMIT_BRANCH", "feature"), ("CI_DEFAULT_BRANCH", "trunk")];
        let found = place(&gitlab, Value::Null);
        assert_eq!(found.bases, ["refs/remotes/origin/trunk"]);
        let zeros = "0000000000000000000000000000000000000000";
        let new = [("CI_COMMIT_BRANCH", "trunk"), ("CI_COMMIT_BEFORE_SHA", zeros)];
        assert_eq!(place(&new, Value::Null).before, None);
        assert_eq!(place(&[], Value::Null), CiPlace::default());
    }
}
