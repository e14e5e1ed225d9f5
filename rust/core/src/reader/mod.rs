//! Reads bytes: from the store where it has them, else through [`Fetch`], a little ahead.
//!
//! Decisions are pure and stand apart: `plan` cuts missing blocks into requests, `readahead` says how
//! far to go beyond a read. This file acts on them: it claims blocks, starts fetches and waits.

mod plan;
mod readahead;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::options::Options;
use crate::floor::range::ByteRange;
use crate::store::{Block, Found, Geometry, Landing, Slot, Store};
use crate::transport::{Fetch, Urgency};

/// What reads have cost.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) reads: AtomicU64,
    pub(crate) read_bytes: AtomicU64,
    pub(crate) round_trips: AtomicU64,
    pub(crate) hit_blocks: AtomicU64,
    pub(crate) missed_blocks: AtomicU64,
    pub(crate) ahead_bytes: AtomicU64,
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

/// Reads one file. May be shared between threads.
pub(crate) struct Reader {
    store: Arc<Store>,
    fetch: Box<dyn Fetch>,
    ahead: Mutex<readahead::ReadAhead>,
    plan_limits: plan::Limits,
    ahead_limits: readahead::Limits,
    read_ahead: bool,
    read_timeout: Option<Duration>,
    counters: Arc<Counters>,
}

impl Reader {
    pub(crate) fn new(
        geometry: Geometry,
        options: &Options,
        fetch: Box<dyn Fetch>,
        counters: Arc<Counters>,
    ) -> Self {
        let block_size = geometry.block_size;
        Self {
            store: Arc::new(Store::new(geometry, options.max_cache_size)),
            fetch,
            ahead: Mutex::default(),
            plan_limits: plan::Limits {
                block_size,
                max_chunk_size: options.max_chunk_size,
                max_connections: u64::from(options.max_connections),
            },
            ahead_limits: readahead::Limits { block_size, max_chunk_size: options.max_chunk_size },
            read_ahead: options.read_ahead,
            read_timeout: options.read_timeout(),
            counters,
        }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Takes in bytes from the head of the file that came without being asked for by a read.
    pub(crate) fn put_head(&self, head: Vec<u8>) {
        let geometry = self.store.geometry();
        let whole = if head.len() as u64 >= geometry.file_size {
            geometry.count()
        } else {
            head.len() as u64 / geometry.block_size
        };
        let slots = self.store.claim_run(0..whole);
        let mut rest = head;
        for slot in slots {
            let length = geometry.bytes(&(slot.block()..slot.block() + 1)).length();
            let later = rest.split_off(usize::try_from(length).map_or(rest.len(), |n| n.min(rest.len())));
            self.store.complete(&slot, std::mem::replace(&mut rest, later).into_boxed_slice());
        }
    }

    /// Fills `buffer` from `offset` on, or fails. The range must lie in the file.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        add(&self.counters.reads, 1);
        add(&self.counters.read_bytes, buffer.len() as u64);
        let geometry = self.store.geometry();
        let range = ByteRange::new(offset, offset.saturating_add(buffer.len() as u64));
        let blocks = geometry.blocks(range);
        // The common case by far: all in one block that is here.
        if blocks.end - blocks.start == 1
            && let Some(block) = self.store.get(blocks.start)
        {
            add(&self.counters.hit_blocks, 1);
            return copy(&block, geometry.bytes(&blocks), range, buffer);
        }
        let deadline = self.read_timeout.and_then(|limit| Instant::now().checked_add(limit));
        // Pieces that fit in the cache beside what is fetched ahead.
        let most = (self.store.working_bytes() / geometry.block_size).max(1);
        let mut start = blocks.start;
        while start < blocks.end {
            let end = blocks.end.min(start.saturating_add(most));
            self.read_blocks(start..end, range, buffer, deadline)?;
            start = end;
        }
        Ok(())
    }

    /// Copies what `blocks` have of `range` to its place in `buffer`.
    fn read_blocks(
        &self,
        blocks: Range<u64>,
        range: ByteRange,
        buffer: &mut [u8],
        deadline: Option<Instant>,
    ) -> Result<()> {
        let found = self.store.claim(blocks.clone());
        let mut claimed: Vec<Arc<Slot>> = Vec::new();
        for found in &found {
            if let Found::Claimed(slot) = found {
                claimed.push(Arc::clone(slot));
            }
        }
        add(&self.counters.missed_blocks, claimed.len() as u64);
        add(&self.counters.hit_blocks, (found.len() - claimed.len()) as u64);
        if !claimed.is_empty() {
            add(&self.counters.round_trips, 1);
            self.fetch_claimed(claimed, &blocks);
        }
        let geometry = self.store.geometry();
        for (block, found) in blocks.zip(found) {
            let content = match found {
                Found::Ready(content) => content,
                Found::Claimed(slot) => self.wait(&slot, deadline)?,
                // Another reader's fetch, or a guess: what ended it need not end this read.
                Found::Pending(slot) => match self.wait(&slot, deadline) {
                    Err(error) if error.code() != ErrorCode::TimedOut => self.read_again(block, deadline)?,
                    outcome => outcome?,
                },
            };
            copy(&content, geometry.bytes(&(block..block + 1)), range, buffer)?;
        }
        Ok(())
    }

