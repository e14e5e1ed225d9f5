//! Who we say we are, and to whom.
//!
//! What a user gives with a URL is for the host of that URL (scheme, name and port) unless said
//! otherwise, and goes to no other, wherever redirects lead. A netrc file and a file of cookies name
//! their hosts themselves, and libcurl keeps to that.

use std::path::{Path, PathBuf};

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::options::Options;
use crate::floor::url::RemoteUrl;
use crate::transport::s3::S3;

/// Credentials of one file.
#[derive(Default)]
pub(crate) struct Credentials {
    /// The one host that `own` is for, as [`RemoteUrl::site`] has it.
    site: String,
    own: Own,
    s3: Option<S3>,
    netrc: Option<PathBuf>,
    cookie_file: Option<PathBuf>,
}

/// What only one host gets.
#[derive(Default)]
pub(crate) struct Own {
    /// Whole header lines, `Authorization` among them.
    pub(crate) headers: Vec<String>,
    /// Name and password.
    pub(crate) basic: Option<(String, String)>,
    pub(crate) cookies: String,
}

impl Credentials {
    /// Checks what `options` say about credentials for `url`, which is an object of S3 where there is `s3`.
    pub(crate) fn new(options: &Options, url: &RemoteUrl, s3: Option<S3>) -> Result<Self> {
        let site = match options.credentials_host.as_str() {
            "" => url.site(),
            host if host.contains("://") => RemoteUrl::parse(host)?.site(),
            host => RemoteUrl::parse(&format!("https://{host}"))?.site(),
        };
        let mut own = Own { cookies: options.cookies.clone(), ..Own::default() };
        own.headers.extend(options.headers.lines().map(str::to_owned));
        if !options.authorization.is_empty() {
            own.headers.push(format!("Authorization: {}", options.authorization));
        }
        own.basic = match (options.username.as_str(), url.user()) {
            ("", user) => user.filter(|_| site == url.site()),
            (name, _) => Some((name.to_owned(), options.password.clone())),
        };
        if s3.is_some() {
            own.basic = None;
        }
        let is_secret = !options.authorization.is_empty() || !options.password.is_empty();
        // A signature does not give away the key that made it.
        if is_secret && s3.is_none() && !is_private(&site) {
            return Err(invalid(format!(
                "authorization and password would go to {site} for everybody on the way to read: use https"
            )));
        }
        let netrc = if options.netrc { Some(netrc_file()?) } else { None };
        let cookie_file =
            Some(PathBuf::from(&options.cookie_file)).filter(|file| !file.as_os_str().is_empty());
        for (option, file) in [("netrc", &netrc), ("cookie_file", &cookie_file)] {
            if let Some(file) = file {
                readable(option, file)?;
            }
        }
        Ok(Self { site, own, s3, netrc, cookie_file })
    }

    /// What `url` may be told.
    pub(crate) fn for_url(&self, url: &RemoteUrl) -> Option<&Own> {
        // An object of S3 may turn out to lie in another region.
        (url.region().is_some() || url.site() == self.site).then_some(&self.own)
    }

    /// The object of S3 that the file is, if it was asked for as such.
    pub(crate) fn s3(&self) -> Option<&S3> {
        self.s3.as_ref()
    }

    pub(crate) fn netrc(&self) -> Option<&Path> {
        self.netrc.as_deref()
    }

    pub(crate) fn cookie_file(&self) -> Option<&Path> {
        self.cookie_file.as_deref()
    }

    /// `text` without the secrets, should a server have quoted one.
    pub(crate) fn redact(&self, text: &str) -> String {
        let values = self.own.headers.iter().filter_map(|line| line.split_once(':')).map(|(_, value)| value);
        // Of "Bearer abc" the last word is the secret, and it may be quoted alone.
        let words = values.flat_map(|value| [value.trim(), value.rsplit(' ').next().unwrap_or(value)]);
        let keys = self.s3.iter().flat_map(|s3| &s3.keys);
        let keys = keys.flat_map(|keys| [keys.secret.as_str(), keys.session_token.as_str()]);
        let passwords = self.own.basic.iter().map(|(_, password)| password.as_str()).chain(keys);
        let cookies =
            self.own.cookies.split(';').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
        let mut redacted = text.to_owned();
        for secret in words.chain(passwords).chain(cookies).filter(|secret| secret.len() >= SHORTEST_SECRET) {
            redacted = redacted.replace(secret, "...");
        }
        redacted
    }
}

/// Shorter ones would cut words out of any sentence, and protect nothing.
const SHORTEST_SECRET: usize = 4;

/// Does nobody read along on the way to `site`?
fn is_private(site: &str) -> bool {
    let Some(host) = site.strip_prefix("http://") else { return true };
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name == "localhost" || name == "[::1]" || is_loopback(name)
}

fn is_loopback(name: &str) -> bool {
    name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// The file that other programs take too: `NETRC` names it, else it lies in the home folder.
fn netrc_file() -> Result<PathBuf> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || Some(from("HOME").or_else(|| from("USERPROFILE"))?.join(".netrc"));
    from("NETRC").or_else(home).ok_or_else(|| invalid("the option netrc finds no home folder".to_owned()))
}

/// libcurl would take a file that cannot be read for an empty one.
fn readable(option: &str, file: &Path) -> Result<()> {
    let opened = std::fs::File::open(file).map(drop);
    opened.map_err(|error| invalid(format!("the option {option} cannot read {}: {error}", file.display())))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorCode::InvalidOption, message)
}

#[cfg(test)]
mod tests;
