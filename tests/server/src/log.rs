use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Counters, Entry};

/// How long a look at the log waits for answers whose last bytes are being
/// written. They take microseconds unless the client does not read.
const SETTLE: Duration = Duration::from_secs(1);

/// All requests since the start or the last reset.
pub(crate) struct Log {
    origin: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// In the order in which the answers ended.
    entries: Vec<Entry>,
    /// The requests of each path and query.
    turns: HashMap<String, u64>,
    sequence: u64,
    generation: u64,
    connections: u64,
    in_flight: u64,
    max_in_flight: u64,
    /// The requests in flight whose last bytes are being written.
    finishing: u64,
}

impl State {
    /// The requests in flight as clients see it: whoever makes one request after
    /// the other has one, however long the server takes to notice an end.
    fn open(&self) -> u64 {
        self.in_flight - self.finishing
    }
}

/// What the log says of a request that has just arrived.
pub(crate) struct Admission {
    pub(crate) sequence: u64,
    pub(crate) generation: u64,
    pub(crate) turn: u64,
    pub(crate) in_flight: u64,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self { origin: Instant::now(), state: Mutex::default(), changed: Condvar::new() }
    }

    /// Microseconds since the server started.
    pub(crate) fn now(&self) -> u64 {
        self.origin.elapsed().as_micros() as u64
    }

    pub(crate) fn number_connection(&self) -> u64 {
        let mut state = self.lock();
        state.connections += 1;
        state.connections
    }

    pub(crate) fn admit(&self, target: &str) -> Admission {
        let mut state = self.lock();
        state.sequence += 1;
        state.in_flight += 1;
        let in_flight = state.open();
        state.max_in_flight = state.max_in_flight.max(in_flight);
        let turn = state.turns.entry(target.into()).or_default();
        *turn += 1;
        Admission { turn: *turn, sequence: state.sequence, generation: state.generation, in_flight }
    }

    pub(crate) fn finishing(&self) {
        self.lock().finishing += 1;
    }

    pub(crate) fn finish(&self, entry: Entry, generation: u64, was_finishing: bool) {
        let mut state = self.lock();
        state.in_flight -= 1;
        state.finishing -= u64::from(was_finishing);
        if generation == state.generation {
            state.entries.push(entry);
        }
        self.changed.notify_all();
    }

    /// The entries whose path begins with `prefix`, in order of arrival.
    pub(crate) fn entries(&self, prefix: &str) -> Vec<Entry> {
        let state = self.settled();
        let chosen = state.entries.iter().filter(|entry| entry.path.starts_with(prefix));
        let mut entries: Vec<Entry> = chosen.cloned().collect();
        drop(state);
        entries.sort_unstable_by_key(|entry| entry.sequence);
        entries
    }

    pub(crate) fn counters(&self) -> Counters {
        let state = self.settled();
        Counters::new(&state.entries, state.open(), state.max_in_flight)
    }

    /// Forgets everything; requests in flight will not be logged.
    pub(crate) fn reset(&self) {
        let mut state = self.settled();
        state.entries.clear();
        state.turns.clear();
        state.sequence = 0;
        state.generation += 1;
        state.max_in_flight = state.open();
    }

    /// Waits until no request is in flight; false if that took too long.
    pub(crate) fn wait_idle(&self, timeout: Duration) -> bool {
        self.wait(timeout, |state| state.in_flight == 0).in_flight == 0
    }

    fn settled(&self) -> MutexGuard<'_, State> {
        self.wait(SETTLE, |state| state.finishing == 0)
    }

    fn wait(&self, timeout: Duration, done: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        self.changed
            .wait_timeout_while(self.lock(), timeout, |state| !done(state))
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
