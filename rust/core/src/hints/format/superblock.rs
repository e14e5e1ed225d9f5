//! The superblock: section II.A, "Disk Format: Level 0A - Format Signature and Superblock".

use super::Format;
use super::cursor::Cursor;
use super::symbol_node::{Entry, entry};

pub(crate) const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Longest superblock, that of version 1 with 8-byte addresses: 24 + 4 + 4 × 8 + 40 bytes.
pub(crate) const LENGTH: u64 = 100;
/// K of chunk B-trees where the superblock does not say.
const DEFAULT_CHUNK_K: u16 = 32;
/// The same for groups (IV.A.2.t, "B-tree 'K' Values", gives the defaults).
const DEFAULT_GROUP_LEAF_K: u16 = 4;
const DEFAULT_GROUP_INTERNAL_K: u16 = 16;

/// Where a file's tree of objects starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Superblock {
    pub(crate) format: Format,
    pub(crate) root: Entry,
    /// Object header of the superblock extension.
    pub(crate) extension: Option<u64>,
}

/// Where a superblock may lie: at 0, 512, 1024, 2048 and so on.
pub(crate) fn places(file_size: u64) -> impl Iterator<Item = u64> {
    let doubling = (9..63).map(|bits| 1_u64 << bits);
    std::iter::once(0).chain(doubling).take_while(move |&at| at < file_size)
}

/// Reads the superblock that lies at `base`, of any version from 0 to 3.
pub(crate) fn superblock(bytes: &[u8], base: u64, file_size: u64) -> Option<Superblock> {
    let mut at = Cursor::new(bytes);
    at.expect(SIGNATURE)?;
    let version = at.u8()?;
    match version {
        0 | 1 => old(at, version, base, file_size),
        2 | 3 => new(at, base, file_size),
        _ => None,
    }
}

fn format(offset_size: u8, length_size: u8, base: u64, file_size: u64) -> Option<Format> {
    // libhdf5 knows 16 and 32 too, but no file can need them.
    let valid = |size: u8| matches!(size, 2 | 4 | 8);
    (valid(offset_size) && valid(length_size)).then_some(Format {
        offset_size,
        length_size,
        base,
        file_size,
        group_leaf_k: DEFAULT_GROUP_LEAF_K,
        group_internal_k: DEFAULT_GROUP_INTERNAL_K,
        chunk_k: DEFAULT_CHUNK_K,
    })
}

fn old(mut at: Cursor<'_>, version: u8, base: u64, file_size: u64) -> Option<Superblock> {
    // Versions of free space and root group symbol table entry, a reserved byte, version of shared
    // header messages.
    at.skip(4)?;
    let mut format = format(at.u8()?, at.u8()?, base, file_size)?;
    at.skip(1)?;
    format.group_leaf_k = at.u16()?;
    format.group_internal_k = at.u16()?;
    // Consistency flags.
    at.skip(4)?;
    if version == 1 {
        format.chunk_k = at.u16()?;
        at.skip(2)?;
    }
    // Base address (libhdf5 believes the place instead), free space, end of file, driver information.
    at.skip(4 * usize::from(format.offset_size))?;
    Some(Superblock { format, root: entry(&mut at, &format)?, extension: None })
}

fn new(mut at: Cursor<'_>, base: u64, file_size: u64) -> Option<Superblock> {
    let format = format(at.u8()?, at.u8()?, base, file_size)?;
    // Consistency flags; base address.
    at.skip(1)?;
    at.skip(format.offset_size.into())?;
    let extension = at.address(&format)?;
    // End of file.
    at.skip(format.offset_size.into())?;
    let header = at.address(&format)?;
    Some(Superblock { format, root: Entry { header, symbol_table: None }, extension })
}
