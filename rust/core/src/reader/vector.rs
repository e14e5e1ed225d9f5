//! Vector reads: many pieces in one call. All that they lack is on its way before any of it is waited for.
//!
//! A strided selection comes as hundreds of thousands of pieces of a few bytes. What is worked with are the runs
//! of blocks in which they lie; a piece by itself costs a copy.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{Foretold, Reader, add, blocks_of, claimed, neighbours, not_held, place, plan};
use crate::floor::error::Result;
use crate::floor::range::ByteRange;
use crate::store::{Block, Found, Geometry, Slot, Supply};
use crate::transport::Urgency;

/// Pieces that lead over so many bytes are a walk that may go on, as single reads of them would be: it counts as two
/// reads, of which the second continues the first. Half as much is read ahead then at the most.
const LONG_WALK_BYTES: u64 = 2 << 20;

/// As much of what a vector read is made of as the reader has to know.
pub(crate) trait Piece {
    /// Which bytes of the file. Must lie in it.
    fn range(&self) -> ByteRange;
    /// Where they go: as many bytes.
    fn buffer(&self) -> &[Cell<u8>];
}

/// What there was of some runs of blocks when they were wanted.
struct FoundRuns {
    /// In ascending order, none touching another.
    runs: Vec<Range<u64>>,
    /// Of all blocks of all runs in their order.
    found: Vec<Found>,
    /// Where in `found` each run begins.
    starts: Vec<usize>,
}

impl FoundRuns {
    /// Where in `found` a block of the runs is.
    fn at(&self, block: u64) -> Option<usize> {
        let run = self.runs.partition_point(|run| run.start <= block).checked_sub(1)?;
        let offset = usize::try_from(block - self.runs.get(run)?.start).ok()?;
        Some(self.starts.get(run)? + offset)
    }

    /// Blocks that somebody else fetches and that are not there yet.
    fn pending(&self) -> Vec<Range<u64>> {
        let blocks = self.runs.iter().cloned().flatten();
        let pending = |found: &Found| matches!(found, Found::Pending(_)) && found.missing().is_some();
        blocks
            .zip(&self.found)
            .filter(|(_, found)| pending(found))
            .map(|(block, _)| block..block + 1)
            .collect()
    }
}

impl Reader {
    /// Fills the buffers of `pieces`, or fails.
    ///
    /// `foretell` is called as that of [`Reader::read`] is, with the pieces that are on their way then: all of them,
    /// unless they are too many for the cache. Only vectors of `data` make streams.
    pub(crate) fn read_vector<P: Piece>(
        &self,
        pieces: &[P],
        data: bool,
        mut foretell: impl FnMut(&[P], Supply) -> Foretold,
    ) -> Result<()> {
        add(&self.counters.reads, 1);
        add(&self.counters.read_bytes, pieces.iter().map(|piece| piece.range().length()).sum());
        let (deadline, most) = (self.deadline(), self.most_blocks());
        let unit = self.plan_limits.least_blocks;
        let mut rest = pieces;
        while !rest.is_empty() {
            let (count, runs) = part(rest, self.store.geometry(), unit, most);
            let (now, later) = rest.split_at(count);
            rest = later;
            if plan::count(&runs) <= most {
                self.read_part(now, runs, data, deadline, &mut foretell)?;
                continue;
            }
            // One piece that is larger than what the cache has room for.
            let mut foretell = |pieces: &[P], supply| foretell(pieces, supply);
            for run in runs {
                for start in (run.start..run.end).step_by(usize::try_from(most).unwrap_or(usize::MAX)) {
                    let window = start..run.end.min(start.saturating_add(most));
                    self.read_part(now, vec![window], data, deadline, &mut foretell)?;
                }
            }
        }
        Ok(())
    }

