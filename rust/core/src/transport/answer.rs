//! One answer while it arrives: judged by its head, then passed on byte by byte or given up.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use curl::easy::{Handler, WriteError};

use crate::floor::error::{Error, ErrorCode};
use crate::floor::range::ByteRange;
use crate::transport::failure::Failure;
use crate::transport::origin::Origin;
use crate::transport::placement::Place;
use crate::transport::response::{Expected, Head, check};
use crate::transport::retry::Tries;
use crate::transport::route::{Leg, is_redirect};
use crate::transport::spares::{self, Spares};
use crate::transport::{Sink, Urgency, words};

/// Bytes a second below which an answer counts as silent: no network of today is so slow, but servers are that hang.
const LEAST_RATE: u64 = 1000;
/// A body of an error is read this far so that its connection can be kept.
const DRAINED_BYTES: usize = 64 * 1024;

/// A range on its way to its sink, over as many requests as it takes.
pub(crate) struct Transfer {
    pub(crate) origin: Arc<Origin>,
    /// What the sink has not got yet.
    pub(crate) remaining: ByteRange,
    pub(crate) urgency: Urgency,
    pub(crate) sink: Box<dyn Sink>,
    pub(crate) tries: Tries,
    /// Where its request goes or went; `None` before anything has been decided.
    pub(crate) leg: Option<Leg>,
    /// When the first request was made.
    pub(crate) begun: Option<Instant>,
    /// Since when it waits to be sent.
    pub(crate) queued_at: Instant,
}

impl Transfer {
    /// `text` without what is secret in the addresses it may quote.
    fn redact(&self, text: &str) -> String {
        let text = self.origin.redact(text);
        self.leg.as_ref().map_or_else(|| text.clone(), |leg| leg.url.redact(&text))
    }

    /// Whether it is of the origin with this id and has bytes of `range` to bring.
    pub(crate) fn reaches_into(&self, origin: u64, range: ByteRange) -> bool {
        self.origin.id == origin && !self.remaining.intersection(range).is_empty()
    }

    /// Whether nobody waits for it, and `range` holds all that it has to bring.
    pub(crate) fn is_guess_in(&self, origin: u64, range: ByteRange) -> bool {
        let inside = self.remaining.intersection(range) == self.remaining;
        self.origin.id == origin && self.urgency != Urgency::Demand && inside
    }

    /// Where the file is said to be instead.
    pub(crate) fn onward(&self, outcome: &Outcome) -> Result<Leg, Error> {
        let lost = || Error::new(ErrorCode::Internal, "a request went nowhere");
        let leg = self.leg.as_ref().ok_or_else(lost)?;
        match outcome {
            Outcome::Redirected(location) => leg.redirected(location),
            Outcome::Elsewhere(region) => {
                leg.onward(self.origin.credentials.s3().ok_or_else(lost)?.url_in(region)?)
            }
            _ => Err(lost()),
        }
    }

    /// Ends the transfer for a reason that lies in this library or libcurl.
    pub(crate) fn fail(self, why: &str) {
        let error = self.origin.explain(Error::new(ErrorCode::Internal, why));
        self.sink.end(Err(error));
    }
}

/// What has become of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The sink has everything.
    Complete,
    /// An honest answer brought less than was asked for.
    Short,
    /// The server sends us elsewhere.
    Redirected(String),
    /// S3 has the object in this region.
    Elsewhere(String),
    Failed(Failure),
}

/// libcurl's receiver for one request.
pub(crate) struct Answer {
    transfer: Option<Transfer>,
    head: Head,
    body: Body,
    /// Where it runs, as far as is known.
    pub(crate) place: Place,
    /// libcurl's handle refers to it.
    pub(crate) spares: Box<spares::Access>,
    /// When the request was made, and when anything was last heard.
    pub(crate) asked_at: Instant,
    pub(crate) heard_at: Instant,
    /// When the first of the answer was heard.
    pub(crate) first_heard_at: Option<Instant>,
    /// Bytes that this request brought for the sink.
    pub(crate) delivered: u64,
    /// When its speed was looked at last, and what had been delivered then.
    watched: Option<(Instant, u64)>,
}

