//! How a remote file is fetched and cached: one set of options behind every face.
//!
//! [`OPTIONS`] is the only place where names, defaults, bounds and their reasons stand. The string
//! form, the C++ struct and the README's table are held to it by tests.

mod headers;
mod text;

use std::time::Duration;

use crate::floor::error::{Error, ErrorCode, Result};

/// The options of one open file. Start from [`Options::default`] or parse `key=value` pairs.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The least that is fetched, in bytes, for a read of which nothing is known: it costs multiples of this.
    /// What is known exactly, as the chunks that an index names, is fetched in blocks of a tenth of it.
    pub min_chunk_size: u64,
    /// Bound in bytes of the memory that cached blocks take, per open file.
    pub max_cache_size: u64,
    /// Most bytes that a single range request asks for.
    pub max_chunk_size: u64,
    /// Log every request to stderr.
    pub verbose: bool,
    /// Bytes of the file's head that the first request brings.
    pub head_size: u64,
    /// Fetch ahead of sequential reads.
    pub read_ahead: bool,
    /// Learn from the HDF5 metadata passing by what will be read next.
    pub hints: bool,
    /// Fetch the rest of a file of at most 100 MiB once waiting has cost as much as that would.
    pub complete_small_files: bool,
    /// Most connections in use at once.
    pub max_connections: u32,
    /// Limit in milliseconds for connecting, name look-up and TLS included.
    pub connect_timeout_ms: u64,
    /// Milliseconds without a byte, or with less than 1 kB a second, after which a request is given up and tried
    /// again.
    pub stall_timeout_ms: u64,
    /// Limit in milliseconds for opening, and for one read, with all retries; 0 means none.
    pub read_timeout_ms: u64,
    /// How often a request that failed for a passing reason is tried again.
    pub max_retries: u32,
    /// Sent as `User-Agent`; empty means this library's own.
    pub user_agent: String,
    /// File of trusted certificates (PEM); empty means what the environment names, else the machine's.
    pub ca_file: String,
    /// Check the server's certificate.
    pub verify_tls: bool,
    /// Proxy URL; empty means what the environment says.
    pub proxy: String,
    /// Use HTTP/2 with https servers that have it.
    pub http2: bool,
    /// Links out of a remote HDF5 file may lead to files of this machine. The driver's; not used here.
    pub local_links: bool,
    /// Value of the `Authorization` header, `Bearer …` or `token …` for example.
    pub authorization: String,
    /// Name for basic authentication; for `s3://` the access key.
    pub username: String,
    /// The name's password; for `s3://` the access key's secret.
    pub password: String,
    /// Further request headers, `Name: value`, one a line.
    pub headers: String,
    /// Cookies to send, `name=value; name=value`.
    pub cookies: String,
    /// File of cookies of many hosts, in Netscape's format.
    pub cookie_file: String,
    /// Take names and passwords of hosts from the file that `NETRC` names, or `~/.netrc`.
    pub netrc: bool,
    /// The one host, `https://host:port`, that all of these are for; empty means the URL's own.
    pub credentials_host: String,
    /// A file of at most so many bytes is taken whole from a server without byte ranges.
    pub max_whole_file: u64,
    /// Region of the bucket; empty means the environment's, else `us-east-1`.
    pub s3_region: String,
    /// URL of an S3 service other than Amazon's.
    pub s3_endpoint: String,
    /// Address buckets by path also on Amazon, not by host name.
    pub s3_path_style: bool,
    /// Agree to pay for the requests.
    pub s3_requester_pays: bool,
    /// Sign nothing, even where there are credentials.
    pub s3_anonymous: bool,
}

/// What kind of value an option takes, with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Bytes, from least to most.
    Bytes(u64, u64),
    /// A number without unit, from least to most.
    Count(u64, u64),
    /// Milliseconds, from least to most.
    Milliseconds(u64, u64),
    /// On or off.
    Switch,
    /// Any text without control characters.
    Text,
    /// The same, and never shown.
    Secret,
    /// Lines `Name: value` of HTTP headers, never shown.
    Headers,
}

/// One row of the options table.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct OptionSpec {
    /// The name, the same in every language.
    pub name: &'static str,
    /// Kind of value and bounds.
    pub kind: Kind,
    /// The default as text.
    pub default: &'static str,
    /// Why the default is what it is.
    pub reason: &'static str,
}

const fn row(name: &'static str, kind: Kind, default: &'static str, reason: &'static str) -> OptionSpec {
    OptionSpec { name, kind, default, reason }
}

const KIB: u64 = 1 << 10;
const GIB: u64 = 1 << 30;
const HOUR_MS: u64 = 3_600_000;

