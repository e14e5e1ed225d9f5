//! Blocks of the remote file in memory: found, awaited or missing, each fetched once.
//!
//! [`Store`] keeps complete blocks, least recently used first to go, and a [`Slot`] for every block
//! that is on its way, so that however many readers want it, it is fetched once. [`Landing`] cuts
//! arriving bytes into blocks. Knows no transport.

mod landing;
mod slot;

pub(crate) use landing::Landing;
pub(crate) use slot::Slot;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::floor::range::ByteRange;

/// A complete block. Shared by the cache and whoever is copying from it.
pub(crate) type Block = Arc<Box<[u8]>>;

/// How the file falls into blocks: all of one size but for the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) block_size: u64,
    pub(crate) file_size: u64,
}

impl Geometry {
    /// The blocks that hold the bytes of `range`, which must lie in the file.
    pub(crate) fn blocks(self, range: ByteRange) -> Range<u64> {
        if range.is_empty() {
            return 0..0;
        }
        range.start() / self.block_size..range.end().div_ceil(self.block_size)
    }

    /// The bytes of the given blocks, cut at the end of the file.
    pub(crate) fn bytes(self, blocks: &Range<u64>) -> ByteRange {
        let at = |block: u64| block.saturating_mul(self.block_size).min(self.file_size);
        ByteRange::new(at(blocks.start), at(blocks.end))
    }

    /// How many blocks the file has.
    pub(crate) fn count(self) -> u64 {
        self.file_size.div_ceil(self.block_size)
    }
}

/// What the store has of one block.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Ready(Block),
    Pending(Arc<Slot>),
    /// Nobody had asked for it: the caller has to fetch it now, and fill the slot.
    Claimed(Arc<Slot>),
}

/// The blocks of one file.
pub(crate) struct Store {
    geometry: Geometry,
    inner: Mutex<Inner>,
}

struct Inner {
    ready: LruCache<u64, Block>,
    pending: HashMap<u64, Arc<Slot>>,
    /// Complete blocks to be kept at the most.
    capacity: NonZeroUsize,
    evicted: u64,
}

impl Store {
    /// An empty store that keeps at most `max_bytes` of complete blocks, and always one.
    pub(crate) fn new(geometry: Geometry, max_bytes: u64) -> Self {
        let blocks = usize::try_from(max_bytes / geometry.block_size).unwrap_or(usize::MAX);
        Self {
            geometry,
            inner: Mutex::new(Inner {
                // Unbounded for the crate, which would else allocate all of the bound at once.
                ready: LruCache::unbounded(),
                pending: HashMap::new(),
                capacity: NonZeroUsize::new(blocks).unwrap_or(NonZeroUsize::MIN),
                evicted: 0,
            }),
        }
    }

    pub(crate) fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The most bytes that may be wanted at once without driving each other out.
    pub(crate) fn working_bytes(&self) -> u64 {
        let capacity = self.lock().capacity.get() as u64;
        (capacity / 2).max(1).saturating_mul(self.geometry.block_size)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block, if it is complete.
    pub(crate) fn get(&self, block: u64) -> Option<Block> {
        self.lock().ready.get(&block).cloned()
    }

    /// What there is of `wanted`, in order. What nobody has asked for becomes the caller's to fetch.
    pub(crate) fn claim(&self, wanted: Range<u64>) -> Vec<Found> {
        let mut inner = self.lock();
        wanted.map(|block| inner.claim(block)).collect()
    }

    /// Claims blocks from `wanted` on up to the first that is complete or on its way.
    pub(crate) fn claim_run(&self, wanted: Range<u64>) -> Vec<Arc<Slot>> {
        let mut inner = self.lock();
        let mut run = Vec::new();
        for block in wanted {
            if inner.ready.contains(&block) || inner.pending.contains_key(&block) {
                break;
            }
            if let Found::Claimed(slot) = inner.claim(block) {
                run.push(slot);
            }
        }
        run
    }

    /// Takes in a complete block and wakes who waits for it.
    pub(crate) fn complete(&self, slot: &Slot, bytes: Box<[u8]>) {
        let block: Block = Arc::new(bytes);
        let mut gone = Vec::new();
        {
            let mut inner = self.lock();
            inner.pending.remove(&slot.block());
            inner.ready.put(slot.block(), Arc::clone(&block));
            while inner.ready.len() > inner.capacity.get() {
                inner.evicted += 1;
                gone.push(inner.ready.pop_lru());
            }
        }
        slot.fill(Ok(block));
        // Memory goes back to the system outside the lock.
        drop(gone);
    }

    /// Tells who waits for the block that it will not come; the next to want it may try again.
    pub(crate) fn fail(&self, slot: &Slot, error: crate::Error) {
        self.lock().pending.remove(&slot.block());
        slot.fill(Err(error));
    }

    /// Blocks driven out so far.
    pub(crate) fn evicted(&self) -> u64 {
        self.lock().evicted
    }

    /// Bytes held in complete blocks.
    pub(crate) fn cached_bytes(&self) -> u64 {
        self.lock().ready.iter().map(|(_, block)| block.len() as u64).sum()
    }
}

impl Inner {
    fn claim(&mut self, block: u64) -> Found {
        if let Some(block) = self.ready.get(&block) {
            return Found::Ready(Arc::clone(block));
        }
        if let Some(slot) = self.pending.get(&block) {
            return Found::Pending(Arc::clone(slot));
        }
        let slot = Arc::new(Slot::new(block));
        self.pending.insert(block, Arc::clone(&slot));
        Found::Claimed(slot)
    }
}

#[cfg(test)]
mod tests;
