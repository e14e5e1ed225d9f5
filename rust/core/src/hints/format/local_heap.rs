//! Local heaps, where old groups keep names: III.D.

use super::Format;
use super::cursor::Cursor;
use crate::floor::range::ByteRange;

/// Bytes of the header with 8-byte addresses.
pub(crate) const HEADER_LENGTH: u64 = 32;

/// The heap's data segment.
pub(crate) fn local_heap(bytes: &[u8], format: &Format) -> Option<ByteRange> {
    let mut at = Cursor::new(bytes);
    at.expect(b"HEAP\0")?;
    at.skip(3)?;
    let length = at.length(format)?;
    // Head of the free list.
    at.skip(format.length_size.into())?;
    format.range(at.address(format)??, length)
}
