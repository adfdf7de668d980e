//! Lists of words that a test can take entries out of, to see what each one is good for.
//! Border: a list and the search in it; which words, and what they mean, is for those who list them.

/// A list that is searched from its front.
pub(crate) struct Entries<T: 'static>(&'static [T]);

impl<T> Entries<T> {
    pub(crate) const fn of(entries: &'static [T]) -> Self {
        Self(entries)
    }

    /// The first entry that fits.
    pub(crate) fn find(&self, fits: impl Fn(&T) -> bool) -> Option<&'static T> {
        self.iter().find(|entry| is_met(*entry, fits(entry)))
    }

    /// Tells that an entry fits.
    pub(crate) fn any(&self, fits: impl Fn(&T) -> bool) -> bool {
        self.find(fits).is_some()
    }

    /// All entries.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static T> + use<T> {
        self.0.iter().filter(|entry| is_in(*entry))
    }
}

/// Tells that an entry was not taken out.
#[cfg(not(test))]
pub(crate) fn is_in<T>(_entry: &T) -> bool {
    true
}

/// Passes on whether an entry fits.
#[cfg(not(test))]
pub(crate) fn is_met<T>(_entry: &T, fits: bool) -> bool {
    fits
}

#[cfg(test)]
pub(crate) use measured::{is_in, is_met};

/// What a test takes out and sees: entries are told apart by where they are in memory.
#[cfg(test)]
pub(crate) mod measured {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use super::Entries;

    thread_local! {
        static OUT: RefCell<BTreeSet<usize>> = const { RefCell::new(BTreeSet::new()) };
        static MET: RefCell<Option<BTreeSet<usize>>> = const { RefCell::new(None) };
    }

    /// Where an entry is.
    pub(crate) fn place<T>(entry: &T) -> usize {
        std::ptr::from_ref(entry).addr()
    }

    pub(crate) fn is_in<T>(entry: &T) -> bool {
        OUT.with_borrow(|out| !out.contains(&place(entry)))
    }

    pub(crate) fn is_met<T>(entry: &T, fits: bool) -> bool {
        if fits {
            MET.with_borrow_mut(|met| met.as_mut().map(|met| met.insert(place(entry))));
        }
        fits
    }

    /// Takes an entry out.
    pub(crate) fn take_out(place: usize) {
        OUT.with_borrow_mut(|out| out.insert(place));
    }

    /// Puts an entry back.
    pub(crate) fn put_back(place: usize) {
        OUT.with_borrow_mut(|out| out.remove(&place));
    }

    /// Runs and gives the entries that fitted something.
    pub(crate) fn meeting<R>(run: impl FnOnce() -> R) -> (R, BTreeSet<usize>) {
        MET.set(Some(BTreeSet::new()));
        let result = run();
        (result, MET.take().unwrap_or_default())
    }

    /// A list with its entries: what they say and where they are in memory.
    pub(crate) type Listed = (&'static str, Vec<(String, usize)>);

    /// The entries of a list of text.
    pub(crate) fn of_text(name: &'static str, list: &Entries<&'static str>) -> Listed {
        (name, list.iter().map(|entry| ((*entry).to_owned(), place(entry))).collect())
    }

    /// The entries of a list of bytes.
    pub(crate) fn of_bytes(name: &'static str, list: &Entries<&'static [u8]>) -> Listed {
        let shown = |entry: &&[u8]| String::from_utf8_lossy(entry).into_owned();
        (name, list.iter().map(|entry| (shown(entry), place(entry))).collect())
    }

    /// The entries of a plain list.
    pub(crate) fn of_list(name: &'static str, list: &'static [&'static str]) -> Listed {
        (name, list.iter().map(|entry| ((*entry).to_owned(), place(entry))).collect())
    }
}
