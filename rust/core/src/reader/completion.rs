//! When to stop guessing and fetch the rest of a small file: rent or buy. Pure.
//!
//! Every read that nothing foretold loses the time of a round trip, and so do data that were foretold a whole round
//! trip too late; metadata that were foretold, but only just, lose as long as they are waited for. Once these
//! losses add up to what fetching everything that is missing would take, it is fetched: in the end
//! nobody has waited more than twice as long as with perfect foresight.

use std::time::Duration;

use crate::transport::Pace;

/// Larger files are never completed early.
pub(crate) const LARGEST_FILE_BYTES: u64 = 100 << 20;
/// Connections that one may count on to work at once.
const CONNECTIONS: u64 = 4;

/// The losses of one file.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    /// Time lost so far.
    lost: Duration,
    done: bool,
}

impl Completion {
    /// Takes in a read that lost a round trip. True, once, when the rest should be fetched now.
    pub(crate) fn waited(&mut self, rest: &Rest) -> bool {
        self.lost = self.lost.saturating_add(rest.pace.first_byte);
        self.is_due(rest)
    }

    /// Takes in how long a read waited for the first of what was underway. The wait for data counts only if it was as
    /// long as a round trip: what has to come takes its time however early it was foretold.
    pub(crate) fn came_after(&mut self, time: Duration, data: bool, pace: Pace) {
        if !data || time >= pace.first_byte {
            self.lost = self.lost.saturating_add(time.min(pace.first_byte));
        }
    }

    /// True, once, when so little is missing by now that what has been lost would have paid for it.
    pub(crate) fn is_due(&mut self, rest: &Rest) -> bool {
        self.buy(self.lost, rest)
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
