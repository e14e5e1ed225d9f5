//! Chunk indexes of all kinds as one thing: nodes, of which each leads nearer to a chunk.
//!
//! A search goes from the root by keys. The key of a chunk is its number in the grid for trees, its
//! element's index for arrays. Whatever nodes it passes give up what else they know: chunks, and where
//! other nodes are.

use std::ops::Range;

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

/// The chunk at `offset` of chunks that lie one behind the other from `start` on.
pub(crate) fn without_index_at(dataset: &Dataset, start: u64, offset: u64, format: &Format) -> Option<Chunk> {
    let Index::Implicit(_) = dataset.index else { return None };
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

/// A node's bytes, looked at for one key.
struct View<'a> {
    grid: &'a Grid,
    bytes: &'a [u8],
    format: &'a Format,
    key: u64,
    seen: &'a mut Seen,
}

impl View<'_> {
    fn open(&mut self, node: &Node, keys: &Range<u64>) -> Option<Step> {
        let (format, key) = (self.format, self.key);
        let around = |next| Some(Step::Node(next, keys.clone()));
        match node {
            Node::BtreeV1(_) => self.btree_v1(keys),
            Node::BtreeV2Header(_) => {
                let tree = btree_v2::header(self.bytes, format)?;
                self.landmark(tree.root.address, tree.node_length.into(), 0, None);
                around(Node::BtreeV2(tree, tree.root))
            }
            Node::BtreeV2(tree, node) => self.btree_v2(tree, node, keys),
            Node::FixedHeader(_) => {
                let array = fixed_array::header(self.bytes, format)?;
                let paging = array.paging(format);
                self.landmark(array.block, paging.total, 0, Some(paging));
                around(Node::FixedBlock(array))
            }
            Node::FixedBlock(array) => run(array.elements(self.bytes, key, format)?),
            Node::ExtensibleHeader(_) => {
                let array = extensible_array::header(self.bytes, format)?;
                self.landmark(array.index_block, array.index_block_length(format), 0, None);
                around(Node::IndexBlock(array))
            }
            Node::IndexBlock(array) => {
                let step = array.from_index_block(self.bytes, key, format)?;
                self.extensible(array, step)
            }
            Node::SuperBlock(array, block) => {
                let step = array.from_super_block(self.bytes, block, key, format)?;
                self.extensible(array, step)
            }
            Node::DataBlock(array, block) => run(array.from_data_block(self.bytes, block, key, format)?),
            Node::Elements(run) => self.elements(run),
        }
    }

    fn landmark(&mut self, start: u64, length: u64, key: u64, paging: Option<Paging>) {
        let range = self.format.range(start, length);
        self.seen.landmarks.extend(range.map(|range| Landmark { range, key, paging }));
    }

    /// Takes note of a chunk, and says whether it is the wanted one.
    fn chunk(&mut self, number: u64, start: Option<u64>, length: u64) -> Option<Chunk> {
        let range = self.format.range(start?, length).filter(|range| range.length() == length)?;
        let chunk = Chunk { number, start: range.start(), length };
        self.seen.chunks.push(chunk);
        Some(chunk)
    }

    fn btree_v1(&mut self, keys: &Range<u64>) -> Option<Step> {
        let node = btree_v1::chunk_node(self.bytes, self.grid.rank(), self.format)?;
        let places: Vec<Vec<u64>> =
            node.children.iter().map(|child| self.grid.place_of(&child.offsets)).collect();
        if node.level == 0 {
            let mut wanted = None;
            for (child, place) in node.children.iter().zip(&places) {
                let Some(number) = self.grid.number(place) else { continue };
                let chunk = self.chunk(number, child.address, child.stored_length.into());
                wanted = wanted.or(chunk.filter(|_| number == self.key));
            }
            return wanted.map(Step::Chunk);
        }
        let starts: Vec<u64> = places.iter().map(|place| self.grid.order(place)).collect();
        let length = btree_v1::chunk_node_length(self.format, self.grid.rank());
        for (child, &start) in node.children.iter().zip(&starts) {
            if let Some(address) = child.address {
                self.landmark(address, length, start, None);
            }
        }
        let at = starts.iter().rposition(|&start| start <= self.key)?;
        let end = starts.get(at + 1).copied().unwrap_or(keys.end);
        Some(Step::Node(Node::BtreeV1(node.children.get(at)?.address?), *starts.get(at)?..end))
    }

    fn btree_v2(&mut self, tree: &btree_v2::Tree, node: &btree_v2::Node, keys: &Range<u64>) -> Option<Step> {
        let content = btree_v2::node(self.bytes, tree, node, self.format)?;
        let mut starts = vec![keys.start];
        let mut wanted = None;
        for record in &content.records {
            let (place, start, length) = self.record(tree, record)?;
            starts.push(self.grid.order(&place).saturating_add(1));
            let Some(number) = self.grid.number(&place) else { continue };
            let chunk = self.chunk(number, start, length);
            wanted = wanted.or(chunk.filter(|_| number == self.key));
        }
        for (child, &start) in content.children.iter().zip(&starts) {
            if let Some(child) = child {
                self.landmark(child.address, tree.node_length.into(), start, None);
            }
        }
        if let Some(chunk) = wanted {
            return Some(Step::Chunk(chunk));
        }
        let at = starts.iter().rposition(|&start| start <= self.key)?;
        let end = starts.get(at + 1).map_or(keys.end, |end| end.saturating_sub(1));
        let child = (*content.children.get(at)?)?;
        Some(Step::Node(Node::BtreeV2(*tree, child), *starts.get(at)?..end))
    }

    /// Records of types 10 and 11 (III.A.2): address, of filtered chunks stored length and filter mask,
    /// place in the grid.
    fn record(&self, tree: &btree_v2::Tree, record: &[u8]) -> Option<(Vec<u64>, Option<u64>, u64)> {
        let mut at = super::format::cursor::Cursor::new(record);
        let start = at.address(self.format)?;
        let places = 8 * self.grid.rank();
        let length = match tree.kind {
            10 => self.grid.chunk_bytes(),
            11 => {
                let length = at.uint(at.left().checked_sub(places + 4)?)?;
                at.skip(4)?;
                length
            }
            _ => return None,
        };
        let place = (0..self.grid.rank()).map(|_| at.u64()).collect::<Option<Vec<u64>>>()?;
        Some((place, start, length))
    }

    fn extensible(&mut self, array: &extensible_array::Array, step: extensible_array::Step) -> Option<Step> {
        match step {
            extensible_array::Step::Elements(elements) => run(elements),
            extensible_array::Step::SuperBlock(block) => {
                let length = array.super_block_length(&block, self.format)?;
                self.landmark(block.address, length, self.key, None);
                Some(Step::Node(Node::SuperBlock(*array, block), self.key..self.key.saturating_add(1)))
            }
            extensible_array::Step::DataBlock(block) => {
                let paging = array.paging(&block, self.format);
                self.landmark(block.address, paging.total, block.first, Some(paging));
                let keys = block.first..block.first.saturating_add(block.count);
                Some(Step::Node(Node::DataBlock(*array, block), keys))
            }
        }
    }

    fn elements(&mut self, run: &Elements) -> Option<Step> {
        let mut at = super::format::cursor::Cursor::new(self.bytes);
        let mut wanted = None;
        for index in run.first..run.first.saturating_add(run.count) {
            let Some((start, length)) = run.element.read(&mut at, self.format) else { break };
            let Some(number) = self.grid.array_number(index) else { continue };
            let chunk = self.chunk(number, start, length.unwrap_or(self.grid.chunk_bytes()));
            wanted = wanted.or(chunk.filter(|_| index == self.key));
        }
        wanted.map(Step::Chunk)
    }
}

fn run(elements: Elements) -> Option<Step> {
    Some(Step::Node(Node::Elements(elements), elements.first..elements.first.saturating_add(elements.count)))
}
