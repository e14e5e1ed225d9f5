//! Where the bytes of one fetch come down: cut into blocks, each of use as soon as it is complete.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::floor::error::{Error, ErrorCode, Result};
use crate::store::{Buffer, Slot, Store};
use crate::transport::Sink;

/// Fills the slots of a run of neighbouring blocks from a stream of bytes.
pub(crate) struct Landing {
    store: Arc<Store>,
    slots: VecDeque<Arc<Slot>>,
    partial: Option<Buffer>,
}

impl Landing {
    /// `slots` are claimed ones, of neighbouring blocks in ascending order.
    pub(crate) fn new(store: Arc<Store>, slots: Vec<Arc<Slot>>) -> Self {
        Self { store, slots: slots.into(), partial: None }
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
            let Some(mut block) = self.partial.take().or_else(|| self.store.buffer()) else {
                let message = format!("there is no memory for a block of {length} bytes");
                self.store.complete(complete);
                return self.fail_rest(&Error::new(ErrorCode::OutOfMemory, message));
            };
            bytes = &bytes[block.append(bytes, length)..];
            if block.len() < length {
                self.partial = Some(block);
            } else if let Some(slot) = self.slots.pop_front() {
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
