//! The address of the remote file: as it goes over the wire and as it may be shown.

use std::hash::{DefaultHasher, Hash, Hasher};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::floor::error::{Error, ErrorCode, Result};

/// ASCII characters that may not stand in a URL (RFC 3986, section 2). Everything else, `%` above
/// all, is left as it is: a presigned URL must reach the server byte for byte.
const ILLEGAL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// An `http://` or `https://` URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteUrl {
    wire: String,
    shown: String,
    authority: String,
    query: String,
    region: Option<String>,
}

impl RemoteUrl {
    /// Checks `text` and encodes what is illegal in it. The fragment is dropped: it is never sent.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let without_fragment = text.split('#').next().unwrap_or(text);
        let (scheme, rest) = without_fragment
            .split_once("://")
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
            .ok_or_else(|| invalid(text, "it does not begin with http://, https:// or s3://"))?;
        if rest.chars().any(char::is_control) {
            return Err(invalid(text, "it has a control character in it"));
        }
        let path_at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path_and_query) = rest.split_at(path_at);
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        if host.is_empty() || host.starts_with(':') {
            return Err(invalid(text, "it names no host"));
        }
        if host.contains(|c: char| c.is_whitespace() || ILLEGAL_IN_HOST.contains(&c)) {
            return Err(invalid(text, "its host has a character that no host name has"));
        }
        let scheme = scheme.to_ascii_lowercase();
        let encode = |part: &str| utf8_percent_encode(part, ILLEGAL).to_string();
        let mark = if path_and_query.contains('?') { "?" } else { "" };
        Ok(Self {
            wire: format!("{scheme}://{authority}{}{mark}{}", encode(path), encode(query)),
            shown: format!("{scheme}://{host}{path}{}", if query.is_empty() { "" } else { "?..." }),
            authority: format!("{scheme}://{host}"),
            query: query.to_owned(),
            region: None,
        })
    }

    /// The same, requests to which are signed for a region of Amazon's.
    pub(crate) fn signed_for(self, region: &str) -> Self {
        Self { region: Some(region.to_owned()), ..self }
    }

    /// The same, shown as its user knows it.
    pub(crate) fn called(self, shown: String) -> Self {
        Self { shown, ..self }
    }

    /// The region that requests are signed for, if this is an object of S3 that was asked for as such.
    pub(crate) fn region(&self) -> Option<&str> {
        self.region.as_deref()
    }

    /// What libcurl gets.
    pub(crate) fn wire(&self) -> &str {
        &self.wire
    }

    /// Is it `https`?
    pub(crate) fn is_https(&self) -> bool {
        self.wire.starts_with("https:")
    }

    /// Fit for messages and logs: without user, password and the query's values.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Scheme, host and port: what connections are counted by.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// The same in one spelling: lower case, with the port.
    pub(crate) fn site(&self) -> String {
        let site = self.authority.to_ascii_lowercase();
        let host = site.split_once("://").map_or(site.as_str(), |(_, host)| host);
        // The colons of an IPv6 address stand in brackets.
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
        match has_port {
            true => site,
            false => format!("{site}:{}", if self.is_https() { 443 } else { 80 }),
        }
    }

    /// The user and the password that the URL names, decoded.
    pub(crate) fn user(&self) -> Option<(String, String)> {
        let (_, rest) = self.wire.split_once("://")?;
        let authority = rest.split(['/', '?']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        let (name, password) = user.split_once(':').unwrap_or((user, ""));
        let decode = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        Some((decode(name), decode(password)))
    }

    /// What the URL names, whoever may ask for it until when: without user, signature and fragment. Two
    /// signed URLs of one object have this in common. What else is in the query is only hinted at.
    pub(crate) fn object(&self) -> String {
        let name = self.wire.split_once("://").map_or("", |(_, rest)| rest);
        let path = name.find('/').map_or("/", |at| name[at..].split('?').next().unwrap_or_default());
        let kept = unsigned(&self.query);
        if kept.is_empty() {
            return format!("{}{path}", self.site());
        }
        let mut hasher = DefaultHasher::new();
        kept.hash(&mut hasher);
        format!("{}{path}?{:016x}", self.site(), hasher.finish())
    }

    /// `text` with this URL's query and its secrets cut out of it, should a server have quoted them.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.query.is_empty() {
            return text.to_owned();
        }
        let mut redacted = text.replace(&self.query, "...");
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        for (_, value) in pairs.filter(|(name, _)| names_secret(name)) {
            let decoded = percent_decode_str(value).decode_utf8_lossy();
            for form in [value, &*decoded].into_iter().filter(|form| form.len() >= SHORTEST_SECRET) {
                redacted = redacted.replace(form, "...");
            }
        }
        redacted
    }
}

/// Shorter values are words, which may stand in any sentence.
const SHORTEST_SECRET: usize = 8;

/// Is the value of a parameter of this name likely to let others in?
fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "credential", "key", "pass", "policy", "secret", "sig", "token"]
        .iter()
        .any(|word| name.contains(word))
}

/// The parameters of a query that do not belong to a signature (of S3, its older form and CloudFront,
/// Google's and Azure's).
fn unsigned(query: &str) -> Vec<&str> {
    const OLD: [&str; 7] =
        ["awsaccesskeyid", "expires", "googleaccessid", "key-pair-id", "policy", "signature", "token"];
    const AZURE: [&str; 14] =
        ["se", "sig", "sip", "ske", "skoid", "sks", "skt", "sktid", "skv", "sp", "spr", "sr", "st", "sv"];
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    let pairs = || query.split('&').filter(|pair| !pair.is_empty());
    let has = |wanted: &str| pairs().any(|pair| name(pair) == wanted);
    let (old, azure) = (has("signature"), has("sig"));
    let signs = |name: &str| {
        name.starts_with("x-amz-")
            || name.starts_with("x-goog-")
            || (old && OLD.contains(&name))
            || (azure && AZURE.contains(&name))
    };
    pairs().filter(|pair| !signs(&name(pair))).collect()
}

const ILLEGAL_IN_HOST: [char; 8] = ['"', '<', '>', '\\', '^', '`', '{', '}'];

/// The scheme and host are worth showing in a bad URL; what comes after may be secret.
fn invalid(text: &str, why: &str) -> Error {
    let shown: String = text.split(['?', '#']).next().unwrap_or(text).chars().take(200).collect();
    let shown = match shown.split_once("://") {
        Some((scheme, rest)) => {
            let authority_end = rest.find('/').unwrap_or(rest.len());
            let host_at = rest[..authority_end].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[host_at..])
        }
        None => shown,
    };
    let shown = shown.escape_debug();
    Error::new(ErrorCode::InvalidUrl, format!("'{shown}' is not a URL that can be read: {why}"))
}

#[cfg(test)]
mod tests;
