//! The SSHSIG format (OpenSSH `PROTOCOL.sshsig`): signed bytes, blob and armor, one form only.
//! Border: encodes and decodes; which namespace and key are right is the caller's rule.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha512};

use crate::trust::key::PublicKey;
use crate::trust::signature_problem::SignatureProblem;
use crate::trust::wire::{put_string, take_string, take_u32};

/// What every blob and every signed text begins with.
const MAGIC: &[u8; 6] = b"SSHSIG";
/// The only version.
const VERSION: u32 = 1;
/// First and last line of the armor.
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
/// Columns of base64 in the armor, as ssh-keygen writes it.
const ARMOR_COLUMNS: usize = 70;
/// Largest armor that is decoded; one of ours has about 300 bytes.
const ARMOR_BYTES_MAX: usize = 4 * 1_024;

/// The hash of the signed payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
    Sha256,
    Sha512,
}

/// A decoded signature.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    pub(super) signer: PublicKey,
    pub(super) namespace: String,
    pub(super) hash: Hash,
    pub(super) signature: [u8; 64],
}

impl Hash {
    fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
        }
    }

    fn of(self, parts: &[&[u8]]) -> Vec<u8> {
        fn digest<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
            let mut hasher = D::new();
            parts.iter().for_each(|part| hasher.update(part));
            hasher.finalize().to_vec()
        }
        match self {
            Self::Sha256 => digest::<Sha256>(parts),
            Self::Sha512 => digest::<Sha512>(parts),
        }
    }
}

/// The bytes that the key signs for a payload given in parts.
pub(super) fn signed_bytes(namespace: &str, hash: Hash, payload: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(MAGIC);
    put_string(&mut out, namespace.as_bytes());
    put_string(&mut out, b"");
    put_string(&mut out, hash.name().as_bytes());
    put_string(&mut out, &hash.of(payload));
    out
}

impl Blob {
    /// The blob in armor, with a final newline, byte for byte as `ssh-keygen -Y sign` writes it.
    pub(super) fn to_armor(&self) -> String {
        let encoded = STANDARD.encode(self.to_bytes());
        let mut armor = String::with_capacity(encoded.len() + 80);
        armor.push_str(BEGIN);
        armor.push('\n');
        for start in (0..encoded.len()).step_by(ARMOR_COLUMNS) {
            armor.push_str(&encoded[start..encoded.len().min(start + ARMOR_COLUMNS)]);
            armor.push('\n');
        }
        armor.push_str(END);
        armor.push('\n');
        armor
    }

    /// Reads armor; anything but the one form [`Blob::to_armor`] writes is refused.
    pub(super) fn from_armor(armor: &str) -> Result<Self, SignatureProblem> {
        let Some(inner) = armor.strip_prefix(BEGIN) else {
            let first = armor.lines().next().unwrap_or_default();
            let other = first.contains("PGP") || first.contains("SIGNED MESSAGE");
            return Err(if other { SignatureProblem::NotSsh } else { SignatureProblem::Armor });
        };
        let inner = inner.split(END).next().unwrap_or_default();
        if armor.len() > ARMOR_BYTES_MAX {
            return Err(SignatureProblem::Armor);
        }
        let encoded: String = inner.split('\n').collect();
        let bytes = STANDARD.decode(encoded).map_err(|_| SignatureProblem::Armor)?;
        let blob = Self::from_bytes(&bytes)?;
        if blob.to_armor() == armor { Ok(blob) } else { Err(SignatureProblem::Armor) }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_be_bytes());
        put_string(&mut out, &self.signer.to_blob());
        put_string(&mut out, self.namespace.as_bytes());
        put_string(&mut out, b"");
        put_string(&mut out, self.hash.name().as_bytes());
        put_string(&mut out, &signature_blob(&self.signature));
        out
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, SignatureProblem> {
        let form = || SignatureProblem::Blob;
        let mut rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or_else(form)?;
        if take_u32(&mut rest) != Some(VERSION) {
            return Err(form());
        }
        let key = take_string(&mut rest).ok_or_else(form)?;
        let namespace = take_string(&mut rest).ok_or_else(form)?;
        let reserved = take_string(&mut rest).ok_or_else(form)?;
        let hash = take_string(&mut rest).ok_or_else(form)?;
        let signature = take_string(&mut rest).ok_or_else(form)?;
        if !rest.is_empty() || !reserved.is_empty() {
            return Err(form());
        }
        let namespace = std::str::from_utf8(namespace).map_err(|_| form())?.to_owned();
        let hash = match hash {
            b"sha512" => Hash::Sha512,
            b"sha256" => Hash::Sha256,
            _ => return Err(SignatureProblem::Hash),
        };
        Ok(Self { signer: signer(key)?, namespace, hash, signature: raw_signature(signature)? })
    }
}

/// The `string ssh-ed25519, string signature` pair inside a blob, as agents give it, too.
pub(super) fn signature_blob(signature: &[u8; 64]) -> Vec<u8> {
    let mut out = Vec::with_capacity(83);
    put_string(&mut out, b"ssh-ed25519");
    put_string(&mut out, signature);
    out
}

/// The 64 bytes of an ed25519 signature inside its pair.
pub(super) fn raw_signature(mut pair: &[u8]) -> Result<[u8; 64], SignatureProblem> {
    let algorithm = take_string(&mut pair).ok_or(SignatureProblem::Blob)?;
    if algorithm != b"ssh-ed25519" {
        return Err(SignatureProblem::KeyAlgorithm);
    }
    let raw = take_string(&mut pair).ok_or(SignatureProblem::Blob)?;
    if !pair.is_empty() {
        return Err(SignatureProblem::Blob);
    }
    raw.try_into().map_err(|_| SignatureProblem::Blob)
}

fn signer(blob: &[u8]) -> Result<PublicKey, SignatureProblem> {
    let algorithm = take_string(&mut &*blob).ok_or(SignatureProblem::Blob)?;
    if algorithm != b"ssh-ed25519" {
        return Err(SignatureProblem::KeyAlgorithm);
    }
    let bytes = PublicKey::from_blob(blob).ok_or(SignatureProblem::Blob)?;
    PublicKey::from_bytes(bytes).map_err(SignatureProblem::Key)
}
