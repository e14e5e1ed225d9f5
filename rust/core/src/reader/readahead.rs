//! How far to fetch beyond what a read needs. Pure.
//!
//! Reads that go on where an earlier one stopped form a stream. A stream's window grows with every
//! fetch that proves it sequential and starts small again elsewhere: a jump opens a new stream, so
//! that several interleaved ones keep their windows. A budget over the file's life keeps guessing
//! in proportion to what was asked for.

use std::collections::VecDeque;
use std::ops::Range;

/// By how much a window grows with each sequential miss.
const GROWTH: f64 = 1.7;
/// Streams that are remembered.
const STREAMS: usize = 8;
/// Bytes that may be guessed before any guess has been asked for.
const FREE_BYTES: u64 = 16 << 20;
/// From here on a read costs at most twice its bytes.
const LARGE_READ_BYTES: u64 = 1 << 20;

/// What bounds the windows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) block_size: u64,
    /// Most bytes of one fetch, guess included.
    pub(crate) max_chunk_size: u64,
}

/// One run of reads through the file.
#[derive(Clone, Copy, Debug)]
struct Stream {
    /// First block that has not been fetched for it.
    frontier: u64,
    window_bytes: u64,
}

/// What the reads so far say about the next.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// Most recently used first.
    streams: VecDeque<Stream>,
    /// Bytes that reads had to fetch, and that were fetched beyond that.
    asked_bytes: u64,
    ahead_bytes: u64,
}

impl ReadAhead {
    /// How many blocks to fetch after `missing`, the last run of blocks that a read lacks.
    ///
    /// `needed_bytes` is everything that the read lacks. The answer is in whole blocks, 0 where the
    /// read is the first of its kind, where the budget is spent, or for a large read where the window
    /// is not larger than the read itself.
    pub(crate) fn blocks_beyond(&mut self, missing: &Range<u64>, needed_bytes: u64, limits: &Limits) -> u64 {
        let block = limits.block_size;
        self.asked_bytes = self.asked_bytes.saturating_add(needed_bytes);
        let known = self.streams.iter().position(|stream| {
            let reach = stream.frontier.saturating_add(stream.window_bytes / block);
            (stream.frontier..=reach).contains(&missing.start)
        });
        let mut stream = match known.and_then(|at| self.streams.remove(at)) {
            Some(stream) => Stream { window_bytes: grown(stream.window_bytes, limits), ..stream },
            None => Stream { frontier: 0, window_bytes: block },
        };
        let beyond = stream.window_bytes.saturating_sub(needed_bytes);
        let proportionate = if needed_bytes >= LARGE_READ_BYTES { beyond.min(needed_bytes) } else { beyond };
        let budget = (self.asked_bytes.saturating_add(FREE_BYTES)).saturating_sub(self.ahead_bytes);
        let blocks = proportionate.min(budget) / block;
        stream.frontier = missing.end.saturating_add(blocks);
        self.streams.push_front(stream);
        self.streams.truncate(STREAMS);
        blocks
    }

    /// Tells how much of the answer was really fetched, less where it was there already.
    pub(crate) fn fetched_ahead(&mut self, bytes: u64) {
        self.ahead_bytes = self.ahead_bytes.saturating_add(bytes);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a window is a rough size"
)]
fn grown(window_bytes: u64, limits: &Limits) -> u64 {
    let most = limits.max_chunk_size.max(limits.block_size);
    ((window_bytes as f64 * GROWTH) as u64).min(most)
}

#[cfg(test)]
mod tests;
