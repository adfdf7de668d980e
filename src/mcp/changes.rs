//! What a client wants to hear of: resources whose text may have changed.
//! Border: looks at times and sizes once a second, while somebody listens; texts are read by whoever asks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Something that differs when a text may have changed; `None` where there is none.
pub(super) type Stamp = Option<(i64, u64, u64)>;

/// From one look to the next.
pub(super) const PAUSE: Duration = Duration::from_secs(1);
/// So many resources can be listened to.
const WATCHED_MAX: usize = 1_000;

/// The resources that are listened to, each as it was last seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched(Arc<Mutex<BTreeMap<String, Stamp>>>);

impl Watched {
    /// Adds one; `false` when there are too many.
    pub(super) fn add(&self, uri: &str, stamp: Stamp) -> bool {
        let Ok(mut all) = self.0.lock() else { return false };
        if all.len() >= WATCHED_MAX && !all.contains_key(uri) {
            return false;
        }
        all.insert(uri.to_owned(), stamp);
        true
    }

    /// Whether nothing is listened to.
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().is_ok_and(|all| all.is_empty())
    }

    /// Takes one out.
    pub(super) fn remove(&self, uri: &str) {
        if let Ok(mut all) = self.0.lock() {
            all.remove(uri);
        }
    }

    /// Those that may have changed since the last look.
    pub(super) fn changed(&self, look: impl Fn(&str) -> Stamp) -> Vec<String> {
        let Ok(mut all) = self.0.lock() else { return Vec::new() };
        let mut changed = Vec::new();
        for (uri, seen) in all.iter_mut() {
            let now = look(uri);
            if now != *seen {
                *seen = now;
                changed.push(uri.clone());
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_once() {
        let watched = Watched::default();
        assert!(watched.add("a", Some((1, 1, 1))) && watched.add("b", None));
        assert!(watched.changed(|uri| (uri == "a").then_some((1, 1, 1))).is_empty());
        assert_eq!(watched.changed(|_| Some((2, 1, 1))), ["a", "b"]);
        assert!(watched.changed(|_| Some((2, 1, 1))).is_empty());
        watched.remove("a");
        assert_eq!(watched.changed(|_| None), ["b"]);
        assert!((0..WATCHED_MAX).map(|n| watched.add(&n.to_string(), None)).any(|added| !added));
        assert!(!watched.add("one too many", None));
    }
}
