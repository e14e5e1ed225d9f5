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
    /// Takes in a read that had to wait. True, once, when `missing_bytes`, all that is not cached or on
    /// its way, should be fetched now.
    pub(crate) fn waited(
        &mut self,
        wait: Wait,
        missing_bytes: u64,
        max_connections: u64,
        pace: Pace,
    ) -> bool {
        if self.done {
            return false;
        }
        let halves = match wait {
            Wait::OwnRequest => 2,
            Wait::Underway => 1,
        };
        self.halves = self.halves.saturating_add(halves);
        let lost = pace.first_byte.saturating_mul(self.halves) / 2;
        let rate = pace.rate.saturating_mul(CONNECTIONS.min(max_connections)).max(1);
        let transfer = Duration::from_micros(missing_bytes.saturating_mul(1_000_000) / rate);
        self.done = lost >= pace.first_byte.saturating_add(transfer);
        self.done
    }
}

#[cfg(test)]
mod tests;
