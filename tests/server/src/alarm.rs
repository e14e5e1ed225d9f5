//! Waking up on time: tokio's timers count milliseconds and come one or two late, which is much of a round trip.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Instant;

/// Ready at a time, give or take a tenth of a millisecond. Each costs a wake-up of another thread.
pub(crate) struct Alarm {
    at: Instant,
    bell: Option<Arc<Bell>>,
}

impl Alarm {
    pub(crate) fn new(at: Instant) -> Self {
        Self { at, bell: None }
    }
}

impl Future for Alarm {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.at {
            return Poll::Ready(());
        }
        let waker = cx.waker().clone();
        match &self.bell {
            Some(bell) => *lock(&bell.waker) = waker,
            None => {
                let bell = Arc::new(Bell { at: self.at, waker: Mutex::new(waker) });
                Clock::get().ring(Arc::clone(&bell));
                self.bell = Some(bell);
            }
        }
        Poll::Pending
    }
}

/// What to do at a time.
struct Bell {
    at: Instant,
    waker: Mutex<Waker>,
}

impl Ord for Bell {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

impl PartialOrd for Bell {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Bell {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Bell {}

/// A thread that sleeps until the next bell.
#[derive(Default)]
struct Clock {
    bells: Mutex<BinaryHeap<Reverse<Arc<Bell>>>>,
    changed: Condvar,
}

impl Clock {
    fn get() -> &'static Self {
        static CLOCK: OnceLock<&Clock> = OnceLock::new();
        CLOCK.get_or_init(|| {
            let clock: &Self = Box::leak(Box::default());
            thread::spawn(|| clock.run());
            clock
        })
    }

    fn ring(&self, bell: Arc<Bell>) {
        let mut bells = lock(&self.bells);
        let is_next = bells.peek().is_none_or(|Reverse(next)| bell < *next);
        bells.push(Reverse(bell));
        if is_next {
            self.changed.notify_one();
        }
    }

    fn run(&self) {
        let mut bells = lock(&self.bells);
        loop {
            let now = Instant::now();
            while let Some(Reverse(bell)) = bells.peek()
                && bell.at <= now
            {
                lock(&bell.waker).wake_by_ref();
                bells.pop();
            }
            bells = match bells.peek().map(|Reverse(next)| next.at) {
                None => self.changed.wait(bells).unwrap_or_else(PoisonError::into_inner),
                Some(next) => {
                    let waited = self.changed.wait_timeout(bells, next.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn alarms_ring_in_the_order_of_their_times_and_not_before() {
        let now = Instant::now();
        let rung = Arc::new(Mutex::new(Vec::new()));
        let set = [30, 10, 20, 0].map(|millis| {
            let (rung, at) = (Arc::clone(&rung), now + Duration::from_millis(millis));
            tokio::spawn(async move {
                Alarm::new(at).await;
                assert!(Instant::now() >= at);
                lock(&rung).push(millis);
            })
        });
        for alarm in set {
            alarm.await.unwrap();
        }
        assert_eq!(*lock(&rung), [0, 10, 20, 30]);
    }
}
