//! Which chunks are wanted next. Pure.
//!
//! One stream a dataset: a walk over its grid, the chunks foretold from it, and a window in bytes that
//! doubles while reads of them have to wait, starts small again at the first that was not foretold, and shrinks to what
//! there is room for.

use std::collections::VecDeque;
use std::ops::Range;

use super::chunks::{Chunks, DatasetId, Place};
use super::dataset::Chunk;
use super::format::Format;
use super::index::Outcome;
use super::memory::Memory;
use super::walk::{Move, Walk};
use super::{Why, Wish};
use crate::floor::range::ByteRange;
use crate::reader::Foretold;
use crate::store::Supply;

const FIRST_WINDOW: u64 = 2 << 20;
const LARGEST_WINDOW: u64 = 32 << 20;
/// What may be fetched in each direction with the first chunk of a dataset.
const FIRST_TOUCH: u64 = 1 << 20;
/// Larger chunks are seldom read whole at first.
const LARGEST_AT_FIRST: u64 = 2 << 20;
/// The rest of a row whose length is known from another row is worth this much at once.
const ROW_WINDOW: u64 = 16 << 20;
const MOST_STREAMS: usize = 16;
/// Places looked at, and wishes made, in one call.
const MOST_PLACES: usize = 1024;
const MOST_WISHES: usize = 256;
const MOST_SEARCHES: u64 = 128;
/// Chunks so recently read that reading them again says nothing: the chunk cache dropped them.
const RECENT: usize = 64;

/// What has been read of a chunk, from its start on.
type Run = Range<u64>;

#[derive(Debug)]
struct Stream {
    dataset: DatasetId,
    walk: Walk,
    window: u64,
    /// Bytes foretold and read since the window last grew.
    used: u64,
    /// Foretold and not yet read, in order.
    ahead: VecDeque<Chunk>,
    ahead_bytes: u64,
    /// The last place that was foretold.
    frontier: Vec<u64>,
    /// The first chunk of those that were foretold last together.
    batch: Option<u64>,
    /// Chunks read lately, with where reading began in each.
    recent: VecDeque<(u64, u64)>,
    /// What was read of the last chunk that was left.
    run: Option<(Run, u64)>,
    /// A node of the index is missing, so that there is more to foretell than could be.
    blocked: bool,
    /// One of them has come since.
    stale: bool,
    nodes: VecDeque<ByteRange>,
}

/// The chunk being read.
#[derive(Clone, Debug)]
struct Current {
    place: Place,
    run: Run,
    /// How far it will be read, where that is known from another chunk.
    until: Option<u64>,
    /// A read in it had to wait for what was on its way, though its first bytes were there.
    late: bool,
}

/// What is foretold of all datasets of a file.
#[derive(Debug, Default)]
pub(crate) struct Expectations {
    /// Most recently read first.
    streams: VecDeque<Stream>,
    current: Option<Current>,
}

impl Expectations {
    /// True where a read goes on within the chunk of the one before; nothing new then.
    pub(crate) fn goes_on(&mut self, range: ByteRange, supply: Supply) -> bool {
        let Some(Current { place, run, late, .. }) = &mut self.current else { return false };
        let Some(offset) = range.start().checked_sub(place.chunk.start) else { return false };
        let end = offset.saturating_add(range.length());
        if end > place.chunk.length {
            return false;
        }
        *run = run.start.min(offset)..run.end.max(end);
        *late |= supply != Supply::Here;
        true
    }

    /// What is known of the reads after the one before this call.
    pub(crate) fn foretold(&self) -> Foretold {
        match &self.current {
            None => Foretold::Nothing,
            Some(current) if current.until.is_some_and(|until| current.run.end <= until) => {
                Foretold::ToTheEnd
            }
            Some(_) => Foretold::Chunks,
        }
    }

    /// A read of raw data: what is wanted after it.
    pub(crate) fn read(
        &mut self,
        range: ByteRange,
        supply: Supply,
        chunks: &mut Chunks,
        memory: &dyn Memory,
        format: &Format,
    ) -> Vec<Wish> {
        let left = self.current.take();
        let Some(place) = chunks.at(range.start(), format) else { return Vec::new() };
        let Some(dataset) = chunks.dataset(place.dataset) else { return Vec::new() };
        let coordinates = dataset.grid.coordinates(place.chunk.number);
        let from = range.start() - place.chunk.start;
        let run = from..from.saturating_add(range.length()).min(place.chunk.length);
        // Chunks that are read whole in one read, as filtered ones are, have no end to be known.
        let run_is_part = run.end - run.start < place.chunk.length;
        let mut stream = self.take(place.dataset);
        let mut supply = supply;
        if let Some(left) = left.filter(|left| left.place.dataset == place.dataset) {
            if left.late && supply == Supply::Here {
                supply = Supply::Underway;
            }
            stream.run = Some((left.run, left.place.chunk.length));
        }
        let until = stream.run_end(&place.chunk, &run);
        let mut wishes = rest_of(&place.chunk, &run, until);
        if stream.walk.place().is_empty() && !run_is_part {
            wishes.extend(neighbours(place.dataset, &coordinates, chunks, memory, format));
        }
        if stream.enter(&place.chunk, run.start, coordinates, supply) {
            wishes.extend(stream.fill(run.start, chunks, memory, format));
        }
        self.streams.push_front(stream);
        self.streams.truncate(MOST_STREAMS);
        self.current = Some(Current { place, run, until: until.filter(|_| run_is_part), late: false });
        wishes
    }

