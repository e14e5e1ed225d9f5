//! Where the bytes of one fetch come down: cut into blocks, each of use as soon as it is complete.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::floor::error::{Error, ErrorCode, Result};
use crate::store::{Slot, Store};
use crate::transport::Sink;

/// Fills the slots of a run of neighbouring blocks from a stream of bytes.
pub(crate) struct Landing {
    store: Arc<Store>,
    slots: VecDeque<Arc<Slot>>,
    partial: Vec<u8>,
}

impl Landing {
    /// `slots` are claimed ones, of neighbouring blocks in ascending order.
    pub(crate) fn new(store: Arc<Store>, slots: Vec<Arc<Slot>>) -> Self {
        Self { store, slots: slots.into(), partial: Vec::new() }
    }

    /// Bytes that the next block has.
    fn next_length(&self) -> usize {
        self.slots.front().map_or(0, |slot| {
            let bytes = self.store.geometry().bytes(&(slot.block()..slot.block() + 1));
            usize::try_from(bytes.length()).unwrap_or(usize::MAX)
        })
    }

    fn fail_rest(&mut self, error: &Error) {
        for slot in self.slots.drain(..) {
            self.store.fail(&slot, error.clone());
        }
    }
}

impl Sink for Landing {
    fn bytes(&mut self, mut bytes: &[u8]) {
        let mut complete = Vec::new();
        while !bytes.is_empty() && !self.slots.is_empty() {
            let length = self.next_length();
            if self.partial.is_empty() && self.partial.try_reserve_exact(length).is_err() {
                let message = format!("there is no memory for a block of {length} bytes");
                self.store.complete(complete);
                return self.fail_rest(&Error::new(ErrorCode::OutOfMemory, message));
            }
            let (now, later) = bytes.split_at(bytes.len().min(length - self.partial.len()));
            self.partial.extend_from_slice(now);
            bytes = later;
            if self.partial.len() == length
                && let Some(slot) = self.slots.pop_front()
            {
                let block = std::mem::take(&mut self.partial).into_boxed_slice();
                complete.push((slot, block));
            }
        }
        self.store.complete(complete);
    }

    fn end(mut self: Box<Self>, result: Result<()>) {
        if let Err(error) = result {
            self.fail_rest(&error);
        }
    }
}

impl Drop for Landing {
    /// Whoever still waits must hear of it: nothing more will come.
    fn drop(&mut self) {
        if !self.slots.is_empty() {
            self.fail_rest(&Error::new(ErrorCode::Internal, "the fetch was given up before its last byte"));
        }
    }
}
