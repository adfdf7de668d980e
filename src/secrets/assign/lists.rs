//! Word lists of names for credentials.
//! Border: data, and whether a word is in it.

/// Words in lower case, and what refuses most other words without a comparison.
pub(crate) struct List {
    words: &'static [&'static str],
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
        Self { words, firsts, lengths }
    }

    /// Tells that a word of ASCII letters and digits, in whatever case, is in the list.
    pub(crate) fn has(&self, word: &[u8]) -> bool {
        let Some(first) = word.first() else { return false };
        let may = self.firsts >> (first & 31) & self.lengths >> (word.len() & 31) & 1 == 1;
        may && self
            .words
            .iter()
            .any(|w| w.len() == word.len() && word.eq_ignore_ascii_case(w.as_bytes()))
    }
}

/// Where names are looked for. Matched in any case; each is a word or a part of one.
#[rustfmt::skip]
pub(crate) const KEYWORDS: &[&str] = &[
    "pass", "pwd", "pw", "secret", "token", "key", "cred", "auth", "bearer", "access", "private", "_pat",
    "passwort", "kennwort", "contrase", "clave", "mot de passe", "mdp", "jeton", "senha", "chave",
    "пароль", "Пароль", "ПАРОЛЬ", "пароля", "токен", "Токен", "ключ", "Ключ", "密码", "密碼", "口令",
    "密钥", "密鑰", "令牌", "パスワード", "トークン", "暗証", "シークレット", "비밀번호", "암호", "토큰", "hasło", "Hasło",
    "haslo", "heslo", "wachtwoord", "lösenord", "salasana", "passord", "adgangskode", "jelsz",
    "parola", "şifre", "mật khẩu", "كلمة المرور", "كلمة السر", "סיסמה", "סיסמא", "पासवर्ड",
    "รหัสผ่าน", "κωδικός", "κωδικος", "schlüssel",
];

/// Words for a password; the rest of the keywords name keys and tokens.
#[rustfmt::skip]
pub(crate) static PASSWORDS: List = List::of(&[
    "password", "passwd", "passwort", "pwd", "passphrase", "passcode", "pass", "pw", "passwords",
    "pswd", "userpass", "passw", "passkey", "pword", "psw", "mdp",
]);

/// Words for a key or token that need no other word.
#[rustfmt::skip]
pub(crate) static SECRETS: List = List::of(&[
    "secret", "secrets", "token", "tokens", "credential", "credentials", "cred", "creds",
    "apikey", "auth", "authorization", "bearer", "accesskey", "secretkey", "authkey", "apisecret",
    "authtoken", "accesstoken", "privatekey", "licensekey", "pat",
]);

/// Ends of words written without a joint: `dbpassword`, `clienttoken`.
#[rustfmt::skip]
pub(crate) const ENDINGS: &[&str] = &[
    "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey",
    "authkey", "privatekey", "signingkey", "encryptionkey",
];

/// Words after the credential's word that make the name something about a credential.
#[rustfmt::skip]
pub(crate) static ABOUT: List = List::of(&[
    "url", "uri", "header", "headers", "name", "names", "ttl", "length", "len", "path", "file",
    "files", "filename", "ref", "refs", "reference", "expiry", "expires", "expiration", "expired",
    "days", "hours", "policy", "type", "types", "prefix", "suffix", "endpoint", "min", "max",
    "hash", "hashes", "hashed", "field", "fields", "label", "hint", "reset", "manager",
    "provider", "count", "limit", "usage", "enabled", "required", "env", "var", "variable",
    "size", "format", "regex", "pattern", "error", "errors", "message", "index", "lifetime",
    "rotation", "age", "arn", "version", "digest", "fingerprint", "checksum", "class", "input",
    "store", "storage", "validator", "validation", "generator", "source", "scope", "scopes",
    "stream", "list", "map", "event", "events", "permission", "permissions", "callback", "method",
    "budget", "id", "ids", "serial", "number", "verifier", "config", "configuration", "exchange",
    "request", "response", "flow", "grant", "bucket", "data", "encoded",
]);

