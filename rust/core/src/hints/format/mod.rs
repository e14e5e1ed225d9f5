//! The HDF5 file format, read only as far as it says what will be read next.
//!
//! Every parser is a function from bytes to an `Option`: signatures and versions are checked, checksums
//! are not (libhdf5 does that, and a wrong hint costs bytes, not correctness). Sections are those of the
//! HDF5 File Format Specification, version 3.0; version 4.0 adds only version 5 of the layout message.

pub(crate) mod attribute;
pub(crate) mod btree_v1;
pub(crate) mod btree_v2;
pub(crate) mod cursor;
pub(crate) mod dataspace;
pub(crate) mod extensible_array;
pub(crate) mod fixed_array;
pub(crate) mod fractal_heap;
pub(crate) mod global_heap;
pub(crate) mod layout;
pub(crate) mod link;
pub(crate) mod local_heap;
pub(crate) mod message;
pub(crate) mod object_header;
pub(crate) mod superblock;
pub(crate) mod symbol_node;

use crate::floor::range::ByteRange;

/// What a file's superblock says about how everything else is written, and how long the file is.
///
/// Addresses in the file are relative to `base`; whatever leaves a parser counts from the start of the
/// file, as the driver's reads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Size of addresses in bytes ("Size of Offsets"): 2, 4 or 8.
    pub(crate) offset_size: u8,
    /// Size of lengths in bytes ("Size of Lengths"): 2, 4 or 8.
    pub(crate) length_size: u8,
    /// Where the superblock, and so address 0, lies: after a user block.
    pub(crate) base: u64,
    pub(crate) file_size: u64,
    /// Half of the most entries in a leaf of a group's B-tree, that is in a symbol table node.
    pub(crate) group_leaf_k: u16,
    /// Half of the most children of a node of a group's B-tree.
    pub(crate) group_internal_k: u16,
    /// Half of the most children of a node of a chunk B-tree.
    pub(crate) chunk_k: u16,
}

impl Format {
    /// The first `length` bytes at `start`, cut at the end of the file; `None` where none is left.
    pub(crate) fn range(&self, start: u64, length: u64) -> Option<ByteRange> {
        let end = start.saturating_add(length).min(self.file_size);
        (start < end).then(|| ByteRange::new(start, end))
    }
}

#[cfg(test)]
pub(crate) mod tests;
