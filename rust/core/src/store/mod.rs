//! Blocks of the remote file in memory: found, awaited or missing, each fetched once.
//!
//! [`Store`] keeps complete blocks, least recently used first to go, and a [`Slot`] for every block
//! that is on its way, so that however many readers want it, it is fetched once. [`Landing`] cuts
//! arriving bytes into blocks. Knows no transport.

mod landing;
mod pool;
mod slab;
mod slot;
mod table;

pub(crate) use landing::Landing;
pub(crate) use pool::Buffer;
pub(crate) use slot::Slot;

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::floor::range::ByteRange;
use crate::store::pool::Pool;
use crate::store::table::{DrivenOut, Table};

/// A complete block. Shared by the cache and whoever is copying from it.
pub(crate) type Block = Arc<Buffer>;

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

/// How well a read was supplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Supply {
    /// All was there.
    Here,
    /// It has to wait for what was on its way.
    Underway,
    /// It has to wait for what nobody had asked for.
    Missing,
}

impl Found {
    /// What has to be waited for.
    pub(crate) fn missing(&self) -> Option<&Slot> {
        match self {
            Self::Ready(_) => None,
            Self::Pending(slot) | Self::Claimed(slot) => Some(&**slot).filter(|slot| !slot.is_filled()),
        }
    }
}

impl Supply {
    pub(crate) fn of(found: &[Found]) -> Self {
        if found.iter().any(|found| matches!(found, Found::Claimed(_))) {
            Self::Missing
        } else if found.iter().any(|found| found.missing().is_some()) {
            Self::Underway
        } else {
            Self::Here
        }
    }
}

/// The blocks of one file.
pub(crate) struct Store {
    geometry: Geometry,
    pool: Arc<Pool>,
    inner: Mutex<Inner>,
}

struct Inner {
    table: Table,
    /// Complete blocks to be kept at the most.
    capacity: NonZeroUsize,
    evicted: u64,
    /// Of these, guesses that no read had touched.
    wasted: u64,
    /// Guesses that did not come.
    lost: u64,
    landed: Option<Vec<u64>>,
}

/// What a read found.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) found: Vec<Found>,
    /// Blocks that had been guessed, and that no read had touched before.
    pub(crate) proved: u64,
}

impl Store {
    /// An empty store that keeps at most `max_bytes` of complete blocks, and always one.
    pub(crate) fn new(geometry: Geometry, max_bytes: u64) -> Self {
        let blocks = usize::try_from(max_bytes / geometry.block_size).unwrap_or(usize::MAX);
        Self {
            geometry,
            // The only block of a small file is no larger than it.
            pool: Pool::new(
                usize::try_from(geometry.block_size.min(geometry.file_size)).unwrap_or(usize::MAX),
            ),
            inner: Mutex::new(Inner {
                table: Table::new(),
                capacity: NonZeroUsize::new(blocks).unwrap_or(NonZeroUsize::MIN),
                evicted: 0,
                wasted: 0,
                lost: 0,
                landed: None,
            }),
        }
    }

    /// From now on blocks that become complete are noted for [`Store::take_landed`].
    pub(crate) fn note_landings(&self) {
        self.lock().landed.get_or_insert_default();
    }