enum Body {
    Unjudged,
    /// Holds bytes for the sink, which end before `end`; `total` is the file's size.
    Wanted {
        /// Bytes that come before them.
        skipped: u64,
        end: u64,
        total: u64,
        /// More may follow, which nobody wants.
        whole: bool,
    },
    /// Holds the server's words about its refusal.
    Unwanted {
        failure: Failure,
        text: Vec<u8>,
    },
}

impl Answer {
    pub(crate) fn new(transfer: Transfer, place: Place, spares: &Arc<Spares>) -> Self {
        let now = Instant::now();
        let max_connections = transfer.origin.options.max_connections;
        Self {
            transfer: Some(transfer),
            head: Head::default(),
            body: Body::Unjudged,
            place,
            spares: Box::new(spares::Access::new(spares, max_connections)),
            asked_at: now,
            heard_at: now,
            first_heard_at: None,
            delivered: 0,
            watched: None,
        }
    }

    /// Whether nothing has come for `limit`, or less than [`LEAST_RATE`] since the answer began or this was asked last
    /// so long ago.
    pub(crate) fn is_stalled(&mut self, limit: Duration, now: Instant) -> bool {
        if now.saturating_duration_since(self.heard_at) >= limit {
            return true;
        }
        let Some(begun) = self.first_heard_at else { return false };
        let (since, before) = self.watched.unwrap_or((begun, 0));
        let watched = now.saturating_duration_since(since);
        if watched < limit {
            return false;
        }
        let least = LEAST_RATE.saturating_mul(u64::try_from(watched.as_millis()).unwrap_or(u64::MAX)) / 1000;
        self.watched = Some((now, self.delivered));
        matches!(self.body, Body::Wanted { .. }) && self.delivered - before < least
    }

    /// The transfer while the request runs.
    pub(crate) fn transfer(&self) -> Option<&Transfer> {
        self.transfer.as_ref()
    }

    pub(crate) fn transfer_mut(&mut self) -> Option<&mut Transfer> {
        self.transfer.as_mut()
    }

    /// The transfer back, once the request is over.
    pub(crate) fn take_transfer(&mut self) -> Option<Transfer> {
        self.transfer.take()
    }

    /// Did the server set cookies?
    pub(crate) fn sets_cookies(&self) -> bool {
        self.head.sets_cookies
    }

    /// Did an answer arrive that belongs to the file?
    pub(crate) fn is_accepted(&self) -> bool {
        matches!(self.body, Body::Wanted { .. })
    }

    /// Did an answer arrive over HTTP/2?
    pub(crate) fn is_http2(&self) -> bool {
        self.head.http2
    }

    /// The status that arrived; 0 where none did.
    pub(crate) fn status(&self) -> u16 {
        self.head.status
    }

    /// What has become of the request, now that libcurl is done with it. `location` is where libcurl
    /// understands a redirect to lead.
    pub(crate) fn outcome(&mut self, error: Option<&curl::Error>, location: Option<String>) -> Outcome {
        // A refusal says why a connection ended after it: a proxy's answer to CONNECT ends so.
        let is_answered = self.head.status != 0 && error.is_none() || self.head.status >= 400;
        if matches!(self.body, Body::Unjudged) && is_answered {
            self.judge();
        }
        let Some(transfer) = &self.transfer else {
            return Outcome::Complete;
        };
        let asked = transfer.leg.as_ref().and_then(|leg| leg.url.region());
        if let (301 | 307 | 400, Some(asked), Some(region)) =
            (self.head.status, asked, &self.head.bucket_region)
            && asked != region
        {
            return Outcome::Elsewhere(region.clone());
        }
        if is_redirect(self.head.status)
            && let Some(written) = &self.head.location
        {
            // libcurl resolves what is relative; what is not must stay as it is, byte for byte.
            let is_absolute =
                written.split_once("://").is_some_and(|(scheme, _)| !scheme.contains(['/', '?', '#']));
            return Outcome::Redirected(location.filter(|_| !is_absolute).unwrap_or_else(|| written.clone()));
        }
        match (&self.body, error) {
            (Body::Unwanted { failure, text }, _) => {
                Outcome::Failed(with_words(failure.clone(), text, transfer))
            }
            // libcurl may still complain about how the connection ended; every byte is here.
            (Body::Wanted { end, total, .. }, _) if transfer.remaining.start() == *end => {
                if transfer.remaining.is_empty() || end == total { Outcome::Complete } else { Outcome::Short }
            }
            (_, None) => Outcome::Failed(Failure::Network {
                code: ErrorCode::Interrupted,
                detail: "the answer ended before its last byte".to_owned(),
            }),
            (_, Some(error)) => Outcome::Failed(Failure::from_curl(error)),
        }
    }

