//! Data layout messages: IV.A.2.i, versions 1 to 5.

use super::Format;
use super::cursor::Cursor;
use super::dataspace::MOST_RANK;
use crate::floor::range::ByteRange;

/// Where a dataset's raw data are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// In the object header itself, or nowhere yet, or in sources that are datasets of their own.
    Elsewhere,
    Contiguous(ByteRange),
    Chunked(Chunked),
}

/// A chunked layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunked {
    /// Elements of a chunk in each dimension of the dataset.
    pub(crate) chunk_dims: Vec<u64>,
    pub(crate) element_size: u64,
    pub(crate) index: Index,
}

/// How chunks are found: VII, "Appendix C: Types of Indexes for Dataset Chunks".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    BtreeV1(u64),
    /// The only chunk, with its stored length where it is filtered.
    Single(u64, Option<u64>),
    Implicit(u64),
    FixedArray(u64),
    ExtensibleArray(u64),
    BtreeV2(u64),
}

const CONTIGUOUS: u8 = 1;
const CHUNKED: u8 = 2;

pub(crate) fn layout(bytes: &[u8], format: &Format) -> Option<Layout> {
    let mut at = Cursor::new(bytes);
    match at.u8()? {
        1 | 2 => old(at, format),
        version @ 3..=5 => match at.u8()? {
            0 | 3 => Some(Layout::Elsewhere),
            CONTIGUOUS => {
                let address = at.address(format)?;
                let length = at.length(format)?;
                Some(contiguous(address, length, format))
            }
            CHUNKED if version == 3 => chunked_v3(at, format),
            CHUNKED => chunked_v4(at, format),
            _ => None,
        },
        _ => None,
    }
}

fn contiguous(address: Option<u64>, length: u64, format: &Format) -> Layout {
    address.and_then(|start| format.range(start, length)).map_or(Layout::Elsewhere, Layout::Contiguous)
}

/// The dimensions of a chunk, of which the last is the size of an element.
fn chunked(mut dims: Vec<u64>, index: Option<Index>) -> Option<Layout> {
    let element_size = dims.pop()?;
    if dims.is_empty() || dims.len() > MOST_RANK || dims.contains(&0) || element_size == 0 {
        return None;
    }
    let chunked = |index| Layout::Chunked(Chunked { chunk_dims: dims, element_size, index });
    Some(index.map_or(Layout::Elsewhere, chunked))
}

fn old(mut at: Cursor<'_>, format: &Format) -> Option<Layout> {
    let rank = usize::from(at.u8()?);
    let class = at.u8()?;
    at.skip(5)?;
    if rank > MOST_RANK + 1 || class > CHUNKED {
        return None;
    }
    let address = if class == 0 { None } else { at.address(format)? };
    let mut dims = (0..rank).map(|_| at.u32().map(u64::from)).collect::<Option<Vec<u64>>>()?;
    match class {
        CHUNKED => chunked(dims, address.map(Index::BtreeV1)),
        CONTIGUOUS => {
            // As chunks have it: the size of an element ends the list, so that the product is bytes.
            let length = dims.drain(..).fold(1, u64::saturating_mul);
            Some(contiguous(address, length, format))
        }
        _ => Some(Layout::Elsewhere),
    }
}

fn chunked_v3(mut at: Cursor<'_>, format: &Format) -> Option<Layout> {
    let rank = usize::from(at.u8()?);
    let address = at.address(format)?;
    let dims = (0..rank).map(|_| at.u32().map(u64::from)).collect::<Option<Vec<u64>>>()?;
    chunked(dims, address.map(Index::BtreeV1))
}

fn chunked_v4(mut at: Cursor<'_>, format: &Format) -> Option<Layout> {
    /// The single chunk is filtered: its length and filter mask stand in the message.
    const SINGLE_FILTERED: u8 = 2;
    let flags = at.u8()?;
    let rank = usize::from(at.u8()?);
    let dim_size = usize::from(at.u8()?);
    let dims = (0..rank).map(|_| at.uint(dim_size)).collect::<Option<Vec<u64>>>()?;
    let kind = at.u8()?;
    // Parameters that the index itself repeats are passed over.
    let mut single_length = None;
    match kind {
        1 if flags & SINGLE_FILTERED != 0 => {
            single_length = Some(at.length(format)?);
            at.skip(4)?;
        }
        1 | 2 => (),
        3 => at.skip(1)?,
        4 => at.skip(5)?,
        5 => at.skip(6)?,
        _ => return None,
    }
    let address = at.address(format)?;
    let index = match kind {
        1 => address.map(|address| Index::Single(address, single_length)),
        2 => address.map(Index::Implicit),
        3 => address.map(Index::FixedArray),
        4 => address.map(Index::ExtensibleArray),
        _ => address.map(Index::BtreeV2),
    };
    chunked(dims, index)
}