/// Words before `key` that make it no credential.
#[rustfmt::skip]
pub(crate) static OTHER_KEYS: List = List::of(&[
    "public", "primary", "foreign", "cache", "sort", "partition", "row", "object", "index", "map",
    "hot", "arrow", "shortcut", "enter", "return", "escape", "ctrl", "meta", "alt", "shift",
    "tab", "unique", "natural", "composite", "candidate", "hash", "range", "group", "lookup",
    "idempotency", "routing", "translation", "i18n", "locale", "event", "feature", "registry",
    "answer", "home", "missing", "extra", "known", "issue", "dedupe", "dict", "json", "yaml",
    "config", "host", "lock", "s3", "s3object", "order", "metadata", "data", "bucket", "gpg", "pgp",
]);

/// Words before `key` that make it a credential in a sentence.
#[rustfmt::skip]
pub(crate) static KEY_QUALIFIERS: List = List::of(&[
    "api", "access", "secret", "private", "auth", "authentication", "authorization", "admin",
    "app", "application", "account", "signing", "encryption", "master", "service", "server",
    "license", "licence", "deploy", "storage", "shared", "session", "webhook", "integration",
    "write", "ingest", "ingestion", "root", "client", "consumer", "subscription", "rest", "sdk",
    "global", "user", "project", "organization", "org", "personal", "live", "production", "prod",
    "recovery", "wallet", "hmac", "jwt", "activation", "unseal",
]);

/// Words before `token` and the like that make it no credential.
#[rustfmt::skip]
pub(crate) static OTHER_TOKENS: List = List::of(&[
    "correlation", "request", "csrf", "xsrf", "trace", "page", "pagination", "continuation",
    "next", "cancellation", "design", "syntax", "lexer", "idempotency", "sync", "start", "max",
    "min", "input", "output", "prompt", "special", "total", "per", "starting", "resume",
    "nextpage", "client_request", "change", "forward", "backward", "cursor", "lock", "sequence",
    "unit", "export", "import", "public", "confirmation", "action",
]);

/// Words that name a credential only where a drawn value follows at once.
#[rustfmt::skip]
pub(crate) static WEAK: List = List::of(&[
    "access", "private", "key", "keys",
]);

/// Words before a bare `key` that do not say whose key it is.
#[rustfmt::skip]
pub(crate) static ARTICLES: List = List::of(&[
    "the", "a", "an", "this", "that", "each", "every", "one", "any", "its", "is", "of", "to",
    "by", "with", "and", "or", "as", "use", "with", "for", "your", "my", "in",
]);

/// Words in an identifier that do not say whose credential it is.
#[rustfmt::skip]
pub(crate) static NAMELESS: List = List::of(&[
    "my", "your", "the", "a", "new", "old", "api", "access", "auth", "secret", "client",
    "private", "user", "token", "key", "app", "test", "example", "sample", "x", "service",
    "server", "password", "default", "admin", "id", "env", "const", "var", "let", "sdk", "other",
    "non", "matching",
]);

/// Words for a password in other languages, as they are written in identifiers.
#[rustfmt::skip]
pub(crate) static FOREIGN_PASSWORDS: List = List::of(&[
    "kennwort", "clave", "jeton", "senha", "chave", "haslo", "heslo", "wachtwoord", "salasana",
    "passord", "adgangskode", "parola", "contrasena", "contrase", "jelsz", "passe",
]);

/// Keywords of other scripts that name keys and tokens, not passwords.
#[rustfmt::skip]
pub(crate) const FOREIGN_SECRETS: &[&str] = &[
    "токен", "Токен", "ключ", "Ключ", "密钥", "密鑰", "令牌", "トークン", "シークレット", "토큰", "schlüssel",
];

/// Labels of a list of credentials behind which stands whose it is.
#[rustfmt::skip]
pub(crate) static HOLDERS: List = List::of(&[
    "user", "username", "login", "email", "host", "owner", "account", "service", "region", "role",
    "salt",
]);
