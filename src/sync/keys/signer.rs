//! A signer that opens its key only when something is to be signed.
//! Border: a pull that commits nothing must not ask for a passphrase; loading is `keys`.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use super::signing_key::{KeyError, load_signer, show_key};
use crate::system::env::Environment;
use crate::trust::key::{PassphrasePrompt, PublicKey};
use crate::trust::signature::{SignError, Signer};

/// A key file, opened at the first signature.
pub struct LazySigner {
    environment: Environment,
    path: PathBuf,
    public: PublicKey,
    prompt: RefCell<Box<dyn PassphrasePrompt>>,
    loaded: OnceCell<Box<dyn Signer>>,
}

impl LazySigner {
    /// Reads only the public half of a key; nobody is asked yet.
    pub fn find(
        environment: &Environment,
        path: &Path,
        prompt: Box<dyn PassphrasePrompt>,
    ) -> Result<Self, KeyError> {
        let public = show_key(path)?.public;
        Ok(Self {
            environment: environment.clone(),
            path: path.to_owned(),
            public,
            prompt: RefCell::new(prompt),
            loaded: OnceCell::new(),
        })
    }
}

impl Signer for LazySigner {
    fn public_key(&self) -> PublicKey {
        self.public
    }

    fn sign_bytes(&self, bytes: &[u8]) -> Result<[u8; 64], SignError> {
        if let Some(signer) = self.loaded.get() {
            return signer.sign_bytes(bytes);
        }
        let mut prompt = self.prompt.borrow_mut();
        let loaded = load_signer(&self.environment, &self.path, prompt.as_mut());
        let locked = |error| SignError::Locked { key: self.public, source: Box::new(error) };
        let signer = loaded.map_err(locked)?;
        let signature = signer.sign_bytes(bytes)?;
        // A second opening of the same key would only give the same signer.
        drop(self.loaded.set(signer));
        Ok(signature)
    }
}
