//! Whether a request that could open a connection of its own had better wait for one that is open. Pure.
//!
//! A new connection costs round trips before its first request: names, TCP, TLS. Where one in use will be
//! free sooner than that, the request is answered earlier if it waits.

use std::time::{Duration, Instant};

use crate::transport::Pace;

/// Until it has been measured: what connecting costs, in first bytes. TCP takes one round trip, TLS one or two.
const GUESSED_CONNECT: u32 = 2;

/// What is known of a host's connections.
#[derive(Debug, Default)]
pub(crate) struct Host {
    /// Open and not in use, as far as is known.
    idle: u32,
    /// What the first byte took longer on new connections than on open ones.
    connect_cost: Option<Duration>,
}

impl Host {
    /// Connections that are open and not in use.
    pub(crate) fn idle(&self) -> u32 {
        self.idle
    }

    /// A request begins; true where it will find an open connection.
    pub(crate) fn begin(&mut self) -> bool {
        let warm = self.idle > 0;
        self.idle = self.idle.saturating_sub(1);
        warm
    }

    /// A request has ended, on a connection that stays `open` or not. `connected`: it had to open one, though
    /// it was thought to be `warm`: then the others that were idle are gone as well.
    pub(crate) fn end(&mut self, open: bool, connected: bool, warm: bool) {
        if connected && warm {
            self.idle = 0;
        }
        self.idle += u32::from(open);
    }

    /// Takes in what the first byte took on a new connection.
    pub(crate) fn connected(&mut self, first_byte: Duration, pace: Pace) {
        let now = first_byte.saturating_sub(pace.first_byte);
        self.connect_cost = Some(self.connect_cost.map_or(now, |before| (before * 3 + now) / 4));
    }

    /// What a connection costs.
    pub(crate) fn connect_cost(&self, pace: Pace) -> Duration {
        self.connect_cost.unwrap_or(pace.first_byte * GUESSED_CONNECT)
    }

    /// Whether the next request should begin now. `busy` has when each running request is expected to end,
    /// soonest first, but for those that others wait for already.
    pub(crate) fn begins_now(&self, busy: &[Instant], pace: Pace, queued_at: Instant, now: Instant) -> bool {
        let Some(&free) = busy.first() else { return true };
        let cost = self.connect_cost(pace);
        self.idle > 0 || now.saturating_duration_since(queued_at) >= cost || free >= now + cost
    }
}

/// When a running request is expected to end: `left` bytes are missing, and nothing has come yet where `silent`.
pub(crate) fn expected_end(
    asked_at: Instant,
    silent: bool,
    left: u64,
    connect_cost: Duration,
    pace: Pace,
    now: Instant,
) -> Instant {
    let body = Duration::from_micros(left.saturating_mul(1_000_000) / pace.rate.max(1));
    let first = if silent { asked_at + connect_cost + pace.first_byte } else { now };
    first.max(now) + body
}

#[cfg(test)]
mod tests;
