//! Chunk indexes of all kinds as one thing: nodes, of which each leads nearer to a chunk.
//!
//! A search goes from the root by keys. The key of a chunk is its number in the grid for trees, its
//! element's index for arrays. Whatever nodes it passes give up what else they know: chunks, and where
//! other nodes are.

mod view;

use std::ops::Range;

use self::view::View;
use super::dataset::{Chunk, Dataset, Grid};
use super::format::fixed_array::{Elements, Paging};
use super::format::layout::Index;
use super::format::{Format, btree_v1, btree_v2, extensible_array, fixed_array};
use super::memory::Memory;
use crate::floor::range::ByteRange;

/// Nodes on the longest path that is followed.
const MOST_STEPS: usize = 24;

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Chunk(Chunk),
    /// There is no such chunk, or the index cannot be understood.
    Nothing,
    /// This node of the index is not in memory; it has the keys of `keys`.
    Missing {
        node: ByteRange,
        keys: Range<u64>,
    },
}

/// Where a node of an index lies, to recognize it when libhdf5 reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Landmark {
    pub(crate) range: ByteRange,
    /// A key that leads to the node.
    pub(crate) key: u64,
    pub(crate) paging: Option<Paging>,
}

/// What a search came to know on its way.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) landmarks: Vec<Landmark>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    BtreeV1(u64),
    BtreeV2Header(u64),
    BtreeV2(btree_v2::Tree, btree_v2::Node),
    FixedHeader(u64),
    FixedBlock(fixed_array::Array),
    ExtensibleHeader(u64),
    IndexBlock(extensible_array::Array),
    SuperBlock(extensible_array::Array, extensible_array::SuperBlock),
    DataBlock(extensible_array::Array, extensible_array::DataBlock),
    Elements(Elements),
}

/// Where a node of an index begins, as the layout message has it.
fn root(index: Index) -> Option<Node> {
    match index {
        Index::BtreeV1(address) => Some(Node::BtreeV1(address)),
        Index::BtreeV2(address) => Some(Node::BtreeV2Header(address)),
        Index::FixedArray(address) => Some(Node::FixedHeader(address)),
        Index::ExtensibleArray(address) => Some(Node::ExtensibleHeader(address)),
        Index::Single(..) | Index::Implicit(_) => None,
    }
}

/// The root node's bytes; `None` where the index needs none.
pub(crate) fn root_range(dataset: &Dataset, format: &Format) -> Option<ByteRange> {
    root(dataset.index)?.range(&dataset.grid, format)
}

/// The key under which the index has a chunk.
pub(crate) fn key(dataset: &Dataset, number: u64) -> Option<u64> {
    match dataset.index {
        Index::BtreeV1(_) | Index::BtreeV2(_) | Index::Single(..) => Some(number),
        Index::FixedArray(_) | Index::ExtensibleArray(_) | Index::Implicit(_) => {
            dataset.grid.array_index(number)
        }
    }
}

/// Looks for the chunk of `key`.
pub(crate) fn search(
    dataset: &Dataset,
    key: u64,
    memory: &dyn Memory,
    format: &Format,
    seen: &mut Seen,
) -> Outcome {
    let Some(mut node) = root(dataset.index) else {
        return without_index(dataset, key, format).map_or(Outcome::Nothing, Outcome::Chunk);
    };
    let mut keys = 0..u64::MAX;
    for _ in 0..MOST_STEPS {
        let Some(range) = node.range(&dataset.grid, format) else { break };
        let Some(bytes) = memory.get(range) else {
            return Outcome::Missing { node: range, keys };
        };
        let mut view = View { grid: &dataset.grid, bytes: &bytes, format, key, seen };
        match view.open(&node, &keys) {
            Some(Step::Chunk(chunk)) => return Outcome::Chunk(chunk),
            Some(Step::Node(next, span)) => (node, keys) = (next, span),
            None => break,
        }
    }
    Outcome::Nothing
}

fn without_index(dataset: &Dataset, key: u64, format: &Format) -> Option<Chunk> {
    let bytes = dataset.grid.chunk_bytes();
    let (start, length) = match dataset.index {
        Index::Single(start, length) => (start, length.unwrap_or(bytes)),
        Index::Implicit(start) => (start.checked_add(key.checked_mul(bytes)?)?, bytes),
        _ => return None,
    };
    let number =
        if matches!(dataset.index, Index::Single(..)) { 0 } else { dataset.grid.array_number(key)? };
    let range = format.range(start, length).filter(|range| range.length() == length)?;
    Some(Chunk { number, start: range.start(), length })
}

/// The first chunk of a dataset whose chunks need no index.
pub(crate) fn first_without_index(dataset: &Dataset, format: &Format) -> Option<Chunk> {
    without_index(dataset, 0, format)
}

/// The chunk at `offset` of chunks that lie one behind the other.
pub(crate) fn without_index_at(dataset: &Dataset, offset: u64, format: &Format) -> Option<Chunk> {
    let Index::Implicit(start) = dataset.index else { return None };
    without_index(dataset, offset.checked_sub(start)?.checked_div(dataset.grid.chunk_bytes())?, format)
}

enum Step {
    Chunk(Chunk),
    Node(Node, Range<u64>),
}

impl Node {
    fn range(&self, grid: &Grid, format: &Format) -> Option<ByteRange> {
        match self {
            Self::BtreeV1(address) => {
                format.range(*address, btree_v1::chunk_node_length(format, grid.rank()))
            }
            Self::BtreeV2Header(address) => format.range(*address, btree_v2::header_length(format)),
            Self::BtreeV2(tree, node) => format.range(node.address, tree.node_length.into()),
            Self::FixedHeader(address) => format.range(*address, fixed_array::header_length(format)),
            Self::FixedBlock(array) => format.range(array.block, array.block_length(format)),
            Self::ExtensibleHeader(address) => {
                format.range(*address, extensible_array::header_length(format))
            }
            Self::IndexBlock(array) => format.range(array.index_block, array.index_block_length(format)),
            Self::SuperBlock(array, block) => {
                format.range(block.address, array.super_block_length(block, format)?)
            }
            Self::DataBlock(array, block) => {
                format.range(block.address, array.data_block_prefix(block, format))
            }
            Self::Elements(run) => format.range(run.address, run.count.checked_mul(run.element.size.into())?),
        }
    }
}
