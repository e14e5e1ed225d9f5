//! Dense stores: version 2 B-trees that lead into fractal heaps.

use super::super::format::attribute::attribute;
use super::super::format::fractal_heap::{Block, Heap, Managed};
use super::super::format::link::link;
use super::super::format::message::FLAG_SHARED;
use super::super::format::{Format, btree_v2, fractal_heap};
use super::super::memory::Memory;
use super::queue::MOST_OBJECTS;
use super::{Crawler, Job, Purpose, Target};
use crate::floor::range::ByteRange;

/// Blocks of a heap that one indirect block may name.
const MOST_BLOCKS: usize = 1 << 10;
/// Indirect blocks between a heap's header and an object.
const MOST_LEVELS: usize = 16;

/// The heap ID in a record, of which types 5, 6, 8 and 9 have one (III.A.2).
fn heap_id(kind: u8, record: &[u8]) -> Option<&[u8]> {
    match kind {
        5 => record.get(4..),
        6 => record.get(8..),
        // Shared attributes are in another heap.
        8 | 9 if record.get(8)? & FLAG_SHARED == 0 => record.get(..8),
        _ => None,
    }
}

/// Where an object is, with where its block begins, or the block on the way to it that is missing.
fn place(
    heap: &Heap,
    object: &Managed,
    memory: &dyn Memory,
    format: &Format,
) -> Option<Result<(u64, ByteRange), ByteRange>> {
    let mut block = heap.root;
    for _ in 0..MOST_LEVELS {
        match block {
            Block::Direct { address, offset, length } => {
                return Some(Ok((address, heap.place(address, offset, length, object)?)));
            }
            Block::Indirect { offset, .. } => {
                let range = heap.range(&block, format)?;
                let Some(bytes) = memory.get(range) else { return Some(Err(range)) };
                block = heap.toward(&bytes, offset, object.offset, format)?;
            }
        }
    }
    None
}

impl Crawler {
    /// Looks at the bytes of a part of a dense store.
    pub(super) fn open_dense(&mut self, target: Target, bytes: &[u8], distance: u32, memory: &dyn Memory) {
        match target {
            Target::Tree { heap, purpose } => {
                if let Some(tree) = btree_v2::header(bytes, &self.format) {
                    self.tree_node(heap, purpose, &tree, tree.root, distance);
                }
            }
            Target::TreeNode { heap, purpose, tree, node } => {
                let Some(content) = btree_v2::node(bytes, &tree, &node, &self.format) else { return };
                if purpose != Purpose::Order {
                    let ids = content.records.iter().filter_map(|record| heap_id(tree.kind, record));
                    self.objects(heap, purpose, ids.map(<[u8]>::to_vec).collect(), distance);
                }
                for child in content.children.into_iter().flatten() {
                    self.tree_node(heap, purpose, &tree, child, distance);
                }
            }
            Target::Heap => {
                if let Some(heap) = fractal_heap::header(bytes, &self.format) {
                    self.heap_block(&heap, &heap.root, distance);
                }
            }
            Target::HeapBlock { heap, offset, rows } => {
                let blocks = heap.children(bytes, offset, rows, MOST_BLOCKS, &self.format);
                for block in blocks.unwrap_or_default() {
                    self.heap_block(&heap, &block, distance);
                }
            }
            Target::Objects { heap, purpose, ids } => self.open_objects(heap, purpose, ids, distance, memory),
            _ => (),
        }
    }

    fn tree_node(
        &mut self,
        heap: u64,
        purpose: Purpose,
        tree: &btree_v2::Tree,
        node: btree_v2::Node,
        distance: u32,
    ) {
        let target = Target::TreeNode { heap, purpose, tree: *tree, node };
        self.add(target, node.address, tree.node_length.into(), distance);
    }

    fn heap_block(&mut self, heap: &Heap, block: &Block, distance: u32) {
        let Some(range) = heap.range(block, &self.format) else { return };
        let target = match *block {
            Block::Direct { .. } => Target::Plain,
            Block::Indirect { offset, rows, .. } => Target::HeapBlock { heap: *heap, offset, rows },
        };
        self.add(target, range.start(), range.length(), distance);
    }

    /// Objects are looked for from the heap's header on, which is being fetched already.
    fn objects(&mut self, heap: u64, purpose: Purpose, ids: Vec<Vec<u8>>, distance: u32) {
        let header = self.format.range(heap, fractal_heap::header_length(&self.format));
        if let Some(range) = header.filter(|_| !ids.is_empty()) {
            let target = Target::Objects { heap, purpose, ids };
            self.queue.push(Job { range, target, distance, wished: true });
        }
    }

    fn open_objects(
        &mut self,
        heap: u64,
        purpose: Purpose,
        mut ids: Vec<Vec<u8>>,
        distance: u32,
        memory: &dyn Memory,
    ) {
        let header = self.format.range(heap, fractal_heap::header_length(&self.format));
        let bytes = header.and_then(|range| memory.get(range));
        let Some(parsed) = bytes.and_then(|bytes| fractal_heap::header(&bytes, &self.format)) else { return };
        let later = ids.split_off(ids.len().min(MOST_OBJECTS));
        self.objects(heap, purpose, later, distance);
        let mut waiting = Vec::new();
        let mut lacking = None;
        for id in ids {
            let found = parsed.managed(&id).and_then(|object| place(&parsed, &object, memory, &self.format));
            let missing = match found {
                None => continue,
                Some(Err(missing)) => (missing.start(), missing),
                Some(Ok((block, range))) => match memory.get(range) {
                    None => (block, range),
                    Some(bytes) => {
                        self.object(purpose, &bytes, distance);
                        continue;
                    }
                },
            };
            lacking.get_or_insert(missing);
            waiting.push(id);
        }
        if let Some((block, range)) = lacking {
            let target = Target::Objects { heap, purpose, ids: waiting };
            // Most of the heap's blocks are wished for as such; some were too many.
            let wished = self.queue.has_seen(block);
            self.queue.push(Job { range, target, distance, wished });
        }
    }

    fn object(&mut self, purpose: Purpose, bytes: &[u8], distance: u32) {
        if purpose == Purpose::Links {
            if let Some(header) = link(bytes, &self.format).flatten() {
                self.header(header, false, distance + 1);
            }
        } else if let Some(attribute) = attribute(bytes, &self.format) {
            if let Some(header) = attribute.datatype {
                self.header(header, false, distance + 1);
            }
            for collection in attribute.collections {
                self.collection(collection, distance + 1);
            }
        }
    }
}