/// Every option, in the order of the struct's fields.
pub const OPTIONS: [OptionSpec; 33] = [
    row(
        "min_chunk_size",
        Kind::Bytes(KIB, GIB),
        "102400",
        "the block size of the drivers of this name; a block costs a few ms more than its first byte",
    ),
    row(
        "max_cache_size",
        Kind::Bytes(0, u64::MAX),
        "1000000000",
        "holds the working set of a session and leaves room on a laptop",
    ),
    row(
        "max_chunk_size",
        Kind::Bytes(KIB, 1024 * GIB),
        "104857600",
        "one request longer than this gains nothing and costs more when it breaks",
    ),
    row("verbose", Kind::Switch, "0", "a library does not write to its user's terminal"),
    row(
        "head_size",
        Kind::Bytes(1, GIB),
        "512000",
        "whole blocks; above 256 KiB the gain is flat and the cost is a few ms",
    ),
    row("read_ahead", Kind::Switch, "1", "sequential reading is common and without it waits for every block"),
    row("hints", Kind::Switch, "1", "a walk costs round trips by its depth instead of by its objects"),
    row(
        "complete_small_files",
        Kind::Switch,
        "1",
        "at most twice the best possible time, and never a byte twice",
    ),
    row(
        "max_connections",
        Kind::Count(1, 256),
        "16",
        "8 costs 9 % of the time, 32 gains 3 % and annoys servers",
    ),
    row(
        "connect_timeout_ms",
        Kind::Milliseconds(1, HOUR_MS),
        "10000",
        "a host that has not answered in 10 s is down or blocked",
    ),
    row(
        "stall_timeout_ms",
        Kind::Milliseconds(1, HOUR_MS),
        "20000",
        "longer than any pause of a healthy server, shorter than a person's patience",
    ),
    row(
        "read_timeout_ms",
        Kind::Milliseconds(0, 1000 * HOUR_MS),
        "300000",
        "a read ends, one way or the other, within five minutes",
    ),
    row("max_retries", Kind::Count(0, 1000), "6", "with the backoff some ten seconds of patience"),
    row(
        "user_agent",
        Kind::Text,
        "",
        "archives ask to be told who reads; the default names remfile and libcurl",
    ),
    row("ca_file", Kind::Text, "", "the system's certificates are right nearly everywhere"),
    row("verify_tls", Kind::Switch, "1", "never fall back to insecure"),
    row("proxy", Kind::Text, "", "the environment's proxy variables are honoured"),
    row(
        "http2",
        Kind::Switch,
        "1",
        "small requests then need no connection of their own; bulk loses nothing",
    ),
    row("local_links", Kind::Switch, "0", "a remote file has no say in what is read of this machine"),
    row("authorization", Kind::Secret, "", "whatever scheme the server wants"),
    row("username", Kind::Text, "", "nobody is anybody by default"),
    row("password", Kind::Secret, "", "as above"),
    row("headers", Kind::Headers, "", "some archives want a key of their own kind"),
    row("cookies", Kind::Secret, "", "a file that only a logged-in browser may read"),
    row("cookie_file", Kind::Text, "", "what browsers and wget export"),
    row("netrc", Kind::Switch, "0", "no secret leaves without being asked for"),
    row("credentials_host", Kind::Text, "", "who gives a secret with a URL means that URL's host"),
    row(
        "max_whole_file",
        Kind::Bytes(0, GIB),
        "16777216",
        "a second or two, and nobody downloads gigabytes unawares",
    ),
    row("s3_region", Kind::Text, "", "the server names the right one if this is wrong"),
    row("s3_endpoint", Kind::Text, "", "Amazon's own"),
    row(
        "s3_path_style",
        Kind::Switch,
        "0",
        "Amazon wants host names; other endpoints and dotted buckets get paths anyway",
    ),
    row("s3_requester_pays", Kind::Switch, "0", "nobody pays unasked"),
    row("s3_anonymous", Kind::Switch, "0", "credentials that are there are meant to be used"),
];

impl Default for Options {
    fn default() -> Self {
        Self {
            min_chunk_size: 100 * KIB,
            max_cache_size: 1_000_000_000,
            max_chunk_size: 100 * KIB * KIB,
            verbose: false,
            head_size: 500 * KIB,
            read_ahead: true,
            hints: true,
            complete_small_files: true,
            max_connections: 16,
            connect_timeout_ms: 10_000,
            stall_timeout_ms: 20_000,
            read_timeout_ms: 300_000,
            max_retries: 6,
            user_agent: String::new(),
            ca_file: String::new(),
            verify_tls: true,
            proxy: String::new(),
            http2: true,
            local_links: false,
            authorization: String::new(),
            username: String::new(),
            password: String::new(),
            headers: String::new(),
            cookies: String::new(),
            cookie_file: String::new(),
            netrc: false,
            credentials_host: String::new(),
            max_whole_file: 16 * KIB * KIB,
            s3_region: String::new(),
            s3_endpoint: String::new(),
            s3_path_style: false,
            s3_requester_pays: false,
            s3_anonymous: false,
        }
    }
}

/// Smaller blocks would cost more memory for keeping track of them than they save.
const LEAST_BLOCK_BYTES: u64 = 6 * KIB;
const MOST_PARTS: u64 = 16;

impl Options {
    /// Checks every value against its bounds.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`] that names the first option out of bounds.
    pub fn validate(&self) -> Result<()> {
        for spec in &OPTIONS {
            text::check(spec, &self.get(spec.name))?;
        }
        Ok(())
    }

    /// The unit in which the cache keeps bytes: a fraction of `min_chunk_size`, because what is known
    /// exactly, as the place of a chunk is, need not cost as much as what is not.
    pub(crate) fn block_size(&self) -> u64 {
        let size = self.min_chunk_size;
        let parts = (1..=MOST_PARTS)
            .rev()
            .find(|parts| size.is_multiple_of(*parts) && size / parts >= LEAST_BLOCK_BYTES);
        size / parts.unwrap_or(1)
    }

    /// The limit for one read, where there is one.
    pub(crate) fn read_timeout(&self) -> Option<Duration> {
        (self.read_timeout_ms > 0).then(|| Duration::from_millis(self.read_timeout_ms))
    }
}

impl std::fmt::Debug for Options {
    /// Without the secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Options");
        for spec in &OPTIONS {
            let value = self.get(spec.name);
            let secret = matches!(spec.kind, Kind::Secret | Kind::Headers) && !value.is_empty();
            shown.field(spec.name, if secret { &"..." } else { &value });
        }
        shown.finish()
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorCode::InvalidOption, message)
}

#[cfg(test)]
mod tests;