    /// Bytes have come into memory: perhaps the nodes that were missing.
    pub(crate) fn landed(&mut self, range: ByteRange) {
        if let Some(stream) = self.streams.front_mut().filter(|stream| stream.blocked) {
            stream.stale |= stream.nodes.iter().any(|node| !node.intersection(range).is_empty());
        }
    }

    /// What could not be foretold at the last read because the index lacked a node.
    pub(crate) fn go_on(&mut self, chunks: &mut Chunks, memory: &dyn Memory, format: &Format) -> Vec<Wish> {
        let start = self.current.as_ref().map_or(0, |current| current.run.start);
        match self.streams.front_mut().filter(|stream| stream.blocked && stream.stale) {
            Some(stream) => stream.fill(start, chunks, memory, format),
            None => Vec::new(),
        }
    }

    /// Chunks foretold last were not fetched, from the one at `range` on: they are foretold anew.
    pub(crate) fn left_out(&mut self, range: ByteRange, chunks: &Chunks) {
        if let Some(stream) = self.streams.front_mut() {
            stream.fall_back(range.start(), chunks);
        }
    }

    fn take(&mut self, dataset: DatasetId) -> Stream {
        let known = self.streams.iter().position(|stream| stream.dataset == dataset);
        known.and_then(|at| self.streams.remove(at)).unwrap_or_else(|| Stream {
            dataset,
            walk: Walk::default(),
            window: FIRST_WINDOW,
            used: 0,
            ahead: VecDeque::new(),
            ahead_bytes: 0,
            frontier: Vec::new(),
            batch: None,
            recent: VecDeque::new(),
            run: None,
            blocked: false,
            stale: false,
            nodes: VecDeque::new(),
        })
    }
}

impl Stream {
    /// Takes note that a chunk is read; false where no more can be foretold for it.
    fn enter(&mut self, chunk: &Chunk, start: u64, place: Vec<u64>, supply: Supply) -> bool {
        let foretold = self.ahead.iter().position(|ahead| ahead.number == chunk.number);
        let again = self.recent.contains(&(chunk.number, start));
        self.recent.push_back((chunk.number, start));
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        if again && foretold.is_none() {
            return false;
        }
        let kind = self.walk.go(place);
        if let Some(at) = foretold {
            let read: u64 = self.ahead.drain(..=at).map(|chunk| chunk.length).sum();
            self.ahead_bytes = self.ahead_bytes.saturating_sub(read);
            self.used = self.used.saturating_add(read);
            // Who waits for the first of a batch asked for too little before; who waits later, for too slow a network.
            let soon = self.batch == Some(chunk.number);
            if (soon || self.used.saturating_mul(2) >= self.window) && supply != Supply::Here {
                self.window = (self.window * 2).min(LARGEST_WINDOW);
                self.used = 0;
            }
        } else {
            self.window = if kind == (Move::Jump { row: true }) { ROW_WINDOW } else { FIRST_WINDOW };
            self.used = 0;
        }
        if foretold.is_none() || matches!(kind, Move::Jump { .. }) {
            self.ahead.clear();
            self.ahead_bytes = 0;
            self.frontier = self.walk.place().to_vec();
            self.blocked = false;
        }
        // Nothing more can be foretold until the missing nodes are there.
        !self.blocked
    }

    /// Forgets what was foretold from the chunk at `offset` on.
    fn fall_back(&mut self, offset: u64, chunks: &Chunks) {
        let holds = |chunk: &Chunk| (chunk.start..chunk.start.saturating_add(chunk.length)).contains(&offset);
        let Some(dataset) = chunks.dataset(self.dataset) else { return };
        let Some(at) = self.ahead.iter().position(holds) else { return };
        self.ahead.truncate(at);
        self.ahead_bytes = self.ahead.iter().map(|chunk| chunk.length).sum();
        // There will not be more room soon: what there is of it is used for a few large requests.
        self.window = self.ahead_bytes.max(FIRST_WINDOW);
        self.used = 0;
        self.frontier = match self.ahead.back() {
            Some(last) => dataset.grid.coordinates(last.number),
            None => self.walk.place().to_vec(),
        };
    }

    /// Where reading of the chunk that a read has just entered is likely to end.
    fn run_end(&self, chunk: &Chunk, run: &Run) -> Option<u64> {
        let (last, _) = self.run.as_ref()?;
        Some(run.start.saturating_add(last.end - last.start).min(chunk.length))
    }

