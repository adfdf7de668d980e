//! The environment variables of the process, read once.
//! Border: the only place that reads them; what a variable means is its reader's business.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The environment as a value. Tests build their own.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    values: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// The environment of this process.
    pub fn of_process() -> Self {
        Self { values: std::env::vars_os().collect() }
    }

    /// An environment with these variables only.
    pub fn of<K: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        Self { values: variables.into_iter().map(|(k, v)| (k.into(), v.into())).collect() }
    }

    /// The name of this machine, where the system tells it.
    pub fn host_name(&self) -> Option<String> {
        #[cfg(unix)]
        let name = rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
        #[cfg(not(unix))]
        let name = self.text("COMPUTERNAME").map(str::to_owned);
        name.filter(|name| !name.is_empty())
    }

    /// A variable as raw text; `None` when it is unset or empty.
    pub fn os(&self, name: &str) -> Option<&OsStr> {
        let value = self.values.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value.as_os_str())
    }

    /// A variable as text; `None` when it is unset, empty or not UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.os(name)?.to_str()
    }

    /// A variable as a path; `None` when it is unset or empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.os(name).map(PathBuf::from)
    }

    /// The person's home folder: `HOME`, on Windows `USERPROFILE`; `None` when it is not absolute.
    pub fn home(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        self.path(name).filter(|path| path.is_absolute())
    }

    /// Every variable, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.values.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_is_an_unset_one() {
        let env = Environment::of([("A", ""), ("B", "x"), ("HOME", "relative")]);
        assert_eq!(env.text("A"), None);
        assert_eq!(env.text("B"), Some("x"));
        assert_eq!(env.text("C"), None);
        assert_eq!(env.home(), None);
    }
}