    /// Blocks that have become complete since the last call, if they are noted.
    pub(crate) fn take_landed(&self) -> Vec<u64> {
        self.lock().landed.as_mut().map(std::mem::take).unwrap_or_default()
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

    /// The block for a read, if it is complete, and whether it was a guess that this proves right.
    pub(crate) fn get(&self, block: u64) -> Option<(Block, bool)> {
        self.lock().table.get(block)
    }

    /// What there is of `wanted` for a read, in order. What nobody has asked for becomes the caller's
    /// to fetch.
    pub(crate) fn claim(&self, wanted: Range<u64>) -> Claim {
        self.lock().table.claim(wanted)
    }

    /// Claims, on a guess, those of `wanted` that nobody has asked for, from the first on at most `most`.
    pub(crate) fn claim_guesses(&self, wanted: Range<u64>, most: u64) -> Vec<Arc<Slot>> {
        self.lock().table.claim_unknown(wanted, usize::try_from(most).unwrap_or(usize::MAX), true)
    }

    /// Claims those of `wanted` that nobody has asked for, to be fetched along with what a read needs.
    pub(crate) fn claim_company(&self, wanted: Range<u64>) -> Vec<Arc<Slot>> {
        self.lock().table.claim_unknown(wanted, usize::MAX, false)
    }

    /// Room for one block, or `None` where there is no memory.
    pub(crate) fn buffer(&self) -> Option<Buffer> {
        self.pool.take()
    }

    /// Takes in complete blocks and wakes who waits for them.
    pub(crate) fn complete(&self, blocks: Vec<(Arc<Slot>, Buffer)>) {
        if blocks.is_empty() {
            return;
        }
        let blocks: Vec<(Arc<Slot>, Block)> =
            blocks.into_iter().map(|(slot, bytes)| (slot, Arc::new(bytes))).collect();
        let gone = self.lock().take_in(&blocks);
        for (slot, block) in blocks {
            slot.fill(Ok(block));
        }
        // Memory goes back to the system outside the lock.
        drop(gone);
    }

    /// Tells who waits for the block that it will not come; the next to want it may try again.
    pub(crate) fn fail(&self, slot: &Slot, error: crate::Error) {
        let mut inner = self.lock();
        inner.lost += u64::from(inner.table.forget(slot.block()));
        drop(inner);
        slot.fill(Err(error));
    }

    /// Whether the block is here or on its way.
    pub(crate) fn is_known(&self, block: u64) -> bool {
        self.lock().table.knows(block)
    }

    /// How many of `blocks` are neither here nor on their way, counted up to `most`.
    pub(crate) fn unknown_of(&self, blocks: Range<u64>, most: u64) -> u64 {
        let inner = self.lock();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        blocks.filter(|block| !inner.table.knows(*block)).take(most).count() as u64
    }

    /// Blocks of the file that are neither here nor on their way.
    pub(crate) fn unknown(&self) -> u64 {
        let inner = self.lock();
        self.geometry.count().saturating_sub(inner.table.known() as u64)
    }

    /// Blocks driven out so far.
    pub(crate) fn evicted(&self) -> u64 {
        self.lock().evicted
    }

    /// The bytes of `range` if they are all in complete blocks. No read: it proves and refreshes nothing.
    pub(crate) fn peek(&self, range: ByteRange) -> Option<Vec<u8>> {
        let inner = self.lock();
        // The file says how much, so it may be any number.
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(range.length()).ok()?).ok()?;
        for index in self.geometry.blocks(range) {
            let block = inner.table.peek(index)?;
            let held = self.geometry.bytes(&(index..index + 1));
            let part = held.intersection(range);
            let from = usize::try_from(part.start() - held.start()).ok()?;
            let to = usize::try_from(part.end() - held.start()).ok()?;
            bytes.extend_from_slice(block.get(from..to)?);
        }
        (bytes.len() as u64 == range.length()).then_some(bytes)
    }

    /// Guessed blocks driven out before any read touched them.
    pub(crate) fn wasted(&self) -> u64 {
        self.lock().wasted
    }

    /// Guessed blocks that failed or were given up before any read wanted them.
    pub(crate) fn lost(&self) -> u64 {
        self.lock().lost
    }

    /// Bytes held in complete blocks.
    pub(crate) fn cached_bytes(&self) -> u64 {
        self.lock().table.ready_bytes()
    }
}

impl Inner {
    /// Keeps complete blocks; what they drive out.
    fn take_in(&mut self, blocks: &[(Arc<Slot>, Block)]) -> Vec<Block> {
        self.table.take_in(blocks);
        if let Some(landed) = &mut self.landed {
            landed.extend(blocks.iter().map(|(slot, _)| slot.block()));
        }
        let DrivenOut { blocks, wasted } = self.table.drive_out(self.capacity.get());
        self.evicted += blocks.len() as u64;
        self.wasted += wasted;
        blocks
    }
}

#[cfg(test)]
mod tests;
