//! Attribute messages, IV.A.2.m, as far as their values point elsewhere; datatype messages, IV.A.2.d.

use super::Format;
use super::cursor::Cursor;
use super::dataspace::dataspace;
use super::global_heap::collections;
use super::message::{FLAG_SHARED, shared_header};

/// Most heap collections of one attribute that are of interest.
const MOST_COLLECTIONS: usize = 16;

/// What an attribute leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attribute {
    /// Object header of its committed datatype.
    pub(crate) datatype: Option<u64>,
    /// Global heap collections of its elements.
    pub(crate) collections: Vec<u64>,
}

/// What of a datatype matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Datatype {
    /// Elements are references into the global heap.
    pub(crate) variable_length: bool,
    /// Bytes of one element.
    pub(crate) size: u32,
}

pub(crate) fn datatype(bytes: &[u8]) -> Option<Datatype> {
    let mut at = Cursor::new(bytes);
    let class_and_version = at.u8()?;
    at.skip(3)?;
    let known = (1..=5).contains(&(class_and_version >> 4));
    known.then_some(Datatype { variable_length: class_and_version & 0xf == 9, size: at.u32()? })
}

/// Reads an attribute of version 1, 2 or 3.
pub(crate) fn attribute(bytes: &[u8], format: &Format) -> Option<Attribute> {
    let mut at = Cursor::new(bytes);
    let version = at.u8()?;
    let flags = at.u8()?;
    let name_length = usize::from(at.u16()?);
    let datatype_length = usize::from(at.u16()?);
    let dataspace_length = usize::from(at.u16()?);
    match version {
        1 | 2 => (),
        // Character set of the name.
        3 => at.skip(1)?,
        _ => return None,
    }
    // Version 1 fills name, datatype and dataspace up to multiples of 8, and has no flags.
    let padded = |length: usize| if version == 1 { length.next_multiple_of(8) } else { length };
    let shared = |bit: u8| version > 1 && flags & bit != 0;
    at.skip(padded(name_length))?;
    let datatype_bytes = at.take(padded(datatype_length))?;
    let dataspace_bytes = at.take(padded(dataspace_length))?;
    if shared(FLAG_SHARED >> 1) {
        return Some(Attribute { datatype: shared_header(datatype_bytes, format), ..Attribute::default() });
    }
    if !datatype(datatype_bytes)?.variable_length || shared(FLAG_SHARED) {
        return Some(Attribute::default());
    }
    let elements = dataspace(dataspace_bytes, format)?.elements();
    let length = elements.saturating_mul(8 + u64::from(format.offset_size)).min(at.left() as u64);
    let values = at.take(usize::try_from(length).ok()?)?;
    Some(Attribute { datatype: None, collections: collections(values, format, MOST_COLLECTIONS) })
}
