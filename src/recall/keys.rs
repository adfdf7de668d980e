//! Terms as numbers: equal terms have equal keys, whoever read them and wherever.
//! Border: a hash for comparing words of memories, no cryptography.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A term as a number of 64 bits: among a million terms, two meet once in millions of collections.
pub type Key = u64;

/// A map whose keys are words; nobody gains from making its words collide.
pub type WordMap<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// FNV-1a, 64 bits.
#[derive(Clone, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// A key is a hash already.
    fn write_u64(&mut self, key: u64) {
        self.0 ^= key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The key of a term.
pub fn key(term: &str) -> Key {
    let mut hasher = Fnv::default();
    hasher.write(term.as_bytes());
    hasher.finish()
}
