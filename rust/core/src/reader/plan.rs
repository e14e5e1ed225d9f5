//! How missing blocks become requests. Pure.

use std::ops::Range;

use crate::transport::Pace;

/// What somebody waits for is split from this much on: the halves come sooner over two connections. So a read of 5 MB
/// takes two requests.
const LARGEST_DEMAND_BYTES: u64 = 2_621_440;
/// Pieces of guesses are as large as this part of what has been read: a reader who has just begun soon waits for them,
/// and one connection is slower than he; one who has read much costs few requests.
const READ_SHARE: u64 = 5;
/// The largest are a part of the file, between these bounds: the last ones have few others beside them.
const FILE_SHARE: u64 = 25;
const LARGE_PIECE_BYTES: u64 = 4 << 20;
const LARGEST_PIECE_BYTES: u64 = 16 << 20;

/// Connections that fill a typical link.
const CONNECTIONS: u64 = 4;
/// However slow a first byte is: gaps are paid for by the budget of guesses.
const LARGEST_GAP_BYTES: u64 = 1 << 20;

/// What bounds the pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) block_size: u64,
    /// Blocks of the smallest request for bytes that a read lacks and nothing was known of.
    pub(crate) least_blocks: u64,
    /// Most bytes of one request.
    pub(crate) max_chunk_size: u64,
    /// Connections that may work at once.
    pub(crate) max_connections: u64,
}

/// How soon what is fetched will be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A read waits for it.
    Now,
    /// A guess, in pieces of at least so many bytes.
    Soon { piece: u64 },
}

/// The least piece of a guess, in bytes, after so many have been read.
pub(crate) fn guess_piece(read: u64, file_size: u64) -> u64 {
    let largest = (file_size / FILE_SHARE).clamp(LARGE_PIECE_BYTES, LARGEST_PIECE_BYTES);
    (read / READ_SHARE).clamp(LARGEST_DEMAND_BYTES, largest)
}

/// Cuts a run of neighbouring blocks into requests that together take the least time.
///
/// Every block is in exactly one piece, in order; pieces are of nearly one size, none over
/// `max_chunk_size` (but for a single block that is larger), and none made smaller than 1.25 MiB, or than a
/// guess's piece, for the sake of another connection.
pub(crate) fn split(run: Range<u64>, wanted: Wanted, limits: &Limits) -> Vec<Range<u64>> {
    let blocks = run.end.saturating_sub(run.start);
    if blocks == 0 {
        return Vec::new();
    }
    let bytes = blocks.saturating_mul(limits.block_size);
    let most_blocks = (limits.max_chunk_size / limits.block_size).max(1);
    let worthwhile = match wanted {
        Wanted::Now => bytes.div_ceil(LARGEST_DEMAND_BYTES),
        // Who has just begun soon waits.
        Wanted::Soon { piece: LARGEST_DEMAND_BYTES } => bytes.div_ceil(LARGEST_DEMAND_BYTES),
        Wanted::Soon { piece } => bytes / piece.max(1),
    };
    let worthwhile = worthwhile.clamp(1, limits.max_connections.max(1));
    let pieces = worthwhile.max(blocks.div_ceil(most_blocks)).min(blocks);
    // The first `longer` pieces take one block more.
    let (each, longer) = (blocks / pieces, blocks % pieces);
    let mut start = run.start;
    (0..pieces)
        .map(|i| {
            let end = start + each + u64::from(i < longer);
            std::mem::replace(&mut start, end)..end
        })
        .collect()
}

/// The blocks worth fetching with those of a run that a read lacks: with `least_blocks` at the least. Data go on after
/// what is read of them, and what lies before it would come first; metadata lie around each other, and come in
/// multiples of `least_blocks`.
pub(crate) fn widen(run: Range<u64>, data: bool, limits: &Limits) -> Range<u64> {
    let unit = limits.least_blocks;
    if run.end.saturating_sub(run.start) >= unit {
        return run;
    }
    if data {
        return run.start..run.start.saturating_add(unit);
    }
    run.start / unit * unit..run.end.div_ceil(unit).saturating_mul(unit)
}

/// All blocks of ranges that do not meet.
pub(crate) fn count(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end.saturating_sub(range.start)).sum()
}

/// How many of things that take so many blocks each, from the first on, take together at most `most`; a last one that
/// begins within them counts.
pub(crate) fn prefix(costs: impl IntoIterator<Item = u64>, most: u64) -> usize {
    let mut total = 0_u64;
    costs
        .into_iter()
        .take_while(|cost| {
            let room = *cost == 0 || total < most;
            total = total.saturating_add(*cost);
            room
        })
        .count()
}

/// The bytes between two ranges that cost less than a second request: what one connection of the few that fill the
/// link would have brought while it waits for a first byte.
pub(crate) fn worthwhile_gap(pace: Pace) -> u64 {
    let micros = u64::try_from(pace.first_byte.as_micros()).unwrap_or(u64::MAX);
    let while_waiting = micros.saturating_mul(pace.rate) / 1_000_000;
    (while_waiting / CONNECTIONS).min(LARGEST_GAP_BYTES)
}

/// Sorts ranges of blocks and joins those with at most `gap` blocks between them, and no more than one and a half
/// times what the second one has: what is fetched in vain stays in proportion.
pub(crate) fn join(ranges: Vec<Range<u64>>, gap: u64) -> Vec<Range<u64>> {
    join_by(ranges, |range| gap.min((range.end - range.start).saturating_mul(3) / 2))
}

/// Sorts ranges of blocks and joins those with fewer than `unit` blocks between them.
pub(crate) fn near(ranges: Vec<Range<u64>>, unit: u64) -> Vec<Range<u64>> {
    join_by(ranges, |_| unit.saturating_sub(1))
}

/// Sorts ranges and joins each to the one before it if the gap is at most what `largest_gap` says.
fn join_by(mut ranges: Vec<Range<u64>>, largest_gap: impl Fn(&Range<u64>) -> u64) -> Vec<Range<u64>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(largest_gap(&range)) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
