//! Why one request failed, before anybody has decided what to do about it.

use std::time::Duration;

use crate::floor::error::{Error, ErrorCode};

/// One request's failure.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// No other request would fare better; the error says why.
    Refused(Error),
    /// An HTTP status that is not 206.
    Status {
        status: u16,
        /// The time after which the server wants to be asked again.
        retry_after: Option<Duration>,
        /// The server's own words.
        words: Option<String>,
    },
    /// The network failed in a way that may pass.
    Network {
        /// What it is called if it does not pass.
        code: ErrorCode,
        detail: String,
    },
}

impl Failure {
    /// What libcurl's result means.
    ///
    /// A kept-alive connection that turns out to be dead does not come here: libcurl sends the request
    /// once more on a new one by itself.
    pub(crate) fn from_curl(error: &curl::Error) -> Self {
        let detail = match error.extra_description() {
            Some(extra) if !extra.is_empty() => extra.to_owned(),
            _ => error.description().to_owned(),
        };
        let permanent = |code, detail| Self::Refused(Error::new(code, detail));
        let passing = |code| Self::Network { code, detail: detail.clone() };
        if error.is_couldnt_resolve_host() || error.is_couldnt_resolve_proxy() || error.is_couldnt_connect() {
            passing(ErrorCode::Unreachable)
        } else if error.is_operation_timedout() {
            passing(ErrorCode::TimedOut)
        } else if error.is_ssl_connect_error() {
            passing(ErrorCode::Tls)
        } else if error.is_peer_failed_verification()
            || error.is_ssl_cacert()
            || error.is_ssl_cacert_badfile()
            || error.is_ssl_certproblem()
            || error.is_ssl_issuer_error()
            || error.is_ssl_cipher()
            || error.is_ssl_engine_notfound()
            || error.is_ssl_engine_setfailed()
            || error.is_ssl_engine_initfailed()
        {
            permanent(ErrorCode::Tls, detail)
        } else if error.is_url_malformed() {
            permanent(ErrorCode::InvalidUrl, detail)
        } else if error.is_too_many_redirects() || error.is_unsupported_protocol() {
            // Our own URLs are all http(s), so it was a redirect that led out of it.
            permanent(ErrorCode::Server, detail)
        } else if error.is_out_of_memory() {
            permanent(ErrorCode::OutOfMemory, detail)
        } else {
            // Empty answers, resets, broken frames, partial bodies: the connection went away.
            passing(ErrorCode::Interrupted)
        }
    }
}