    fn judge(&mut self) {
        let Some(transfer) = &mut self.transfer else { return };
        let expected = Expected {
            range: transfer.remaining,
            identity: transfer.origin.identity.get(),
            max_whole_bytes: transfer.origin.options.max_whole_file,
        };
        self.body = match check(&expected, &self.head) {
            Ok(accepted) => {
                let total = accepted.identity.total;
                // Two first requests at once cannot both set it; the loser is compared.
                let known = transfer.origin.identity.get_or_init(|| accepted.identity.clone());
                if *known == accepted.identity || expected.identity.is_some() {
                    let whole = self.head.status == 200;
                    transfer.sink.begins(total, whole);
                    if whole {
                        transfer.remaining = accepted.range;
                    }
                    Body::Wanted { skipped: accepted.skipped_bytes, end: accepted.range.end(), total, whole }
                } else {
                    Body::refused(ErrorCode::Changed, "the remote file changed while it was opened")
                }
            }
            Err(Failure::Status { status, words, .. }) => Body::Unwanted {
                failure: Failure::Status {
                    status,
                    retry_after: self.head.retry_after(SystemTime::now()),
                    words,
                },
                text: Vec::new(),
            },
            Err(failure) => Body::Unwanted { failure, text: Vec::new() },
        };
    }
}

impl Body {
    fn refused(code: ErrorCode, message: &str) -> Self {
        Self::Unwanted { failure: Failure::Refused(Error::new(code, message)), text: Vec::new() }
    }
}

impl Handler for Answer {
    fn header(&mut self, line: &[u8]) -> bool {
        self.heard_at = Instant::now();
        self.first_heard_at.get_or_insert(self.heard_at);
        self.head.line(line);
        true
    }

    /// Returning less than was given makes libcurl end the transfer.
    fn write(&mut self, data: &[u8]) -> Result<usize, WriteError> {
        self.heard_at = Instant::now();
        if matches!(self.body, Body::Unjudged) {
            self.judge();
        }
        let Some(transfer) = &mut self.transfer else { return Ok(0) };
        transfer.origin.traffic.fetched_bytes.fetch_add(data.len() as u64, Ordering::Relaxed);
        match &mut self.body {
            Body::Unjudged => Ok(0),
            Body::Wanted { skipped, end, total, whole } => {
                let given = data.len();
                let before = usize::try_from(*skipped).map_or(given, |skipped| skipped.min(given));
                *skipped -= before as u64;
                let mut data = &data[before..];
                let start = transfer.remaining.start();
                let room = usize::try_from(*end - start).unwrap_or(usize::MAX);
                if *whole {
                    data = &data[..data.len().min(room)];
                } else if data.len() > room {
                    self.body =
                        Body::refused(ErrorCode::BadResponse, "the server sent more bytes than it announced");
                    return Ok(0);
                }
                transfer.sink.bytes(data);
                transfer.remaining = ByteRange::new(start + data.len() as u64, transfer.remaining.end());
                self.delivered += data.len() as u64;
                // Where the whole file has more than was wanted, this ends it.
                Ok(if *whole && data.len() == room && transfer.remaining.is_empty() && *end < *total {
                    before + data.len()
                } else {
                    given
                })
            }
            Body::Unwanted { failure: Failure::Status { .. }, text }
                if text.len() + data.len() <= DRAINED_BYTES =>
            {
                text.extend_from_slice(data);
                Ok(data.len())
            }
            Body::Unwanted { .. } => Ok(0),
        }
    }
}

/// Adds the server's own words to a refusing status, without what is secret in the URL.
fn with_words(failure: Failure, text: &[u8], transfer: &Transfer) -> Failure {
    match failure {
        Failure::Status { status, retry_after, .. } => Failure::Status {
            status,
            retry_after,
            words: words::gist(text).map(|line| transfer.redact(&line)),
        },
        other => other,
    }
}
