//! A block that is on its way: filled once, awaited by any number of readers.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::floor::error::Result;
use crate::store::Block;

#[derive(Debug)]
pub(crate) struct Slot {
    block: u64,
    content: Mutex<Option<Result<Block>>>,
    filled: Condvar,
}

impl Slot {
    pub(crate) fn new(block: u64) -> Self {
        Self { block, content: Mutex::new(None), filled: Condvar::new() }
    }

    /// Which block it is.
    pub(crate) fn block(&self) -> u64 {
        self.block
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<Block>>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the outcome; the first one holds.
    pub(crate) fn fill(&self, outcome: Result<Block>) {
        self.lock().get_or_insert(outcome);
        self.filled.notify_all();
    }

    pub(crate) fn is_filled(&self) -> bool {
        self.lock().is_some()
    }

    /// Waits for the outcome, or returns `None` at the deadline.
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> Option<Result<Block>> {
        let mut content = self.lock();
        loop {
            if let Some(outcome) = &*content {
                return Some(outcome.clone());
            }
            content = match deadline {
                None => self.filled.wait(content).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.checked_duration_since(Instant::now())?;
                    let (content, _) =
                        self.filled.wait_timeout(content, left).unwrap_or_else(PoisonError::into_inner);
                    content
                }
            };
        }
    }
}