    /// Reads what `runs` have of `pieces`.
    fn read_part<P: Piece>(
        &self,
        pieces: &[P],
        runs: Vec<Range<u64>>,
        data: bool,
        deadline: Option<Instant>,
        foretell: &mut impl FnMut(&[P], Supply) -> Foretold,
    ) -> Result<()> {
        let mut wanted = self.ask_runs(runs, data);
        let supply = Supply::of(&wanted.found);
        let foretold = foretell(pieces, supply);
        if data {
            self.look_ahead_of(pieces, &wanted.runs, supply, foretold);
        }
        self.hurry_runs(&wanted);
        self.note_lateness(&wanted.found, data, deadline);
        self.copy_pieces(pieces, &mut wanted, deadline)
    }

    /// Starts fetching what a read lacks of `runs`.
    fn ask_runs(&self, runs: Vec<Range<u64>>, data: bool) -> FoundRuns {
        let mut found = Vec::new();
        let mut starts = Vec::with_capacity(runs.len());
        for run in &runs {
            starts.push(found.len());
            found.append(&mut self.claim(run.clone()));
        }
        self.demand_places(claimed(&found), data);
        FoundRuns { runs, found, starts }
    }

    /// Starts fetching what a vector read lacks, wherever that is.
    ///
    /// Between near places all is fetched, as for reads of each by itself. Around scattered ones nothing is, for all
    /// that is wanted is known, but for gaps that cost less than another request.
    fn demand_places(&self, claimed: Vec<Arc<Slot>>, data: bool) {
        if claimed.is_empty() {
            return;
        }
        add(&self.counters.round_trips, 1);
        let geometry = self.store.geometry();
        let mut slots = claimed;
        let runs = neighbours(slots.clone());
        let runs = runs.iter().map(|run| blocks_of(run)).collect();
        let mut places = plan::near(runs, self.plan_limits.least_blocks);
        if let [place] = &mut *places {
            let wide = plan::widen(place.clone(), data, &self.plan_limits);
            *place = wide.start..wide.end.min(geometry.count());
        }
        for place in &places {
            slots.extend(self.store.claim_company(place.clone()));
        }
        self.ahead().budget.asked(slots.len() as u64 * geometry.block_size);
        if places.len() > 1 {
            if self.completion_pays(places.len()) {
                places.push(0..geometry.count());
            }
            for range in self.joined(places) {
                let gaps = self.store.claim_guesses(range, u64::MAX);
                self.guessed(gaps.len() as u64 * geometry.block_size);
                slots.extend(gaps);
            }
        }
        slots.sort_by_key(|slot| slot.block());
        for run in neighbours(slots) {
            self.start(run, Urgency::Demand, plan::Wanted::Now);
        }
        self.complete_after_miss();
    }

