//! A block that is on its way: filled once, awaited by any number of readers.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::floor::error::Result;
use crate::store::Block;

#[derive(Debug)]
pub(crate) struct Slot {
    block: u64,
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Debug, Default)]
struct State {
    content: Option<Result<Block>>,
    /// Somebody waits: waking up nobody costs a system call all the same.
    awaited: bool,
}

impl Slot {
    pub(crate) fn new(block: u64) -> Self {
        Self { block, state: Mutex::default(), filled: Condvar::new() }
    }

    /// Which block it is.
    pub(crate) fn block(&self) -> u64 {
        self.block
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the outcome; the first one holds.
    pub(crate) fn fill(&self, outcome: Result<Block>) {
        let mut state = self.lock();
        state.content.get_or_insert(outcome);
        if state.awaited {
            self.filled.notify_all();
        }
    }

    pub(crate) fn is_filled(&self) -> bool {
        self.lock().content.is_some()
    }

    /// Waits for the outcome, or returns `None` at the deadline.
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> Option<Result<Block>> {
        let mut state = self.lock();
        loop {
            if let Some(outcome) = &state.content {
                return Some(outcome.clone());
            }
            state.awaited = true;
            state = match deadline {
                None => self.filled.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.checked_duration_since(Instant::now())?;
                    let (state, _) =
                        self.filled.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
                    state
                }
            };
        }
    }
}
