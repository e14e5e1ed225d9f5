//! When to stop guessing and fetch the rest of a small file: rent or buy. Pure.
//!
//! Every read that has to wait loses the time of a round trip, or a part of it. Once these
//! losses add up to what fetching everything that is missing would take, it is fetched: in the end
//! nobody has waited more than twice as long as with perfect foresight.

use std::time::Duration;

use crate::transport::Pace;

/// Larger files are never completed early.
pub(crate) const LARGEST_FILE_BYTES: u64 = 100 << 20;
/// Connections that one may count on to work at once.
const CONNECTIONS: u64 = 4;

/// What a read waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// A request that it had to send.
    OwnRequest,
    /// One that was on its way already: on average half of its time is over.
    Underway,
}

/// The losses of one file.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    /// Half round trips lost so far.
    halves: u32,
    done: bool,
}

impl Completion {
    /// Takes in a read that had to wait. True, once, when the rest should be fetched now.
    pub(crate) fn waited(&mut self, wait: Wait, rest: &Rest) -> bool {
        let halves = match wait {
            Wait::OwnRequest => 2,
            Wait::Underway => 1,
        };
        self.halves = self.halves.saturating_add(halves);
        self.buy(rest.pace.first_byte.saturating_mul(self.halves) / 2, rest)
    }

    /// Takes in that so many `requests` are about to be made at once, for pieces of the file that lie apart. True,
    /// once, when the rest should be fetched instead.
    pub(crate) fn scattered(&mut self, requests: usize, rest: &Rest) -> bool {
        let requests = u32::try_from(requests).unwrap_or(u32::MAX);
        let rounds = requests / u32::try_from(rest.max_connections).unwrap_or(u32::MAX).max(1);
        self.buy(rest.pace.first_byte.saturating_mul(rounds), rest)
    }

    fn buy(&mut self, rent: Duration, rest: &Rest) -> bool {
        let buy = !self.done && rent >= rest.time();
        self.done |= buy;
        buy
    }
}

/// All that is neither cached nor on its way, and what it takes to fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    pub(crate) bytes: u64,
    pub(crate) max_connections: u64,
    pub(crate) pace: Pace,
}

impl Rest {
    fn time(&self) -> Duration {
        let rate = self.pace.rate.saturating_mul(CONNECTIONS.min(self.max_connections)).max(1);
        let transfer = Duration::from_micros(self.bytes.saturating_mul(1_000_000) / rate);
        self.pace.first_byte.saturating_add(transfer)
    }
}

#[cfg(test)]
mod tests;
