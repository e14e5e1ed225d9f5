//! How much a host is asked at once after it has said that it is too much. Pure: the caller has the clock.
//!
//! 429 and 503 halve the number of requests in flight, for all files of the host; answers bring it back,
//! one by one. Where the host says when to come back, nobody goes there before.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// So many times the limit must be answered before it grows by one: slow enough not to swing.
const PATIENCE: u32 = 4;
/// A host with as much as this is not limited any more.
const UNLIMITED: u32 = 256;

/// One host that has complained.
#[derive(Debug)]
struct Throttle {
    limit: u32,
    /// Answers since the limit changed.
    answered: u32,
    cut_at: Instant,
    closed_until: Option<Instant>,
}

/// The hosts that have complained, by their authorities.
#[derive(Debug, Default)]
pub(crate) struct Throttles(HashMap<String, Throttle>);

/// Says this status that the host has too much to do?
pub(crate) fn is_overload(status: u16) -> bool {
    matches!(status, 429 | 503)
}

impl Throttles {
    /// How many requests `host` may have at once, `most` at the most.
    pub(crate) fn allowed(&self, host: &str, most: u32, now: Instant) -> u32 {
        match self.0.get(host) {
            None => most,
            Some(throttle) if throttle.closed_until.is_some_and(|until| until > now) => 0,
            Some(throttle) => throttle.limit.min(most),
        }
    }

    /// `host` complained of a request that was made at `asked_at`, one of `in_flight`.
    pub(crate) fn overloaded(
        &mut self,
        host: &str,
        in_flight: u32,
        asked_at: Instant,
        retry_after: Option<Duration>,
        now: Instant,
    ) {
        let halved = |limit: u32| (limit / 2).max(1);
        match self.0.get_mut(host) {
            None => {
                let limit = halved(in_flight);
                let fresh = Throttle { limit, answered: 0, cut_at: now, closed_until: None };
                self.0.insert(host.to_owned(), fresh);
            }
            // What was under way at the last cut says nothing about the limit since.
            Some(throttle) if asked_at > throttle.cut_at => {
                throttle.limit = halved(throttle.limit.min(in_flight));
                throttle.answered = 0;
                throttle.cut_at = now;
            }
            Some(_) => {}
        }
        if let (Some(throttle), Some(pause)) = (self.0.get_mut(host), retry_after) {
            throttle.closed_until = throttle.closed_until.max(Some(now + pause));
        }
    }

    /// `host` answered as asked.
    pub(crate) fn served(&mut self, host: &str) {
        let Some(throttle) = self.0.get_mut(host) else { return };
        throttle.answered += 1;
        if throttle.answered >= throttle.limit * PATIENCE {
            throttle.limit += 1;
            throttle.answered = 0;
        }
        if throttle.limit >= UNLIMITED {
            self.0.remove(host);
        }
    }

    /// When the next host may be asked again.
    pub(crate) fn next_opening(&self, now: Instant) -> Option<Instant> {
        self.0.values().filter_map(|throttle| throttle.closed_until).filter(|until| *until > now).min()
    }
}

#[cfg(test)]
mod tests;
