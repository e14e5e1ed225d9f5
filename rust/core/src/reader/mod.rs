//! Reads bytes: from the store where it has them, else through [`Fetch`], a little ahead.
//!
//! Decisions are pure and stand apart: `plan` cuts missing blocks into requests, `streams` foretells
//! reads from those before, `budget` says how much may be guessed. This file acts on them: it claims
//! blocks, starts fetches and waits.

mod budget;
mod completion;
mod plan;
mod streams;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::options::Options;
use crate::floor::range::ByteRange;
use crate::store::{Block, Found, Geometry, Landing, Slot, Store};
use crate::transport::{Fetch, Sink, Urgency};

/// What reads have cost.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) reads: AtomicU64,
    pub(crate) read_bytes: AtomicU64,
    pub(crate) round_trips: AtomicU64,
    pub(crate) hit_blocks: AtomicU64,
    pub(crate) missed_blocks: AtomicU64,
    pub(crate) guessed_bytes: AtomicU64,
    pub(crate) proved_bytes: AtomicU64,
}

/// Guesses with no more than this between them are fetched together.
const JOINED_GAP_BLOCKS: u64 = 1;

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

/// Reads one file. May be shared between threads.
pub(crate) struct Reader {
    store: Arc<Store>,
    fetch: Box<dyn Fetch>,
    ahead: Mutex<Ahead>,
    /// The block of the last small read: those that stay in it say nothing new about streams.
    last_block: AtomicU64,
    plan_limits: plan::Limits,
    stream_limits: streams::Limits,
    read_ahead: bool,
    /// Complete the file early when that pays.
    complete: bool,
    read_timeout: Option<Duration>,
    counters: Arc<Counters>,
}

#[derive(Default)]
struct Ahead {
    streams: streams::Streams,
    budget: budget::Budget,
    completion: completion::Completion,
}

