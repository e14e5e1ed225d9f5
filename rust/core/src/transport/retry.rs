//! What to do about a failed request. Pure: the caller counts, sleeps and draws the lot.

use std::time::Duration;

use crate::floor::error::{Error, ErrorCode};
use crate::transport::failure::Failure;

/// The first pause; each further one is twice as long, up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// Longer pauses than this help nobody who waits for a slice.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// A server may ask for more patience than that, but not for ever.
pub(crate) const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(120);

/// How patient to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    pub(crate) max_retries: u32,
    /// No retry begins later than this after the first request.
    pub(crate) time_limit: Option<Duration>,
}

/// What has been tried for one range.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tries {
    /// Requests made in all.
    pub(crate) requests: u32,
    /// Failures since the last one that brought something.
    pub(crate) failures: u32,
    /// Time since the first request.
    pub(crate) elapsed: Duration,
}

/// What to do.
#[derive(Debug)]
pub(crate) enum Decision {
    RetryAfter(Duration),
    Fail(Error),
}

/// Decides after a failure that `tries` already counts. `lot` is drawn from 0..1.
pub(crate) fn decide(policy: &Policy, tries: &Tries, failure: Failure, lot: f64) -> Decision {
    let give_up = |error: Error| Decision::Fail(error.with_attempts(tries.requests));
    let (error, retry_after) = match failure {
        Failure::Refused(error) => return give_up(error),
        Failure::Network { code, detail } => (Error::new(code, detail), None),
        Failure::Status { status, retry_after, words } => {
            let error = status_error(status, words.as_deref());
            if !may_pass(status) {
                return give_up(error);
            }
            (error, retry_after)
        }
    };
    let pause = match retry_after {
        Some(asked) if asked > LONGEST_RETRY_AFTER => return give_up(error),
        Some(asked) => asked,
        None => pause(tries.failures, lot),
    };
    let in_time = policy.time_limit.is_none_or(|limit| tries.elapsed + pause < limit);
    if tries.failures > policy.max_retries || !in_time {
        return give_up(error);
    }
    Decision::RetryAfter(pause)
}

/// Exponential, capped, and spread over its upper half so that many clients do not return at once.
fn pause(failures: u32, lot: f64) -> Duration {
    let doublings = failures.saturating_sub(1).min(16);
    let full = FIRST_PAUSE.saturating_mul(1 << doublings).min(LONGEST_PAUSE);
    full.mul_f64(0.5 + 0.5 * lot.clamp(0.0, 1.0))
}

/// Statuses that say "not now" rather than "no" (RFC 9110, section 15; RFC 6585; RFC 8470).
fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 425 | 429) || (status >= 500 && !matches!(status, 501 | 505))
}

fn status_error(status: u16, words: Option<&str>) -> Error {
    let is_expired = words.is_some_and(|words| words.to_ascii_lowercase().contains("expired"));
    let (code, meaning) = match status {
        // So S3 refuses temporary credentials (ExpiredToken).
        400 if is_expired => (ErrorCode::Denied, "the server denies access"),
        404 | 410 => (ErrorCode::NotFound, "there is no such file"),
        401 => (ErrorCode::Denied, "the server wants credentials"),
        403 => (ErrorCode::Denied, "the server denies access"),
        407 => (ErrorCode::Denied, "the proxy wants credentials"),
        416 => (ErrorCode::RangeUnsupported, "the server refuses the byte range: the file may be empty"),
        300..=399 => (ErrorCode::Server, "the server redirects to nowhere"),
        429 => (ErrorCode::Server, "the server asks for fewer requests"),
        500..=599 => (ErrorCode::Server, "the server failed"),
        _ => (ErrorCode::Server, "the server refused"),
    };
    let words = words.map(|words| format!(", saying '{words}'")).unwrap_or_default();
    Error::new(code, format!("{meaning} (HTTP {status}{words})")).with_status(status)
}

#[cfg(test)]
mod tests;
