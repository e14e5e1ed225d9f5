//! A node of a chunk index, looked at for one key.

use std::ops::Range;

use super::super::dataset::{Chunk, Grid};
use super::super::format::cursor::Cursor;
use super::super::format::fixed_array::{Elements, Paging};
use super::super::format::{Format, btree_v1, btree_v2, extensible_array, fixed_array};
use super::{Landmark, Node, Seen, Step};

/// A node's bytes, looked at for one key.
pub(super) struct View<'a> {
    pub(super) grid: &'a Grid,
    pub(super) bytes: &'a [u8],
    pub(super) format: &'a Format,
    pub(super) key: u64,
    pub(super) seen: &'a mut Seen,
}

impl View<'_> {
    /// The next step towards the key.
    pub(super) fn open(&mut self, node: &Node, keys: &Range<u64>) -> Option<Step> {
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
                let step = array.toward_by_index_block(self.bytes, key, format)?;
                self.extensible(array, step)
            }
            Node::SuperBlock(array, block) => {
                let step = array.toward_by_super_block(self.bytes, block, key, format)?;
                self.extensible(array, step)
            }
            Node::DataBlock(array, block) => run(array.elements_in(self.bytes, block, key, format)?),
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
        let mut at = Cursor::new(record);
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
        let mut at = Cursor::new(self.bytes);
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
