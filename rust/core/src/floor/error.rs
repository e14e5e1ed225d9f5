//! The one error type of this crate.

use std::fmt;

/// What kind of thing went wrong. The numbers are part of every interface and do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[non_exhaustive]
pub enum ErrorCode {
    /// Not an `http://`, `https://` or `s3://` URL that can be fetched.
    InvalidUrl = 1,
    /// An unknown option or a value out of bounds.
    InvalidOption = 2,
    /// HTTP 404 or 410.
    NotFound = 3,
    /// HTTP 401, 403 or 407, or a 400 that says that something has expired.
    Denied = 4,
    /// The server ignores or refuses byte ranges.
    RangeUnsupported = 5,
    /// The remote file is not the one that was opened.
    Changed = 6,
    /// No answer within the limits, retries included.
    TimedOut = 7,
    /// The host was not found or does not accept a connection.
    Unreachable = 8,
    /// The secure connection was not trusted or could not be made.
    Tls = 9,
    /// Any other HTTP status that means failure.
    Server = 10,
    /// An answer that contradicts itself, the request or HTTP.
    BadResponse = 11,
    /// Connections broke again and again in the middle of an answer.
    Interrupted = 12,
    /// A read past the end of the file.
    OutOfBounds = 13,
    /// The file is a web page or the like.
    NotHdf5 = 14,
    /// Opened for writing or creating.
    ReadOnly = 15,
    /// Memory could not be had.
    OutOfMemory = 16,
    /// libhdf5 refused.
    Hdf5 = 17,
    /// A defect in this library.
    Internal = 18,
}

impl ErrorCode {
    /// Every code, in the order of their numbers.
    pub const ALL: [Self; 18] = [
        Self::InvalidUrl,
        Self::InvalidOption,
        Self::NotFound,
        Self::Denied,
        Self::RangeUnsupported,
        Self::Changed,
        Self::TimedOut,
        Self::Unreachable,
        Self::Tls,
        Self::Server,
        Self::BadResponse,
        Self::Interrupted,
        Self::OutOfBounds,
        Self::NotHdf5,
        Self::ReadOnly,
        Self::OutOfMemory,
        Self::Hdf5,
        Self::Internal,
    ];

    /// The name under which the code is known in every language, `not_found` for example.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidUrl => "invalid_url",
            Self::InvalidOption => "invalid_option",
            Self::NotFound => "not_found",
            Self::Denied => "denied",
            Self::RangeUnsupported => "range_unsupported",
            Self::Changed => "changed",
            Self::TimedOut => "timed_out",
            Self::Unreachable => "unreachable",
            Self::Tls => "tls",
            Self::Server => "server",
            Self::BadResponse => "bad_response",
            Self::Interrupted => "interrupted",
            Self::OutOfBounds => "out_of_bounds",
            Self::NotHdf5 => "not_hdf5",
            Self::ReadOnly => "read_only",
            Self::OutOfMemory => "out_of_memory",
            Self::Hdf5 => "hdf5",
            Self::Internal => "internal",
        }
    }
}

/// Why a call failed: a code for programs and one sentence for people.
///
/// The sentence names the URL with its secrets removed, the HTTP status and the server's own words
/// where there are any. Cheap to clone: one failed request can fail several waiting reads.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}{}", Attempts(*attempts))]
pub struct Error {
    code: ErrorCode,
    message: String,
    http_status: Option<u16>,
    attempts: u32,
}

/// Result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error that no request was needed for.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), http_status: None, attempts: 0 }
    }

    /// The same error, decided by this HTTP status.
    pub fn with_status(mut self, status: u16) -> Self {
        self.http_status = Some(status);
        self
    }

    /// The same error after this many requests.
    pub fn with_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// The same error, its sentence begun with what was being done: "context: message".
    pub fn within(mut self, context: &str) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// What kind of thing went wrong.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The HTTP status that decided, where one arrived.
    pub fn http_status(&self) -> Option<u16> {
        self.http_status
    }

    /// How many requests were made before giving up; 0 where none was needed to know.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }
}

/// Mentions the attempts only where there was more than one.
struct Attempts(u32);

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 | 1 => Ok(()),
            n => write!(f, " (given up after {n} attempts)"),
        }
    }
}
