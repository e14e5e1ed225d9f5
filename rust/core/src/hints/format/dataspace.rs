//! Dataspace messages: IV.A.2.b.

use super::Format;
use super::cursor::Cursor;

/// Most dimensions of a dataspace.
pub(crate) const MOST_RANK: usize = 32;

/// The shape of a dataset or an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dataspace {
    pub(crate) dims: Vec<u64>,
    /// `None` where unlimited.
    pub(crate) max_dims: Vec<Option<u64>>,
}

impl Dataspace {
    /// Number of elements; at most as many as fit in 64 bits.
    pub(crate) fn elements(&self) -> u64 {
        self.dims.iter().fold(1, |count: u64, &dim| count.saturating_mul(dim))
    }
}

/// Reads a dataspace of version 1 or 2; a null dataspace is none.
pub(crate) fn dataspace(bytes: &[u8], format: &Format) -> Option<Dataspace> {
    let mut at = Cursor::new(bytes);
    let version = at.u8()?;
    let rank = usize::from(at.u8()?);
    let flags = at.u8()?;
    let kind = at.u8()?;
    match version {
        1 => at.skip(4)?,
        2 if kind == 2 => return None,
        2 => (),
        _ => return None,
    }
    if rank > MOST_RANK {
        return None;
    }
    let dims = (0..rank).map(|_| at.length(format)).collect::<Option<Vec<u64>>>()?;
    let max_dims = if flags & 1 == 0 {
        dims.iter().copied().map(Some).collect()
    } else {
        let unlimited = u64::MAX.checked_shr(64_u32.saturating_sub(8 * u32::from(format.length_size)))?;
        let read = (0..rank).map(|_| at.length(format)).collect::<Option<Vec<u64>>>()?;
        read.into_iter().map(|dim| Some(dim).filter(|&dim| dim != unlimited)).collect()
    };
    Some(Dataspace { dims, max_dims })
}
