//! Links and where they are kept: link messages IV.A.2.g, link info IV.A.2.c, attribute info IV.A.2.v.

use super::Format;
use super::cursor::Cursor;

/// A dense store: objects in a fractal heap, found through version 2 B-trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dense {
    pub(crate) heap: Option<u64>,
    pub(crate) by_name: Option<u64>,
    pub(crate) by_order: Option<u64>,
}

/// The object header that a hard link names; `Some(None)` for other links.
pub(crate) fn link(bytes: &[u8], format: &Format) -> Option<Option<u64>> {
    let mut at = Cursor::new(bytes);
    at.expect(&[1])?;
    let flags = at.u8()?;
    let kind = if flags & 8 != 0 { at.u8()? } else { 0 };
    if flags & 4 != 0 {
        // Creation order.
        at.skip(8)?;
    }
    if flags & 16 != 0 {
        // Character set of the name.
        at.skip(1)?;
    }
    let name_length = at.uint(1 << (flags & 3))?;
    at.skip(usize::try_from(name_length).ok()?)?;
    if kind == 0 { at.address(format) } else { Some(None) }
}

/// Reads a link info message, or with an `order_size` of 2 an attribute info message.
pub(crate) fn dense(bytes: &[u8], order_size: usize, format: &Format) -> Option<Dense> {
    let mut at = Cursor::new(bytes);
    at.expect(&[0])?;
    let flags = at.u8()?;
    if flags & 1 != 0 {
        // Highest creation order so far.
        at.skip(order_size)?;
    }
    let heap = at.address(format)?;
    let by_name = at.address(format)?;
    let by_order = if flags & 2 != 0 { at.address(format)? } else { None };
    Some(Dense { heap, by_name, by_order })
}
