//! Reads bytes: from the store where it has them, else through [`Fetch`], a little ahead.
//!
//! Decisions are pure and stand apart: `plan` cuts missing blocks into requests, `streams` foretells
//! reads from those before, `budget` says how much may be guessed. This file acts on them: it claims
//! blocks, starts fetches and waits.

mod budget;
mod completion;
mod guess;
mod plan;
mod streams;
mod vector;

pub(crate) use vector::Piece;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::options::Options;
use crate::floor::range::ByteRange;
use crate::store::{Block, Found, Geometry, Landing, Slot, Store, Supply};
use crate::transport::{Fetch, Urgency};

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

/// A read that waits for much is woken up once for so many bytes of it.
const BATCH_BYTES: u64 = 1 << 20;

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

/// What is known of the reads after one, beside what `streams` makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foretold {
    Nothing,
    /// What lies elsewhere is on its way already: no step need be guessed.
    Chunks,
    /// All that follows nearby is on its way already: there is nothing to read ahead.
    ToTheEnd,
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
        // Room for at least what one read that lacks a byte fetches.
        let store = Arc::new(Store::new(geometry, options.max_cache_size.max(options.min_chunk_size)));
        let store_bytes = options.max_cache_size;
        let max_window = options.max_chunk_size.min(store.working_bytes());
        Self {
            store,
            fetch,
            ahead: Mutex::default(),
            last_block: AtomicU64::new(u64::MAX),
            plan_limits: plan::Limits {
                block_size,
                least_blocks: (options.min_chunk_size / block_size).max(1),
                max_chunk_size: options.max_chunk_size,
                max_connections: u64::from(options.max_connections),
            },
            stream_limits: streams::Limits::new(options.min_chunk_size, geometry.file_size, max_window),
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

    /// Where the first `length` bytes of the file come down, which no read has asked for.
    pub(crate) fn land_head(&self, length: u64) -> Landing {
        let geometry = self.store.geometry();
        let whole =
            if length >= geometry.file_size { geometry.count() } else { length / geometry.block_size };
        let slots = self.store.claim_guesses(0..whole, whole);
        self.guessed(geometry.bytes(&blocks_of(&slots)).length());
        Landing::new(Arc::clone(&self.store), slots)
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
        foretell: impl FnOnce(Supply) -> Foretold,
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
            let foretold = foretell(Supply::Here);
            if data && self.last_block.swap(blocks.start, Ordering::Relaxed) != blocks.start {
                self.look_ahead(range, Supply::Here, foretold);
            }
            return copy(&block, geometry.bytes(&blocks), range, buffer);
        }
        if data {
            self.last_block.store(blocks.end - 1, Ordering::Relaxed);
        }
        let mut foretell = Some(foretell);
        let (mut supply, mut foretold) = (Supply::Here, Foretold::Nothing);
        let deadline = self.deadline();
        let most = self.most_blocks();
        let mut start = blocks.start;
        while start < blocks.end {
            let end = blocks.end.min(start.saturating_add(most));
            let found = self.ask(start..end, data);
            if let Some(foretell) = foretell.take() {
                supply = Supply::of(&found);
                foretold = foretell(supply);
            }
            if data && end == blocks.end {
                self.look_ahead(range, supply, foretold);
            }
            self.copy_blocks(start..end, found, range, buffer, data, deadline)?;
            start = end;
        }
        Ok(())
    }

    /// When a read that begins now has to end.
    fn deadline(&self) -> Option<Instant> {
        self.read_timeout.and_then(|limit| Instant::now().checked_add(limit))
    }

    /// Blocks that fit in the cache beside what is fetched ahead.
    fn most_blocks(&self) -> u64 {
        (self.store.working_bytes() / self.store.geometry().block_size).max(1)
    }

    /// Starts fetching what a read lacks of `blocks`.
    fn ask(&self, blocks: Range<u64>, data: bool) -> Vec<Found> {
        let found = self.claim(blocks);
        let claimed = claimed(&found);
        if !claimed.is_empty() {
            add(&self.counters.round_trips, 1);
            let mut asked = 0;
            for mut run in neighbours(claimed) {
                let wide = plan::widen(blocks_of(&run), data, &self.plan_limits);
                run.extend(self.store.claim_company(wide.start..wide.end.min(self.store.geometry().count())));
                run.sort_by_key(|slot| slot.block());
                asked += run.len() as u64;
                for run in neighbours(run) {
                    self.start(run, Urgency::Demand, plan::Wanted::Now);
                }
            }
            self.ahead().budget.asked(asked * self.store.geometry().block_size);
            self.complete_after_miss();
        }
        found
    }

    /// What there is of `blocks` for a read. What nobody had asked for is the caller's to fetch.
    fn claim(&self, blocks: Range<u64>) -> Vec<Found> {
        let claim = self.store.claim(blocks);
        let missed = claim.found.iter().filter(|found| matches!(found, Found::Claimed(_))).count();
        add(&self.counters.missed_blocks, missed as u64);
        add(&self.counters.hit_blocks, (claim.found.len() - missed) as u64);
        self.proved(claim.proved);
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
        data: bool,
        deadline: Option<Instant>,
    ) -> Result<()> {
        let geometry = self.store.geometry();
        self.hurry(&blocks, &found);
        self.note_lateness(&found, data, deadline);
        let found: Vec<(u64, Found)> = blocks.zip(found).collect();
        for found in found.chunks(self.batch()) {
            // Awake once for all of it; what comes of each block is looked at below.
            if let Some(last) = found.iter().rev().find_map(|(_, found)| found.missing()) {
                last.wait(deadline);
            }
            for &(block, ref found) in found {
                let content = self.content(block, found, deadline)?;
                copy(&content, geometry.bytes(&(block..block + 1)), range, buffer)?;
            }
        }
        Ok(())
    }

    /// Where a read waits only for what was foretold, waits for the first of it and notes how long that took. What
    /// follows it comes no sooner by foretelling.
    fn note_lateness(&self, found: &[Found], data: bool, deadline: Option<Instant>) {
        if !self.complete || Supply::of(found) != Supply::Underway {
            return;
        }
        // What has been lost so far may have become enough, for others fetch as well.
        self.complete_if_due();
        let begun = Instant::now();
        if let Some(first) = found.iter().find_map(Found::missing) {
            first.wait(deadline);
            self.ahead().completion.came_after(begun.elapsed(), data, self.fetch.pace());
        }
        if !data {
            self.complete_if_due();
        }
    }

    /// Blocks that a read that waits is woken up once for.
    fn batch(&self) -> usize {
        usize::try_from(BATCH_BYTES / self.store.geometry().block_size).unwrap_or(usize::MAX).max(1)
    }

    /// The bytes of a block of which `found` was there. Waits for them.
    fn content(&self, block: u64, found: &Found, deadline: Option<Instant>) -> Result<Block> {
        match found {
            Found::Ready(content) => Ok(Arc::clone(content)),
            Found::Claimed(slot) => self.wait(slot, deadline),
            Found::Pending(slot) => match self.wait(slot, deadline) {
                // Another reader's fetch, or a guess: what ended it need not end this read.
                Err(error) if error.code() != ErrorCode::TimedOut => self.read_again(block, deadline),
                outcome => outcome,
            },
        }
    }

    /// What others fetch of `blocks` is waited for now.
    fn hurry(&self, blocks: &Range<u64>, found: &[Found]) {
        let pending = |found: &Found| matches!(found, Found::Pending(_)) && found.missing().is_some();
        if found.iter().any(pending) {
            self.fetch.hurry(self.store.geometry().bytes(blocks));
        }
    }

    /// Fetches a run of claimed neighbours in as many requests as are worth their while.
    fn start(&self, mut run: Vec<Arc<Slot>>, urgency: Urgency, wanted: plan::Wanted) {
        // Where a host may be asked for less at once, it is asked for more each time.
        let at_once = u64::from(self.fetch.pace().at_once).min(self.plan_limits.max_connections);
        let limits = plan::Limits { max_connections: at_once, ..self.plan_limits };
        for piece in plan::split(blocks_of(&run), wanted, &limits) {
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

    fn wait(&self, slot: &Slot, deadline: Option<Instant>) -> Result<Block> {
        slot.wait(deadline).unwrap_or_else(|| {
            let limit = self.read_timeout.unwrap_or_default().as_millis();
            let message = format!("the read did not end within read_timeout_ms ({limit} ms)");
            Err(Error::new(ErrorCode::TimedOut, message))
        })
    }

    /// One more try for a block whose fetch by somebody else failed.
    fn read_again(&self, block: u64, deadline: Option<Instant>) -> Result<Block> {
        match self.ask(block..block + 1, true).pop() {
            Some(Found::Ready(content)) => Ok(content),
            Some(Found::Pending(slot) | Found::Claimed(slot)) => self.wait(&slot, deadline),
            None => Err(Error::new(ErrorCode::Internal, "a claim of one block gave none")),
        }
    }
}

/// The slots of what a read has to fetch.
fn claimed(found: &[Found]) -> Vec<Arc<Slot>> {
    let claimed =
        |found: &Found| if let Found::Claimed(slot) = found { Some(Arc::clone(slot)) } else { None };
    found.iter().filter_map(claimed).collect()
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
    let source = place(both, held).and_then(|at| block.get(at));
    let target = place(both, range).and_then(|at| buffer.get_mut(at));
    match (source, target) {
        (Some(source), Some(target)) => {
            target.copy_from_slice(source);
            Ok(())
        }
        _ => Err(not_held()),
    }
}

/// Where `part` is in what holds `whole`.
fn place(part: ByteRange, whole: ByteRange) -> Option<Range<usize>> {
    let at = |byte: u64| usize::try_from(byte.checked_sub(whole.start())?).ok();
    Some(at(part.start())?..at(part.end())?)
}

fn not_held() -> Error {
    Error::new(ErrorCode::Internal, "a block does not hold what it should")
}

#[cfg(test)]
mod tests;