    /// Starts fetching claimed blocks of a read, and what lies ahead of them.
    fn fetch_claimed(&self, claimed: Vec<Arc<Slot>>, read: &Range<u64>) {
        let geometry = self.store.geometry();
        let mut runs = neighbours(claimed);
        let needed_bytes: u64 = runs.iter().map(|run| geometry.bytes(&blocks_of(run)).length()).sum();
        // Ahead only of a read that lacks its own end: else it is not there that the next one lacks.
        if let Some(last) = runs.last_mut().filter(|run| self.read_ahead && blocks_of(run).end == read.end) {
            let missing = blocks_of(last);
            let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
            let beyond = ahead.blocks_beyond(&missing, needed_bytes, &self.ahead_limits);
            let room = self.store.working_bytes().saturating_sub(needed_bytes) / geometry.block_size;
            let end = missing.end.saturating_add(beyond.min(room)).min(geometry.count());
            let slots = self.store.claim_run(missing.end..end);
            let bytes = slots.len() as u64 * geometry.block_size;
            ahead.fetched_ahead(bytes);
            drop(ahead);
            add(&self.counters.ahead_bytes, bytes);
            last.extend(slots);
        }
        for run in runs {
            self.start(run, Urgency::Demand);
        }
    }

    /// Fetches a run of claimed neighbours in as many requests as are worth their while.
    fn start(&self, mut run: Vec<Arc<Slot>>, urgency: Urgency) {
        for piece in plan::split(blocks_of(&run), &self.plan_limits) {
            let count = usize::try_from(piece.end - piece.start).unwrap_or(usize::MAX).min(run.len());
            let later = run.split_off(count);
            let slots = std::mem::replace(&mut run, later);
            let landing = Landing::new(Arc::clone(&self.store), slots);
            self.fetch.start(self.store.geometry().bytes(&piece), urgency, Box::new(landing));
        }
    }

    fn wait(&self, slot: &Slot, deadline: Option<Instant>) -> Result<Block> {
        slot.wait(deadline).unwrap_or_else(|| {
            let limit = self.read_timeout.unwrap_or_default().as_millis();
            Err(Error::new(
                ErrorCode::TimedOut,
                format!("the read did not end within read_timeout_ms ({limit} ms)"),
            ))
        })
    }

    /// One more try for a block whose fetch by somebody else failed.
    fn read_again(&self, block: u64, deadline: Option<Instant>) -> Result<Block> {
        match self.store.claim(block..block + 1).pop() {
            Some(Found::Ready(content)) => Ok(content),
            Some(Found::Pending(slot)) => self.wait(&slot, deadline),
            Some(Found::Claimed(slot)) => {
                add(&self.counters.round_trips, 1);
                self.start(vec![Arc::clone(&slot)], Urgency::Demand);
                self.wait(&slot, deadline)
            }
            None => Err(Error::new(ErrorCode::Internal, "a claim of one block gave none")),
        }
    }

    /// Starts fetching what of `ranges` is not here, and returns.
    pub(crate) fn prefetch(&self, ranges: &[ByteRange]) {
        let geometry = self.store.geometry();
        let file = ByteRange::new(0, geometry.file_size);
        let mut wanted: Vec<Range<u64>> = ranges
            .iter()
            .map(|range| geometry.blocks(range.intersection(file)))
            .filter(|blocks| !blocks.is_empty())
            .collect();
        wanted.sort_by_key(|blocks| blocks.start);
        let mut room = self.store.working_bytes() / geometry.block_size;
        let mut claimed = Vec::new();
        let mut next = 0;
        for blocks in wanted {
            let start = blocks.start.max(next);
            let end = blocks.end.min(start.saturating_add(room));
            next = next.max(end);
            room -= end.saturating_sub(start);
            for found in self.store.claim(start..end.max(start)) {
                if let Found::Claimed(slot) = found {
                    claimed.push(slot);
                }
            }
        }
        add(&self.counters.ahead_bytes, claimed.len() as u64 * geometry.block_size);
        for run in neighbours(claimed) {
            self.start(run, Urgency::Guess);
        }
    }
}

/// Cuts slots in ascending order where a block is missing between two.
fn neighbours(slots: Vec<Arc<Slot>>) -> Vec<Vec<Arc<Slot>>> {
    let mut runs: Vec<Vec<Arc<Slot>>> = Vec::new();
    for slot in slots {
        match runs.last_mut() {
            Some(run) if blocks_of(run).end == slot.block() => run.push(slot),
            _ => runs.push(vec![slot]),
        }
    }
    runs
}

/// The blocks of a run of neighbours.
fn blocks_of(run: &[Arc<Slot>]) -> Range<u64> {
    run.first().map_or(0..0, |slot| slot.block()..slot.block() + run.len() as u64)
}

/// Copies what a block that holds `held` has of `range` to its place in `buffer`, which holds `range`.
fn copy(block: &[u8], held: ByteRange, range: ByteRange, buffer: &mut [u8]) -> Result<()> {
    let both = held.intersection(range);
    let place = |base: u64| -> Option<Range<usize>> {
        Some(usize::try_from(both.start() - base).ok()?..usize::try_from(both.end() - base).ok()?)
    };
    let source = place(held.start()).and_then(|at| block.get(at));
    let target = place(range.start()).and_then(|at| buffer.get_mut(at));
    match (source, target) {
        (Some(source), Some(target)) => {
            target.copy_from_slice(source);
            Ok(())
        }
        _ => Err(Error::new(ErrorCode::Internal, "a block does not hold what it should")),
    }
}

#[cfg(test)]
mod tests;
