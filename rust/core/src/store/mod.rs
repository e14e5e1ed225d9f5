//! Blocks of the remote file in memory: found, awaited or missing, each fetched once.
//!
//! [`Store`] keeps complete blocks, least recently used first to go, and a [`Slot`] for every block
//! that is on its way, so that however many readers want it, it is fetched once. [`Landing`] cuts
//! arriving bytes into blocks. Knows no transport.

mod landing;
mod pool;
mod slab;
mod slot;

pub(crate) use landing::Landing;
pub(crate) use pool::Buffer;
pub(crate) use slot::Slot;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::floor::range::ByteRange;
use crate::store::pool::Pool;

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
    ready: LruCache<u64, Cached>,
    pending: HashMap<u64, Awaited>,
    /// Complete blocks to be kept at the most.
    capacity: NonZeroUsize,
    evicted: u64,
    /// Of these, guesses that no read had touched.
    wasted: u64,
    landed: Option<Vec<u64>>,
}

struct Cached {
    block: Block,
    /// Fetched on a guess, and not touched by a read so far.
    guess: bool,
}

struct Awaited {
    slot: Arc<Slot>,
    guess: bool,
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
                // Unbounded for the crate, which would else allocate all of the bound at once.
                ready: LruCache::unbounded(),
                pending: HashMap::new(),
                capacity: NonZeroUsize::new(blocks).unwrap_or(NonZeroUsize::MIN),
                evicted: 0,
                wasted: 0,
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
        let mut inner = self.lock();
        let cached = inner.ready.get_mut(&block)?;
        Some((Arc::clone(&cached.block), std::mem::take(&mut cached.guess)))
    }

    /// What there is of `wanted` for a read, in order. What nobody has asked for becomes the caller's
    /// to fetch.
    pub(crate) fn claim(&self, wanted: Range<u64>) -> Claim {
        let mut inner = self.lock();
        let mut proved = 0;
        let found = wanted
            .map(|block| {
                let (found, guess) = inner.claim(block);
                proved += u64::from(guess);
                found
            })
            .collect();
        Claim { found, proved }
    }

    /// Claims, on a guess, those of `wanted` that nobody has asked for, from the first on at most `most`.
    pub(crate) fn claim_guesses(&self, wanted: Range<u64>, most: u64) -> Vec<Arc<Slot>> {
        let mut inner = self.lock();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        wanted.filter_map(|block| inner.claim_unknown(block, true)).take(most).collect()
    }

    /// Claims those of `wanted` that nobody has asked for, to be fetched along with what a read needs.
    pub(crate) fn claim_company(&self, wanted: Range<u64>) -> Vec<Arc<Slot>> {
        let mut inner = self.lock();
        wanted.filter_map(|block| inner.claim_unknown(block, false)).collect()
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
        self.lock().pending.remove(&slot.block());
        slot.fill(Err(error));
    }

    /// Blocks of the file that are neither here nor on their way.
    pub(crate) fn unknown(&self) -> u64 {
        let inner = self.lock();
        self.geometry.count().saturating_sub((inner.ready.len() + inner.pending.len()) as u64)
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
            let block = &inner.ready.peek(&index)?.block;
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

    /// Bytes held in complete blocks.
    pub(crate) fn cached_bytes(&self) -> u64 {
        self.lock().ready.iter().map(|(_, cached)| cached.block.len() as u64).sum()
    }
}

impl Inner {
    /// Keeps complete blocks; what they drive out.
    fn take_in(&mut self, blocks: &[(Arc<Slot>, Block)]) -> Vec<Block> {
        let mut gone = Vec::new();
        for (slot, block) in blocks {
            let guess = self.pending.remove(&slot.block()).is_some_and(|awaited| awaited.guess);
            self.ready.put(slot.block(), Cached { block: Arc::clone(block), guess });
            if let Some(landed) = &mut self.landed {
                landed.push(slot.block());
            }
            while self.ready.len() > self.capacity.get() {
                let Some((_, cached)) = self.ready.pop_lru() else { break };
                self.evicted += 1;
                self.wasted += u64::from(cached.guess);
                gone.push(cached.block);
            }
        }
        gone
    }

    /// For a read: what there is of the block, and whether a guess is proved right by that.
    fn claim(&mut self, block: u64) -> (Found, bool) {
        if let Some(cached) = self.ready.get_mut(&block) {
            return (Found::Ready(Arc::clone(&cached.block)), std::mem::take(&mut cached.guess));
        }
        if let Some(awaited) = self.pending.get_mut(&block) {
            return (Found::Pending(Arc::clone(&awaited.slot)), std::mem::take(&mut awaited.guess));
        }
        (Found::Claimed(self.await_block(block, false)), false)
    }

    fn claim_unknown(&mut self, block: u64, guess: bool) -> Option<Arc<Slot>> {
        let known = self.ready.contains(&block) || self.pending.contains_key(&block);
        (!known).then(|| self.await_block(block, guess))
    }

    fn await_block(&mut self, block: u64, guess: bool) -> Arc<Slot> {
        let slot = Arc::new(Slot::new(block));
        self.pending.insert(block, Awaited { slot: Arc::clone(&slot), guess });
        slot
    }
}

#[cfg(test)]
mod tests;
