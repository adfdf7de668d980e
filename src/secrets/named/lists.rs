//! Word lists of names for credentials.
//! Border: data, and whether a word is in it.

use crate::secrets::entries::Entries;

/// Words in lower case, and what refuses most other words without a comparison.
pub(crate) struct List {
    words: Entries<&'static str>,
    /// One bit per first letter, and one per length.
    firsts: u32,
    lengths: u32,
}

impl List {
    const fn of(words: &'static [&'static str]) -> Self {
        let (mut firsts, mut lengths, mut at) = (0, 0, 0);
        while at < words.len() {
            let word = words[at].as_bytes();
            firsts |= 1 << (word[0] & 31);
            lengths |= 1 << (word.len() & 31);
            at += 1;
        }
        Self { words: Entries::of(words), firsts, lengths }
    }

    /// The list itself.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> &Entries<&'static str> {
        &self.words
    }

    /// Tells that a word of ASCII letters and digits, in whatever case, is in the list.
    pub(crate) fn has(&self, word: &[u8]) -> bool {
        let Some(first) = word.first() else { return false };
        let may = self.firsts >> (first & 31) & self.lengths >> (word.len() & 31) & 1 == 1;
        may && self.words.any(|w| w.len() == word.len() && word.eq_ignore_ascii_case(w.as_bytes()))
    }
}

/// Where names are looked for. Matched in any case; each is a word or a part of one.
#[rustfmt::skip]
pub(crate) static KEYWORDS: &[&str] = &[
    "pass", "pw", "secret", "token", "key", "cred", "auth", "bearer", "access", "private", "_pat",
    "kennwort", "contrase", "clave", "mdp", "jeton", "senha", "chave", "пароль", "Пароль", "ПАРОЛЬ",
    "токен", "Токен", "ключ", "Ключ", "密码", "密碼", "口令", "密钥", "密鑰", "令牌", "パスワード", "トークン", "暗証",
    "シークレット", "비밀번호", "암호", "토큰", "hasło", "haslo", "heslo", "wachtwoord", "lösenord", "salasana",
    "adgangskode", "jelsz", "parola", "şifre", "mật khẩu", "كلمة المرور", "كلمة السر", "סיסמה",
    "סיסמא", "पासवर्ड", "รหัสผ่าน", "κωδικός", "κωδικος", "schlüssel",
];

/// Words for a password; the rest of the keywords name keys and tokens.
#[rustfmt::skip]
pub(crate) static PASSWORDS: List = List::of(&[
    "password", "passwd", "passwort", "pwd", "passphrase", "passcode", "pass", "pw", "passwords",
    "pswd", "passw", "passkey", "pword", "psw", "mdp",
]);

/// Words for a key or token that need no other word.
#[rustfmt::skip]
pub(crate) static SECRETS: List = List::of(&[
    "secret", "secrets", "token", "tokens", "credential", "credentials", "cred", "creds", "apikey",
    "auth", "authorization", "bearer", "authkey", "apisecret", "authtoken", "accesstoken",
    "licensekey", "pat",
]);

/// Ends of words written without a joint: `dbpassword`, `clienttoken`.
#[rustfmt::skip]
pub(crate) static ENDINGS: Entries<&str> = Entries::of(&[
    "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey",
    "authkey", "privatekey", "signingkey", "encryptionkey",
]);

/// Words after the credential's word that make the name something about a credential.
#[rustfmt::skip]
pub(crate) static ABOUT: List = List::of(&[
    "name", "refs", "expires", "expiration", "days", "hours", "suffix", "hash", "label", "hint",
    "reset", "limit", "enabled", "var", "variable", "regex", "pattern", "message", "arn",
    "checksum", "storage", "validator", "generator", "permission", "id", "ids", "serial", "number",
]);

/// Words before `key` that make it no credential.
#[rustfmt::skip]
pub(crate) static OTHER_KEYS: List = List::of(&[
    "public", "primary", "foreign", "row", "hot", "arrow", "shortcut", "enter", "meta", "alt",
    "shift", "tab", "natural", "candidate", "routing", "translation", "locale", "feature", "home",
    "issue", "dedupe", "lock", "s3object", "pgp",
    "cache", "object", "partition", "sort", "index", "s3", "host", "event", "gpg", "group", "hash", "range", "map",
]);

/// Words before `key` that make it a credential in a sentence.
#[rustfmt::skip]
pub(crate) static KEY_QUALIFIERS: List = List::of(&[
    "api", "access", "secret", "signing", "server", "license", "licence", "ingest", "ingestion",
    "subscription", "rest", "organization", "activation",
]);

/// Words before `token` and the like that make it no credential.
#[rustfmt::skip]
pub(crate) static OTHER_TOKENS: List = List::of(&[
    "csrf", "continuation", "next", "cancellation", "design", "syntax", "idempotency", "sync",
    "min", "prompt", "special", "total", "starting", "resume", "nextpage", "client_request",
    "change", "forward", "backward", "lock", "sequence", "confirmation",
    "page", "pagination", "request", "correlation", "trace", "cursor", "export", "import",
]);

/// Words that name a credential only where a drawn value follows at once.
#[rustfmt::skip]
pub(crate) static WEAK: List = List::of(&[
    "access", "private", "key", "keys",
]);

/// Words before a bare `key` that do not say whose key it is.
#[rustfmt::skip]
pub(crate) static ARTICLES: List = List::of(&[
    "the", "a", "with", "your", "my",
]);

/// Words in an identifier that do not say whose credential it is.
#[rustfmt::skip]
pub(crate) static NAMELESS: List = List::of(&[
    "api", "access", "secret", "sample", "sdk", "non", "matching",
]);

/// Words for a password in other languages, as they are written in identifiers.
#[rustfmt::skip]
pub(crate) static FOREIGN_PASSWORDS: List = List::of(&[
    "kennwort", "clave", "jeton", "senha", "chave", "haslo", "heslo", "wachtwoord", "salasana",
    "passord", "adgangskode", "parola", "contrasena", "contrase", "jelsz", "passe",
]);

/// Keywords of other scripts that name keys and tokens, not passwords.
#[rustfmt::skip]
pub(crate) static FOREIGN_SECRETS: Entries<&str> = Entries::of(&[
    "токен", "Токен", "ключ", "Ключ", "密钥", "密鑰", "令牌", "トークン", "シークレット", "토큰", "schlüssel",
]);

/// Labels of a list of credentials behind which stands whose it is.
#[rustfmt::skip]
pub(crate) static HOLDERS: List = List::of(&[
    "user", "username", "login", "host", "account", "role", "salt",
]);
