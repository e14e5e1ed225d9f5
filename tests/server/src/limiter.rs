use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How far a sender may lag behind and still catch up. It covers timers, which
/// wake up to a few milliseconds late.
const SLACK: Duration = Duration::from_millis(10);

/// A line of a fixed rate: bytes pass it one after the other, in the order in
/// which they were announced. Senders that announce a little at a time share it
/// equally.
#[derive(Debug)]
pub(crate) struct Limiter {
    rate: u64,
    /// When everything announced so far has passed.
    free: Mutex<Option<Instant>>,
}

impl Limiter {
    /// A line of `rate` bytes a second.
    pub(crate) fn new(rate: u64) -> Arc<Self> {
        Arc::new(Self { rate: rate.max(1), free: Mutex::new(None) })
    }

    pub(crate) fn rate(&self) -> u64 {
        self.rate
    }

    /// Announces `count` bytes and returns when the last of them has passed.
    /// `continuing` means that the sender had announced others right before.
    pub(crate) fn announce(&self, count: usize, continuing: bool, now: Instant) -> Instant {
        let earliest = match continuing {
            true => now.checked_sub(SLACK).unwrap_or(now),
            false => now,
        };
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let start = free.map_or(earliest, |free| free.max(earliest));
        let passed = start + Duration::from_secs_f64(count as f64 / self.rate as f64);
        *free = Some(passed);
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_pass_one_after_the_other() {
        let limiter = Limiter::new(1000);
        let now = Instant::now();
        let second = |n| now + Duration::from_secs(n);
        assert_eq!(limiter.announce(2000, false, now), second(2));
        assert_eq!(limiter.announce(1000, false, now), second(3));
        assert_eq!(limiter.announce(1000, true, second(3) + SLACK / 2), second(4));
    }

    #[test]
    fn an_idle_line_gives_no_credit_to_a_new_sender() {
        let limiter = Limiter::new(1000);
        let now = Instant::now() + SLACK;
        limiter.announce(1, false, now);
        let later = now + Duration::from_secs(60);
        assert_eq!(limiter.announce(1000, false, later), later + Duration::from_secs(1));
        let later = later + Duration::from_secs(60);
        assert_eq!(limiter.announce(1000, true, later), later - SLACK + Duration::from_secs(1));
    }
}
