//! Whether a request that could open a connection of its own had better wait for one that is open, or share one.
//! Pure.
//!
//! A new connection costs round trips before its first request: names, TCP, TLS. Where one in use will be
//! free sooner than that, the request is answered earlier if it waits. A small request need not even wait where the
//! server has HTTP/2. A large one does not share: a connection is slower than the link.

use std::time::{Duration, Instant};

use crate::transport::{Pace, Urgency};

/// Until it has been measured: what connecting costs, in first bytes. TCP takes one round trip, TLS one or two.
const GUESSED_CONNECT: u32 = 2;

/// A request for fewer bytes may share an HTTP/2 connection: the others there lose some milliseconds by it.
const LEAST_ALONE_BYTES: u64 = 256 * 1024;
/// Most requests on one HTTP/2 connection: all that a host gets at once by default.
pub(crate) const MOST_STREAMS: usize = 16;

/// The connection of a request, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// One that it has to open.
    New,
    /// One that was open and not in use.
    Idle,
    /// One of HTTP/2 that others may use at the same time.
    Shared,
}

/// What is under way at one host.
#[derive(Debug, Default)]
pub(crate) struct Busy {
    pub(crate) running: u32,
    /// Of these, what has time.
    idle: u32,
    /// Of these, how many run on a connection that is open and speaks HTTP/2.
    pub(crate) shareable: u32,
    /// How many share a connection with another, or did when they began.
    sharing: u32,
    /// When connections are expected to be free, soonest first, but for those that others wait for already.
    ends: Vec<Instant>,
}

impl Busy {
    /// A request runs on a connection of its own, until `end`.
    pub(crate) fn add(&mut self, urgency: Urgency, end: Instant) {
        self.count(urgency);
        self.ends.insert(self.ends.partition_point(|other| *other <= end), end);
    }

    /// A request runs beside others.
    pub(crate) fn share(&mut self, urgency: Urgency) {
        self.count(urgency);
        self.sharing += 1;
    }

    fn count(&mut self, urgency: Urgency) {
        self.running += 1;
        self.idle += u32::from(urgency == Urgency::Idle);
    }

    /// Whether one more of this urgency leaves enough of the `most` that may run at once to what is more urgent:
    /// guesses leave a quarter to demands, what has time leaves what a demand and its guesses take.
    pub(crate) fn has_room(&self, urgency: Urgency, most: u32) -> bool {
        let within = match urgency {
            Urgency::Demand => true,
            Urgency::Guess => self.running - self.idle < most - most / 4,
            Urgency::Idle => self.running < Self::most_idle(most),
        };
        within && self.running < most
    }

    /// How many requests that have time may run at once.
    pub(crate) fn most_idle(most: u32) -> u32 {
        (most * 5 / 8).max(1)
    }

    /// A request waits for the connection that is free first.
    pub(crate) fn promise(&mut self) {
        if !self.ends.is_empty() {
            self.ends.remove(0);
        }
    }
}

/// What is known of a host's connections.
#[derive(Debug, Default)]
pub(crate) struct Host {
    /// Open and not in use, as far as is known.
    idle: u32,
    /// Its last answer came over HTTP/2.
    multiplexes: bool,
    /// HTTP/2 has failed here.
    distrusts_http2: bool,
    /// What the first byte took longer on new connections than on open ones.
    connect_cost: Option<Duration>,
}

impl Host {
    /// Connections that are open and not in use, while so much is under way. Whoever shares one may be the last there.
    pub(crate) fn idle(&self, busy: &Busy) -> u32 {
        self.idle.saturating_sub(busy.sharing)
    }

    /// A request begins that does not share a connection.
    pub(crate) fn begin(&mut self) -> Place {
        let place = if self.idle > 0 { Place::Idle } else { Place::New };
        self.idle = self.idle.saturating_sub(1);
        place
    }

    /// A request has ended, on a connection that stays `open` or not. `connected`: it had to open one. If it was to
    /// find one idle, the others that were idle are gone as well.
    pub(crate) fn end(&mut self, open: bool, connected: bool, place: Place) {
        if connected && place == Place::Idle {
            self.idle = 0;
        }
        self.idle += u32::from(open && (connected || place != Place::Shared));
    }

    /// An answer has come, over HTTP/2 or not.
    pub(crate) fn answered(&mut self, http2: bool) {
        self.multiplexes = http2;
    }

    pub(crate) fn multiplexes(&self) -> bool {
        self.multiplexes
    }

    /// Something has happened of which HTTP/2 may be the reason: from now on the host gets HTTP/1.1, for which libcurl
    /// takes none of the connections that are open.
    pub(crate) fn distrust_http2(&mut self) {
        if !std::mem::replace(&mut self.distrusts_http2, true) && self.multiplexes {
            self.idle = 0;
        }
        self.multiplexes = false;
    }

    pub(crate) fn distrusts_http2(&self) -> bool {
        self.distrusts_http2
    }

    /// Whether a request for so many bytes may run beside others.
    pub(crate) fn may_share(&self, bytes: u64, busy: &Busy) -> bool {
        let multiplexes = self.multiplexes || busy.shareable > 0;
        multiplexes && !self.distrusts_http2 && bytes < LEAST_ALONE_BYTES
    }

    /// Whether one that may should do so now.
    pub(crate) fn shares_now(&self, busy: &Busy) -> bool {
        // Those that share may all be on one connection, and one more that does not.
        let room = (busy.sharing as usize) + 1 < MOST_STREAMS;
        self.idle(busy) == 0 && busy.shareable > 0 && room
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

    /// Whether the next request should begin now on a connection of its own.
    pub(crate) fn begins_now(&self, busy: &Busy, pace: Pace, queued_at: Instant, now: Instant) -> bool {
        let Some(&free) = busy.ends.first() else { return true };
        let cost = self.connect_cost(pace);
        self.idle(busy) > 0 || now.saturating_duration_since(queued_at) >= cost || free >= now + cost
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
    let body = pace.transfer(left);
    let first = if silent { asked_at + connect_cost + pace.first_byte } else { now };
    first.max(now) + body
}

#[cfg(test)]
mod tests;