    /// What of a chunk is likely to be read. `start`: where reading began in the current chunk.
    fn part(&self, chunk: &Chunk, place: &[u64], start: u64) -> ByteRange {
        let whole = 0..chunk.length;
        let part = match &self.run {
            None => whole,
            // A read that came to the end, as those of filtered chunks do, goes on at the start of others.
            Some((run, length)) if run.start == 0 && run.end == *length => whole,
            Some((run, _)) if self.walk.is_in_row(place) => start..start.saturating_add(run.end - run.start),
            Some((run, length)) if run.end == *length => whole,
            Some((run, _)) => run.clone(),
        };
        let start = chunk.start.saturating_add(part.start.min(chunk.length));
        ByteRange::new(start, chunk.start.saturating_add(part.end.min(chunk.length)))
    }

    /// Foretells chunks until the window is full.
    fn fill(&mut self, start: u64, chunks: &mut Chunks, memory: &dyn Memory, format: &Format) -> Vec<Wish> {
        let mut wishes = Vec::new();
        // Few large requests are better than many small ones.
        if self.ahead_bytes > self.window / 2 {
            return wishes;
        }
        let Some(dataset) = chunks.dataset(self.dataset) else { return wishes };
        let grid = dataset.grid.clone();
        let mut place = self.frontier.clone();
        let mut bytes = self.ahead_bytes;
        let before = self.ahead.len();
        // From the first missing node on, only nodes are looked for.
        let mut missing: Option<Range<u64>> = None;
        let searches = chunks.searches() + MOST_SEARCHES;
        for _ in 0..MOST_PLACES {
            if bytes >= self.window || wishes.len() >= MOST_WISHES || chunks.searches() >= searches {
                break;
            }
            let Some(next) = self.walk.after(&place, grid.counts()) else { break };
            let Some(number) = grid.number(&next) else { break };
            place = next;
            if missing.as_ref().is_some_and(|keys| chunks.is_under(self.dataset, number, keys)) {
                bytes = bytes.saturating_add(self.usual_length(grid.chunk_bytes()));
                continue;
            }
            match chunks.find(self.dataset, number, memory, format) {
                Outcome::Chunk(chunk) => {
                    bytes = bytes.saturating_add(chunk.length);
                    if missing.is_none() {
                        wishes.push(Wish { range: self.part(&chunk, &place, start), why: Why::Chunk });
                        self.ahead.push_back(chunk);
                        self.ahead_bytes = bytes;
                        self.frontier.clone_from(&place);
                    }
                }
                Outcome::Nothing if missing.is_none() => self.frontier.clone_from(&place),
                Outcome::Nothing => (),
                Outcome::Missing { node, keys } => {
                    if !self.nodes.contains(&node) {
                        self.nodes.push_back(node);
                        wishes.push(Wish { range: node, why: Why::ChunkIndex });
                    }
                    if self.nodes.len() > RECENT {
                        self.nodes.pop_front();
                    }
                    bytes = bytes.saturating_add(self.usual_length(grid.chunk_bytes()));
                    missing = Some(keys);
                }
            }
        }
        if let Some(first) = self.ahead.get(before) {
            self.batch = Some(first.number);
        }
        self.blocked = missing.is_some();
        self.stale = false;
        wishes
    }

    /// A guess at the stored length of a chunk that has not been seen in the index.
    fn usual_length(&self, unfiltered: u64) -> u64 {
        self.run.as_ref().map_or(unfiltered, |(_, length)| *length).max(1)
    }
}

/// The chunks after the first that is read of a dataset, in every direction: nothing is known yet of the order, and
/// one of them is most likely next.
fn neighbours(
    id: DatasetId,
    place: &[u64],
    chunks: &mut Chunks,
    memory: &dyn Memory,
    format: &Format,
) -> Vec<Wish> {
    let mut wishes = Vec::new();
    let Some(grid) = chunks.dataset(id).map(|dataset| dataset.grid.clone()) else { return wishes };
    if grid.chunk_bytes() > LARGEST_AT_FIRST * 2 {
        return wishes;
    }
    for dim in (0..place.len()).rev() {
        let mut next = place.to_vec();
        let mut bytes = 0;
        while bytes < FIRST_TOUCH && wishes.len() < MOST_WISHES {
            let Some(at) = next.get_mut(dim) else { break };
            *at = at.saturating_add(1);
            let Some(number) = grid.number(&next) else { break };
            let Outcome::Chunk(chunk) = chunks.find(id, number, memory, format) else { break };
            let range = ByteRange::new(chunk.start, chunk.start.saturating_add(chunk.length));
            wishes.push(Wish { range, why: Why::Chunk });
            bytes += range.length();
        }
    }
    wishes
}

/// The rest of what is likely to be read of a chunk.
fn rest_of(chunk: &Chunk, run: &Run, until: Option<u64>) -> Vec<Wish> {
    let end = chunk.start.saturating_add(until.unwrap_or(0));
    let range = ByteRange::new(chunk.start.saturating_add(run.end).min(end), end);
    if range.is_empty() { Vec::new() } else { vec![Wish { range, why: Why::Chunk }] }
}

#[cfg(test)]
mod tests;
