//! Symbol table nodes, the leaves of old groups: III.B and III.C.

use super::Format;
use super::cursor::Cursor;

/// A symbol table entry: an object of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) header: Option<u64>,
    /// Of a group, where the entry has them: its B-tree and its local heap (cache type 1).
    pub(crate) symbol_table: Option<SymbolTable>,
}

/// Where the links of an old group are (IV.A.2.r).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SymbolTable {
    pub(crate) btree: Option<u64>,
    pub(crate) heap: Option<u64>,
}

pub(crate) fn symbol_table(at: &mut Cursor<'_>, format: &Format) -> Option<SymbolTable> {
    Some(SymbolTable { btree: at.address(format)?, heap: at.address(format)? })
}

pub(crate) fn entry(at: &mut Cursor<'_>, format: &Format) -> Option<Entry> {
    // Offset of the name in the heap.
    at.skip(format.offset_size.into())?;
    let header = at.address(format)?;
    let cache_type = at.u32()?;
    at.skip(4)?;
    let mut scratch = Cursor::new(at.take(16)?);
    match cache_type {
        1 => Some(Entry { header, symbol_table: symbol_table(&mut scratch, format) }),
        // A symbolic link has no header, though its address may be anything.
        2 => Some(Entry { header: None, symbol_table: None }),
        _ => Some(Entry { header, symbol_table: None }),
    }
}

/// Bytes of a node with room for all its entries.
pub(crate) fn node_length(format: &Format) -> u64 {
    8 + 2 * u64::from(format.group_leaf_k) * (2 * u64::from(format.offset_size) + 24)
}

/// The entries of a node.
pub(crate) fn symbol_node(bytes: &[u8], format: &Format) -> Option<Vec<Entry>> {
    let mut at = Cursor::new(bytes);
    at.expect(b"SNOD\x01")?;
    at.skip(1)?;
    let count = at.u16()?;
    let entries: Vec<Entry> = (0..count).map_while(|_| entry(&mut at, format)).collect();
    Some(entries)
}
