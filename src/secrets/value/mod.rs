//! What a value looks like by itself: proven, random, chosen, a placeholder, or no value at all.
//! Border: never looks at the words around it.

pub(crate) mod randomness;
pub(crate) mod mnemonic;
pub(crate) mod structure;
pub(crate) mod vendor_samples;
pub(crate) mod placeholder;
pub(crate) mod identifiers;
pub(crate) mod password;
pub(crate) mod passphrase;
