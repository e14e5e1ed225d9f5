//! Which nodes of chunk indexes are worth having before libhdf5 comes to them. Pure.
//!
//! A small index is fetched as soon as its dataset is known. A large one costs libhdf5 a round trip at every jump to
//! where it has not been; once these add up to what all nodes would take, they are fetched: rent or buy.

use std::collections::{BTreeMap, HashMap};

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
/// Nodes that are worth one round trip of libhdf5's: they are fetched several at once, and when there is time.
const NODES_PER_MISS: usize = 512;
/// Misses that say little.
const FREE_MISSES: usize = 3;
/// Nodes and their bytes that are fetched of one index at the most.
const MOST_NODES: usize = 4096;
const MOST_BYTES: u64 = 4 << 20;
/// From an index's root to its leaves, in one call.
const MOST_LEVELS: usize = 8;
/// Longer nodes are not recognized by their last bytes.
const LONGEST_NODE: u64 = 1 << 20;

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
    /// Wished for, and not there so far, by where they begin; and those of which bytes have come.
    waiting: BTreeMap<u64, ByteRange>,
    landed: Vec<ByteRange>,
    free: usize,
}

impl Survey {
    /// libhdf5 reads a node that is not in memory.
    pub(crate) fn missed(&mut self, dataset: DatasetId) {
        self.indexes.entry(dataset).or_default().misses += 1;
    }

    /// Bytes have come into memory.
    pub(crate) fn landed(&mut self, range: ByteRange) {
        let from = range.start().saturating_sub(LONGEST_NODE);
        let near = self.waiting.range(from..range.end());
        let met = near.filter(|(_, node)| !node.intersection(range).is_empty());
        let starts: Vec<u64> = met.map(|(start, _)| *start).collect();
        self.landed.extend(starts.iter().filter_map(|start| self.waiting.remove(start)));
    }

    /// The nodes worth fetching now. Each is told once.
    pub(crate) fn advance(&mut self, chunks: &mut Chunks, memory: &dyn Memory, format: &Format) -> Vec<Wish> {
        let mut wishes = Vec::new();
        // A node that is there already leads to others.
        for _ in 0..MOST_LEVELS {
            for node in std::mem::take(&mut self.landed) {
                if !chunks.learn(node, memory, format) {
                    self.waiting.insert(node.start(), node);
                } else if let Some(dataset) = chunks.index_at(node)
                    && self.indexes.get(&dataset).is_some_and(|index| index.nodes <= FREE_NODES)
                {
                    chunks.sample(dataset, memory, format);
                }
            }
            for (dataset, node) in chunks.take_nodes() {
                self.indexes.entry(dataset).or_default().known.push(node);
            }
            for index in self.indexes.values_mut() {
                let (nodes, why) = index.choose(&mut self.free);
                self.landed.extend_from_slice(&nodes);
                let missing = nodes.into_iter().filter(|node| memory.get(*node).is_none());
                wishes.extend(missing.map(|range| Wish { range, why }));
            }
            if self.landed.is_empty() {
                break;
            }
        }
        wishes
    }
}

impl Index {
    fn choose(&mut self, free: &mut usize) -> (Vec<ByteRange>, Why) {
        let count = self.known.len();
        let bytes: u64 = self.known.iter().map(|node| node.length()).sum();
        if count == 0 {
            return (Vec::new(), Why::ChunkIndex);
        }
        let bought = self.misses >= FREE_MISSES + count / NODES_PER_MISS
            && self.nodes + count <= MOST_NODES
            && self.bytes + bytes <= MOST_BYTES;
        let small = self.nodes + count <= FREE_NODES
            && *free + count <= FREE_NODES_OF_ALL
            && self.known.iter().all(|node| node.length() <= LONGEST_FREE_NODE);
        if !bought && !small {
            return (Vec::new(), Why::ChunkIndex);
        }
        if !bought {
            *free += count;
        }
        self.nodes += count;
        self.bytes += bytes;
        (std::mem::take(&mut self.known), if bought { Why::WholeIndex } else { Why::ChunkIndex })
    }
}

#[cfg(test)]
mod tests;
