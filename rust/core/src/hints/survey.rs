//! Which nodes of chunk indexes are worth having before libhdf5 comes to them. Pure.
//!
//! A small index is fetched as soon as its dataset is known. A large one costs libhdf5 a round trip at every jump to
//! where it has not been; once these add up to what all nodes would take, they are fetched: rent or buy.

use std::collections::HashMap;

use super::chunks::{Chunks, DatasetId};
use super::format::Format;
use super::memory::Memory;
use super::{Why, Wish};
use crate::floor::range::ByteRange;

/// Nodes of one dataset, and of all, that are fetched though nobody has asked for any.
const FREE_NODES: usize = 16;
const FREE_NODES_OF_ALL: usize = 64;
/// The same for their length.
const LONGEST_FREE_NODE: u64 = 64 << 10;
/// Nodes that take as long to fetch as one round trip: some of them are fetched at once.
const NODES_PER_MISS: usize = 32;
/// Misses that say little.
const FREE_MISSES: usize = 4;
/// Nodes and their bytes that are fetched of one index at the most.
const MOST_NODES: usize = 4096;
const MOST_BYTES: u64 = 4 << 20;

/// What is known of one index.
#[derive(Debug, Default)]
struct Index {
    /// Nodes that have not been wished for.
    known: Vec<ByteRange>,
    /// Reads of nodes that had to wait.
    misses: usize,
    nodes: usize,
    bytes: u64,
}

/// The indexes of a file.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    indexes: HashMap<DatasetId, Index>,
    /// Wished for, and not looked at so far.
    waiting: Vec<ByteRange>,
    free: usize,
}

impl Survey {
    /// libhdf5 reads a node that is not in memory.
    pub(crate) fn missed(&mut self, dataset: DatasetId) {
        self.indexes.entry(dataset).or_default().misses += 1;
    }

    /// The nodes worth fetching now. Each is told once.
    pub(crate) fn advance(&mut self, chunks: &mut Chunks, memory: &dyn Memory, format: &Format) -> Vec<Wish> {
        self.waiting.retain(|node| !chunks.learn(*node, memory, format));
        for (dataset, node) in chunks.take_nodes() {
            self.indexes.entry(dataset).or_default().known.push(node);
        }
        let mut wishes = Vec::new();
        for index in self.indexes.values_mut() {
            for node in index.choose(&mut self.free) {
                self.waiting.push(node);
                wishes.push(Wish { range: node, why: Why::ChunkIndex });
            }
        }
        wishes
    }
}

impl Index {
    fn choose(&mut self, free: &mut usize) -> Vec<ByteRange> {
        let count = self.known.len();
        let bytes: u64 = self.known.iter().map(|node| node.length()).sum();
        if count == 0 {
            return Vec::new();
        }
        let bought = self.misses >= FREE_MISSES + count / NODES_PER_MISS
            && self.nodes + count <= MOST_NODES
            && self.bytes + bytes <= MOST_BYTES;
        let small = self.nodes + count <= FREE_NODES
            && *free + count <= FREE_NODES_OF_ALL
            && self.known.iter().all(|node| node.length() <= LONGEST_FREE_NODE);
        if !bought && !small {
            return Vec::new();
        }
        if !bought {
            *free += count;
        }
        self.nodes += count;
        self.bytes += bytes;
        std::mem::take(&mut self.known)
    }
}

#[cfg(test)]
mod tests;