impl Reader {
    pub(crate) fn new(
        geometry: Geometry,
        options: &Options,
        fetch: Box<dyn Fetch>,
        counters: Arc<Counters>,
    ) -> Self {
        let block_size = geometry.block_size;
        let store = Arc::new(Store::new(geometry, options.max_cache_size));
        let store_bytes = options.max_cache_size;
        let max_window = options.max_chunk_size.min(store.working_bytes());
        Self {
            store,
            fetch,
            ahead: Mutex::default(),
            last_block: AtomicU64::new(u64::MAX),
            plan_limits: plan::Limits {
                block_size,
                max_chunk_size: options.max_chunk_size,
                max_connections: u64::from(options.max_connections),
            },
            stream_limits: streams::Limits::new(block_size, geometry.file_size, max_window),
            read_ahead: options.read_ahead,
            complete: options.complete_small_files
                && geometry.file_size <= completion::LARGEST_FILE_BYTES
                && geometry.file_size <= store_bytes,
            read_timeout: options.read_timeout(),
            counters,
        }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    fn ahead(&self) -> MutexGuard<'_, Ahead> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in bytes from the head of the file that came without being asked for by a read.
    pub(crate) fn put_head(&self, head: Vec<u8>) {
        let geometry = self.store.geometry();
        let whole = if head.len() as u64 >= geometry.file_size {
            geometry.count()
        } else {
            head.len() as u64 / geometry.block_size
        };
        let slots = self.store.claim_guesses(0..whole, whole);
        self.guessed(geometry.bytes(&blocks_of(&slots)).length());
        let mut landing = Box::new(Landing::new(Arc::clone(&self.store), slots));
        landing.bytes(&head);
        landing.end(Ok(()));
    }

    /// Fills `buffer` from `offset` on, or fails. The range must lie in the file.
    ///
    /// `foretell` is called once, when what the read lacks is on its way and before it is waited for.
    /// Only reads of `data` make streams.
    pub(crate) fn read(
        &self,
        offset: u64,
        buffer: &mut [u8],
        data: bool,
        foretell: impl FnOnce(),
    ) -> Result<()> {
        add(&self.counters.reads, 1);
        add(&self.counters.read_bytes, buffer.len() as u64);
        let geometry = self.store.geometry();
        let range = ByteRange::new(offset, offset.saturating_add(buffer.len() as u64));
        let blocks = geometry.blocks(range);
        // The common case by far: all in one block that is here.
        if blocks.end - blocks.start == 1
            && let Some((block, proved)) = self.store.get(blocks.start)
        {
            add(&self.counters.hit_blocks, 1);
            self.proved(u64::from(proved));
            foretell();
            if data && self.last_block.swap(blocks.start, Ordering::Relaxed) != blocks.start {
                self.look_ahead(range);
            }
            return copy(&block, geometry.bytes(&blocks), range, buffer);
        }
        if data {
            self.last_block.store(blocks.end - 1, Ordering::Relaxed);
        }
        let mut foretell = Some(foretell);
        let deadline = self.read_timeout.and_then(|limit| Instant::now().checked_add(limit));
        // Pieces that fit in the cache beside what is fetched ahead.
        let most = (self.store.working_bytes() / geometry.block_size).max(1);
        let mut start = blocks.start;
        while start < blocks.end {
            let end = blocks.end.min(start.saturating_add(most));
            let found = self.ask(start..end);
            if let Some(foretell) = foretell.take() {
                foretell();
            }
            if data && end == blocks.end {
                self.look_ahead(range);
            }
            self.copy_blocks(start..end, found, range, buffer, deadline)?;
            start = end;
        }
        Ok(())
    }

    /// Starts fetching what a read lacks of `blocks`.
    fn ask(&self, blocks: Range<u64>) -> Vec<Found> {
        let claim = self.store.claim(blocks);
        let claimed: Vec<Arc<Slot>> = claim
            .found
            .iter()
            .filter_map(|found| if let Found::Claimed(slot) = found { Some(Arc::clone(slot)) } else { None })
            .collect();
        add(&self.counters.missed_blocks, claimed.len() as u64);
        add(&self.counters.hit_blocks, (claim.found.len() - claimed.len()) as u64);
        self.proved(claim.proved);
        if !claimed.is_empty() {
            add(&self.counters.round_trips, 1);
            self.ahead().budget.asked(claimed.len() as u64 * self.store.geometry().block_size);
            for run in neighbours(claimed) {
                self.start(run, Urgency::Demand);
            }
            self.complete_if_due(completion::Wait::OwnRequest);
        }
        claim.found
    }

    /// Waits for `found`, which is what there was of `blocks`, and copies what they have of `range` to
    /// its place in `buffer`.
    fn copy_blocks(
        &self,
        blocks: Range<u64>,
        found: Vec<Found>,
        range: ByteRange,
        buffer: &mut [u8],
        deadline: Option<Instant>,
    ) -> Result<()> {
        let geometry = self.store.geometry();
        // One wait a read: those for its further blocks overlap with it.
        let mut waited = found.iter().any(|found| matches!(found, Found::Claimed(_)));
        for (block, found) in blocks.zip(found) {
            let content = match found {
                Found::Ready(content) => content,
                Found::Claimed(slot) => self.wait(&slot, deadline)?,
                Found::Pending(slot) => {
                    if !slot.is_filled() {
                        self.fetch.hurry(geometry.bytes(&(block..block + 1)));
                        if !std::mem::replace(&mut waited, true) {
                            self.complete_if_due(completion::Wait::Underway);
                        }
                    }
                    match self.wait(&slot, deadline) {
                        // Another reader's fetch, or a guess: what ended it need not end this read.
                        Err(error) if error.code() != ErrorCode::TimedOut => {
                            self.read_again(block, deadline)?
                        }
                        outcome => outcome?,
                    }
                }
            };
            copy(&content, geometry.bytes(&(block..block + 1)), range, buffer)?;
        }
        Ok(())
    }

    /// Fetches a run of claimed neighbours in as many requests as are worth their while.
    fn start(&self, mut run: Vec<Arc<Slot>>, urgency: Urgency) {
        for piece in plan::split(blocks_of(&run), urgency, &self.plan_limits) {
            let count = usize::try_from(piece.end - piece.start).unwrap_or(usize::MAX).min(run.len());
            let later = run.split_off(count);
            let slots = std::mem::replace(&mut run, later);
            let landing = Landing::new(Arc::clone(&self.store), slots);
            self.fetch.start(self.store.geometry().bytes(&piece), urgency, Box::new(landing));
        }
        // The plan covers the whole run. Should it ever not, this fails what is left: a read must not
        // wait for blocks that nobody fetches.
        drop(Landing::new(Arc::clone(&self.store), run));
    }

    /// Fetches all that is missing of a small file, if a read that had to wait was one too many.
    fn complete_if_due(&self, wait: completion::Wait) {
        if !self.complete {
            return;
        }
        let geometry = self.store.geometry();
        let missing = self.store.unknown() * geometry.block_size;
        let due = {
            let pace = self.fetch.pace();
            self.ahead().completion.waited(wait, missing, self.plan_limits.max_connections, pace)
        };
        if due {
            let slots = self.store.claim_guesses(0..geometry.count(), u64::MAX);
            self.guessed(slots.len() as u64 * geometry.block_size);
            for run in neighbours(slots) {
                self.start(run, Urgency::Guess);
            }
        }
    }

    /// Notes that `blocks` guesses were right.
    fn proved(&self, blocks: u64) {
        if blocks > 0 {
            let bytes = blocks * self.store.geometry().block_size;
            add(&self.counters.proved_bytes, bytes);
            self.ahead().budget.proved(bytes);
        }
    }

    fn guessed(&self, bytes: u64) {
        add(&self.counters.guessed_bytes, bytes);
        self.ahead().budget.guessed(bytes);
    }

    /// Starts fetching what is likely to be read after `range`.
    fn look_ahead(&self, range: ByteRange) {
        if !self.read_ahead {
            return;
        }
        let wishes = {
            let mut ahead = self.ahead();
            let wasted = self.store.wasted() * self.store.geometry().block_size;
            let allowance = ahead.budget.allowance(wasted, self.store.working_bytes());
            ahead.streams.observe(range, allowance, &self.stream_limits)
        };
        if !wishes.is_empty() {
            self.guess(&wishes);
        }
    }

    /// Starts fetching what of `wishes` nobody has asked for, as far as the budget goes.
    pub(crate) fn guess(&self, wishes: &[ByteRange]) {
        let geometry = self.store.geometry();
        let blocks = wishes.iter().map(|wish| geometry.blocks(*wish)).collect();
        for run in plan::join(blocks, JOINED_GAP_BLOCKS) {
            let wasted = self.store.wasted() * geometry.block_size;
            let allowance = self.ahead().budget.allowance(wasted, self.store.working_bytes());
            let slots = self.store.claim_guesses(run, allowance / geometry.block_size);
            self.guessed(slots.len() as u64 * geometry.block_size);
            for run in neighbours(slots) {
                self.start(run, Urgency::Guess);
            }
        }
    }

    fn wait(&self, slot: &Slot, deadline: Option<Instant>) -> Result<Block> {
        slot.wait(deadline).unwrap_or_else(|| {
            let limit = self.read_timeout.unwrap_or_default().as_millis();
            let message = format!("the read did not end within read_timeout_ms ({limit} ms)");
            Err(Error::new(ErrorCode::TimedOut, message))
        })
    }

    /// One more try for a block whose fetch by somebody else failed.
    fn read_again(&self, block: u64, deadline: Option<Instant>) -> Result<Block> {
        match self.ask(block..block + 1).pop() {
            Some(Found::Ready(content)) => Ok(content),
            Some(Found::Pending(slot) | Found::Claimed(slot)) => self.wait(&slot, deadline),
            None => Err(Error::new(ErrorCode::Internal, "a claim of one block gave none")),
        }
    }

    /// Starts fetching what of `ranges` is not here, and returns. The program asked for it, so it is
    /// no guess; only the room in the cache bounds it.
    pub(crate) fn prefetch(&self, ranges: &[ByteRange]) {
        let geometry = self.store.geometry();
        let file = ByteRange::new(0, geometry.file_size);
        let wanted = ranges.iter().map(|range| geometry.blocks(range.intersection(file))).collect();
        let mut room = self.store.working_bytes() / geometry.block_size;
        for blocks in plan::join(wanted, 0) {
            let end = blocks.end.min(blocks.start.saturating_add(room));
            room -= end - blocks.start;
            let slots = self.store.claim_guesses(blocks.start..end, u64::MAX);
            self.guessed(slots.len() as u64 * geometry.block_size);
            for run in neighbours(slots) {
                // In the sizes of a demand: the read that wants it comes next.
                self.start(run, Urgency::Demand);
            }
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
