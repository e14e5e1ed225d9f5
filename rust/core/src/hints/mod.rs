//! What libhdf5 will read next, foretold from the metadata that is in memory.
//!
//! libhdf5 tells the driver what it reads and where. Metadata name other metadata: a group its objects, an
//! object header its continuations, trees and heaps, an index the chunks. [`Hints`] looks at such bytes as
//! soon as they are there and says what to fetch before it is asked for.
//!
//! Advice only. A hint may be wrong, or missing: requests differ then, bytes do not. All here is pure,
//! values in and values out, and bounded on any input: nothing panics, recurses or loops with the file.
//!
//! `format` parses; `crawler` follows metadata from the superblock on; `index` searches chunk indexes and
//! `chunks` remembers what they say, `survey` which nodes are worth
//! having; `walk` learns in which order a grid is read, `expect` foretells chunks.

#![allow(unexpected_cfgs, reason = "cargo-fuzz sets `fuzzing`")]

mod chunks;
mod crawler;
mod dataset;
mod expect;
mod format;
#[cfg(fuzzing)]
pub mod fuzzing;
mod index;
mod memory;
mod survey;
mod walk;

use std::collections::VecDeque;

use self::chunks::Chunks;
use self::crawler::Crawler;
use self::expect::Expectations;
use self::format::superblock;
pub(crate) use self::memory::Memory;
use self::survey::Survey;
use crate::floor::range::ByteRange;
use crate::reader::Foretold;
use crate::store::Supply;

/// What libhdf5 says a read is for (`H5FD_mem_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unknown: no hint is taken from it.
    Default,
    /// The superblock.
    Superblock,
    /// A node of a B-tree, or what else libhdf5 counts as such.
    BTree,
    /// Raw data.
    Raw,
    /// A global heap.
    GlobalHeap,
    /// A local heap.
    LocalHeap,
    /// An object header.
    ObjectHeader,
}

/// Why a range is worth fetching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Metadata that other metadata lead to.
    Metadata,
    /// A node of a chunk index that leads to chunks expected next, or the root of one.
    ChunkIndex,
    /// A node of a chunk index all of which is worth having, when there is time.
    WholeIndex,
    /// Raw data expected next.
    Chunk,
}

/// Bytes worth fetching now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) range: ByteRange,
    pub(crate) why: Why,
}

/// Reads of metadata that are remembered until their bytes are there and their dataset is known.
const MOST_NOTES: usize = 64;
const MOST_LOOKS: u8 = 8;

/// A read of metadata of libhdf5's.
#[derive(Debug)]
struct Note {
    range: ByteRange,
    /// How often it has been looked at in vain.
    looks: u8,
    /// Nobody had asked for it before.
    missing: bool,
}

/// What is known of one file, and what it says about the next reads.
#[derive(Debug)]
pub(crate) struct Hints {
    file_size: u64,
    /// Where the superblock is looked for next; whether it has been wished for there.
    places: VecDeque<u64>,
    wished: bool,
    crawler: Option<Crawler>,
    chunks: Chunks,
    expectations: Expectations,
    survey: Survey,
    notes: VecDeque<Note>,
}

impl Hints {
    pub(crate) fn new(file_size: u64) -> Self {
        Self {
            file_size,
            places: superblock::places(file_size).collect(),
            wished: false,
            crawler: None,
            chunks: Chunks::default(),
            expectations: Expectations::default(),
            survey: Survey::default(),
            notes: VecDeque::new(),
        }
    }

    /// A read of libhdf5's that is about to happen or has just happened.
    pub(crate) fn note(&mut self, kind: Kind, range: ByteRange, supply: Supply) {
        if kind == Kind::Raw || range.is_empty() {
            return;
        }
        if let Some(crawler) = &mut self.crawler {
            crawler.touched(range, kind == Kind::ObjectHeader);
        }
        if self.notes.len() >= MOST_NOTES {
            self.notes.pop_front();
        }
        self.notes.push_back(Note { range, looks: 0, missing: supply == Supply::Missing });
    }

    /// Bytes have come into memory, whoever asked for them. Call it after they can be got.
    pub(crate) fn landed(&mut self, range: ByteRange) {
        if let Some(crawler) = &mut self.crawler {
            crawler.landed(range);
        }
        self.expectations.landed(range);
        self.survey.landed(range);
    }

    /// Looks at what is in memory; ranges worth fetching now, most useful first, at most `most` of them.
    ///
    /// Each is told once. What `most` leaves out, and what the bound on the work of one call leaves undone,
    /// comes with the next call.
    pub(crate) fn advance(&mut self, memory: &dyn Memory, most: usize) -> Vec<Wish> {
        let mut wishes = self.find_superblock(memory, most);
        let Some(crawler) = &mut self.crawler else { return wishes };
        let rest = most.saturating_sub(wishes.len());
        wishes.extend(crawler.advance(memory, rest));
        let format = *crawler.format();
        for dataset in crawler.take_datasets() {
            self.chunks.add(dataset, &format);
        }
        self.learn(memory);
        wishes.extend(self.survey.advance(&mut self.chunks, memory, &format));
        if wishes.len() < most {
            wishes.extend(self.expectations.go_on(&mut self.chunks, memory, &format));
        }
        wishes
    }

    /// True where [`Hints::advance`] has more to do before other bytes land.
    pub(crate) fn has_more(&self) -> bool {
        self.crawler.as_ref().is_some_and(Crawler::has_more)
    }

    /// For a read of raw data that is about to happen: the chunks expected next, in that order, and nodes of
    /// the index on the way to more of them.
    pub(crate) fn expect_chunks(
        &mut self,
        range: ByteRange,
        supply: Supply,
        memory: &dyn Memory,
    ) -> Vec<Wish> {
        if self.expectations.goes_on(range, supply) {
            return Vec::new();
        }
        self.learn(memory);
        let Some(crawler) = &self.crawler else { return Vec::new() };
        self.expectations.read(range, supply, &mut self.chunks, memory, crawler.format())
    }

    /// What was wished for last was not fetched from this range on: there was no room.
    pub(crate) fn left_out(&mut self, range: ByteRange) {
        self.expectations.left_out(range, &self.chunks);
    }

    /// What is known of the reads after the last one of raw data.
    pub(crate) fn foretold(&self) -> Foretold {
        self.expectations.foretold()
    }

    /// Learns from the nodes of chunk indexes that libhdf5 has read.
    fn learn(&mut self, memory: &dyn Memory) {
        let Some(crawler) = &self.crawler else { return };
        let (chunks, survey, format) = (&mut self.chunks, &mut self.survey, crawler.format());
        self.notes.retain_mut(|note| {
            if std::mem::take(&mut note.missing)
                && let Some(dataset) = chunks.index_at(note.range)
            {
                survey.missed(dataset);
            }
            note.looks += 1;
            !chunks.learn(note.range, memory, format) && note.looks < MOST_LOOKS
        });
    }

    fn find_superblock(&mut self, memory: &dyn Memory, most: usize) -> Vec<Wish> {
        while let (None, Some(&place)) = (&self.crawler, self.places.front()) {
            let end = place.saturating_add(superblock::LENGTH).min(self.file_size);
            let range = ByteRange::new(place, end);
            match memory.get(range) {
                Some(bytes) => {
                    let found = superblock::superblock(&bytes, place, self.file_size);
                    self.crawler = found.as_ref().map(Crawler::new);
                    self.places.pop_front();
                    self.wished = false;
                }
                None if self.wished || most == 0 => break,
                None => {
                    self.wished = true;
                    return vec![Wish { range, why: Why::Metadata }];
                }
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
