//! How fast a server has answered so far: the time to the first byte and the rate of one connection.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Bodies shorter than this say nothing about the rate.
const LEAST_MEASURED_BYTES: u64 = 256 * 1024;

/// What one request can be expected to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) first_byte: Duration,
    /// Bytes a second of one connection.
    pub(crate) rate: u64,
    /// Requests that its host may be asked at once now: fewer than allowed after it said that there were too many.
    pub(crate) at_once: u32,
}

impl Pace {
    /// What so many bytes take on one connection once they come.
    pub(crate) fn transfer(self, bytes: u64) -> Duration {
        Duration::from_micros(bytes.saturating_mul(1_000_000) / self.rate.max(1))
    }
}

impl Default for Pace {
    /// An object store in the same country, until something has been measured.
    fn default() -> Self {
        Self { first_byte: Duration::from_millis(40), rate: 50_000_000, at_once: u32::MAX }
    }
}

/// Running averages, written by the worker and read by everybody.
#[derive(Debug)]
pub(crate) struct Pacer {
    first_byte_us: AtomicU64,
    rate: AtomicU64,
    at_once: AtomicU32,
}

impl Default for Pacer {
    fn default() -> Self {
        Self { first_byte_us: AtomicU64::new(0), rate: AtomicU64::new(0), at_once: AtomicU32::new(u32::MAX) }
    }
}

impl Pacer {
    /// Takes in one complete answer on a connection that was open before.
    pub(crate) fn measured(&self, first_byte: Duration, bytes: u64, body: Duration) {
        average(&self.first_byte_us, u64::try_from(first_byte.as_micros()).unwrap_or(u64::MAX).max(1));
        let body_us = u64::try_from(body.as_micros()).unwrap_or(u64::MAX).max(1);
        if bytes >= LEAST_MEASURED_BYTES {
            average(&self.rate, bytes.saturating_mul(1_000_000) / body_us);
        }
    }

    /// Takes in how many requests the host may be asked at once now.
    pub(crate) fn allowed(&self, at_once: u32) {
        self.at_once.store(at_once, Ordering::Relaxed);
    }

    pub(crate) fn pace(&self) -> Pace {
        let known = |value: &AtomicU64| Some(value.load(Ordering::Relaxed)).filter(|value| *value > 0);
        let default = Pace::default();
        Pace {
            first_byte: known(&self.first_byte_us).map_or(default.first_byte, Duration::from_micros),
            rate: known(&self.rate).unwrap_or(default.rate),
            at_once: self.at_once.load(Ordering::Relaxed),
        }
    }
}

/// Moves a running average a quarter of the way. Only the worker writes, so nothing is lost.
fn average(value: &AtomicU64, now: u64) {
    let before = value.load(Ordering::Relaxed);
    let after = if before == 0 { now } else { before - before / 4 + now / 4 };
    value.store(after.max(1), Ordering::Relaxed);
}

#[cfg(test)]
mod tests;