    /// Starts fetching what is likely to be read after a vector whose pieces lie near each other. One of scattered
    /// places says nothing of what lies behind any of them.
    fn look_ahead_of<P: Piece>(&self, pieces: &[P], runs: &[Range<u64>], supply: Supply, foretold: Foretold) {
        let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return };
        let before = self.last_block.swap(last.end - 1, Ordering::Relaxed);
        let stays = last.end - first.start == 1 && before == first.start && supply == Supply::Here;
        if stays || (runs.len() > 1 && plan::near(runs.to_vec(), self.plan_limits.least_blocks).len() > 1) {
            return;
        }
        let hull =
            |a: ByteRange, b: ByteRange| ByteRange::new(a.start().min(b.start()), a.end().max(b.end()));
        let ranges = pieces.iter().map(Piece::range).filter(|range| !range.is_empty());
        let Some(extent) = ranges.reduce(hull) else { return };
        if pieces.len() > 1 && extent.length() >= LONG_WALK_BYTES {
            let middle = extent.start() + extent.length() / 2;
            self.look_ahead(ByteRange::new(extent.start(), middle), supply, foretold);
            self.look_ahead(ByteRange::new(middle, extent.end()), supply, foretold);
        } else {
            self.look_ahead(extent, supply, foretold);
        }
    }

    /// What others fetch is waited for now.
    fn hurry_runs(&self, wanted: &FoundRuns) {
        for blocks in plan::join(wanted.pending(), 0) {
            self.fetch.hurry(self.store.geometry().bytes(&blocks));
        }
    }

    /// Copies what the wanted blocks have of `pieces`, in order, each as soon as it is there.
    fn copy_pieces<P: Piece>(
        &self,
        pieces: &[P],
        wanted: &mut FoundRuns,
        deadline: Option<Instant>,
    ) -> Result<()> {
        let geometry = self.store.geometry();
        let (Some(first), Some(last)) = (wanted.runs.first(), wanted.runs.last()) else { return Ok(()) };
        let window = geometry.bytes(&(first.start..last.end));
        // Most pieces lie in the block of the one before.
        let mut here: Option<(ByteRange, Block)> = None;
        for piece in pieces {
            let range = piece.range();
            let part = range.intersection(window);
            let mut start = part.start();
            while start < part.end() {
                let (held, block) = match here.take() {
                    Some(here) if here.0.start() <= start && start < here.0.end() => here,
                    _ => {
                        let block = start / geometry.block_size;
                        (geometry.bytes(&(block..block + 1)), self.take_block(wanted, block, deadline)?)
                    }
                };
                copy(&block, held, range, piece.buffer())?;
                start = held.end();
                here = Some((held, block));
            }
        }
        Ok(())
    }

    /// The bytes of one of the wanted blocks. Waits for them.
    fn take_block(&self, wanted: &mut FoundRuns, block: u64, deadline: Option<Instant>) -> Result<Block> {
        let at = wanted.at(block).ok_or_else(not_held)?;
        let rest = wanted.found.get(at..).unwrap_or_default();
        let Some(found) = rest.first() else { return Err(not_held()) };
        if found.missing().is_some() {
            // Awake once for several; what comes of each is looked at when it is its turn.
            let batch = &rest[..rest.len().min(self.batch())];
            if let Some(last) = batch.iter().rev().find_map(Found::missing) {
                last.wait(deadline);
            }
        }
        let content = self.content(block, found, deadline)?;
        if let Some(found) = wanted.found.get_mut(at) {
            *found = Found::Ready(Arc::clone(&content));
        }
        Ok(content)
    }
}

/// How many of `pieces`, from the first on, take at most `most` blocks, what lies between near ones included: at least
/// one piece. And the blocks in which they lie.
fn part<P: Piece>(pieces: &[P], geometry: Geometry, unit: u64, most: u64) -> (usize, Vec<Range<u64>>) {
    let mut runs: Vec<Range<u64>> = Vec::new();
    let mut blocks = 0_u64;
    // The bytes of the last run: most pieces lie in them.
    let mut last_bytes = ByteRange::new(0, 0);
    for (at, piece) in pieces.iter().enumerate() {
        let range = piece.range();
        let inside = last_bytes.start() <= range.start() && range.end() <= last_bytes.end();
        if range.is_empty() || inside {
            continue;
        }
        let wanted = geometry.blocks(range);
        let near =
            |run: &&mut Range<u64>| run.start <= wanted.start && wanted.start < run.end.saturating_add(unit);
        let last = runs.last_mut().filter(near);
        let more = wanted.end.saturating_sub(last.as_ref().map_or(wanted.start, |run| run.end));
        if blocks > 0 && blocks.saturating_add(more) > most {
            return (at, plan::join(runs, 0));
        }
        blocks = blocks.saturating_add(more);
        let run = match last {
            Some(run) if wanted.start <= run.end => {
                run.end = run.end.max(wanted.end);
                run.clone()
            }
            _ => {
                runs.push(wanted.clone());
                wanted
            }
        };
        last_bytes = geometry.bytes(&run);
    }
    (pieces.len(), plan::join(runs, 0))
}

/// Copies what a block that holds `held` has of `range` to its place in `buffer`, which holds `range`.
fn copy(block: &[u8], held: ByteRange, range: ByteRange, buffer: &[Cell<u8>]) -> Result<()> {
    let both = held.intersection(range);
    let source = place(both, held).and_then(|at| block.get(at)).ok_or_else(not_held)?;
    let target = place(both, range).and_then(|at| buffer.get(at)).ok_or_else(not_held)?;
    for (to, from) in target.iter().zip(source) {
        to.set(*from);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
