//! Entries for the fuzzer, which takes in these sources (`rust/core/fuzz`); the library has none of this.

use super::dataset::Dataset;
use super::format::dataspace::Dataspace;
use super::format::layout::{Chunked, Index};
use super::format::{Format, btree_v1, btree_v2, fractal_heap, object_header, superblock as super_block};
use super::index::{Seen, search};
use super::{Hints, Kind, Memory};
use crate::floor::range::ByteRange;
use crate::store::Supply;

struct Bytes<'a>(&'a [u8]);

impl Memory for Bytes<'_> {
    fn get(&self, range: ByteRange) -> Option<Vec<u8>> {
        let part = usize::try_from(range.start()).ok()?..usize::try_from(range.end()).ok()?;
        self.0.get(part).map(<[u8]>::to_vec)
    }
}

/// The first bytes choose the sizes, the rest is the file.
fn format(data: &[u8]) -> Option<(Format, &[u8])> {
    let (&choice, rest) = data.split_first()?;
    let size = |bits: u8| [8, 4, 2, 8].get(usize::from(bits & 3)).copied().unwrap_or(8);
    let format = Format {
        offset_size: size(choice),
        length_size: size(choice >> 2),
        base: if choice & 16 == 0 { 0 } else { 512 },
        file_size: rest.len() as u64,
        group_leaf_k: 4,
        group_internal_k: 16,
        chunk_k: if choice & 32 == 0 { 32 } else { 2 },
    };
    Some((format, rest))
}

/// Looks for chunks of a dataset whose index begins at address 0 of the data.
fn chunks(data: &[u8], index: fn(u64) -> Index) {
    let Some((format, bytes)) = format(data) else { return };
    let space = Dataspace { dims: vec![1 << 20, 30], max_dims: vec![None, Some(40)] };
    let layout = Chunked { chunk_dims: vec![2, 7], element_size: 4, index: index(0) };
    let Some(dataset) = Dataset::new(0, &space, &layout) else { return };
    for key in [0, 1, 5, 300, 5000, 1 << 20, u64::MAX] {
        search(&dataset, key, &Bytes(bytes), &format, &mut Seen::default());
    }
}

pub fn superblock(data: &[u8]) {
    super_block::superblock(data, 0, data.len() as u64);
}

pub fn object_header(data: &[u8]) {
    let Some((format, bytes)) = format(data) else { return };
    if let Some(prefix) = object_header::prefix(bytes) {
        object_header::header_messages(bytes, &prefix, &format);
        object_header::continuation_messages(bytes, prefix.version, &format);
    }
}

pub fn btree_v1(data: &[u8]) {
    if let Some((format, bytes)) = format(data) {
        btree_v1::group_node(bytes, &format);
    }
    chunks(data, Index::BtreeV1);
}

pub fn btree_v2(data: &[u8]) {
    if let Some((format, bytes)) = format(data)
        && let Some(tree) = btree_v2::header(bytes, &format)
    {
        for depth in [0, 1, 2, 16] {
            btree_v2::node(bytes, &tree, &btree_v2::Node { depth, ..tree.root }, &format);
        }
    }
    chunks(data, Index::BtreeV2);
}

pub fn fractal_heap(data: &[u8]) {
    let Some((format, bytes)) = format(data) else { return };
    let Some(heap) = fractal_heap::header(bytes, &format) else { return };
    let rest = bytes.get(150..).unwrap_or_default();
    heap.range(&heap.root, &format);
    for (offset, rows) in [(0, 1), (1 << 20, 9), (u64::MAX, u16::MAX)] {
        heap.children(rest, offset, rows, 1000, &format);
        for wanted in [0, 511, 1 << 21, u64::MAX] {
            heap.toward(rest, offset, wanted, &format);
        }
    }
    if let Some(object) = heap.managed(rest) {
        heap.place(1000, 512, 512, &object);
    }
}

pub fn fixed_array(data: &[u8]) {
    chunks(data, Index::FixedArray);
}

pub fn extensible_array(data: &[u8]) {
    chunks(data, Index::ExtensibleArray);
}

/// A whole file, read as libhdf5 might.
pub fn crawler(data: &[u8]) {
    let size = data.len() as u64;
    let mut hints = Hints::new(size);
    for round in 0..40 {
        for wish in hints.advance(&Bytes(data), 100) {
            hints.landed(wish.range);
        }
        let start = (round * 997) % size.max(1);
        let range = ByteRange::new(start, size.min(start + 512));
        hints.note(if round % 2 == 0 { Kind::ObjectHeader } else { Kind::BTree }, range, Supply::Missing);
        hints.expect_chunks(range, Supply::Missing, &Bytes(data));
    }
}
