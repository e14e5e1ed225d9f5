//! Global heap collections, where elements of variable length are: III.E.

use super::Format;
use super::cursor::Cursor;

/// Least length of a collection, and what libhdf5 reads first.
pub(crate) const LEAST_LENGTH: u64 = 4096;

/// How long the whole collection is.
pub(crate) fn global_heap(bytes: &[u8], format: &Format) -> Option<u64> {
    let mut at = Cursor::new(bytes);
    at.expect(b"GCOL\x01")?;
    at.skip(3)?;
    at.length(format)
}

/// The distinct collections that elements of variable length point to, in order of appearance.
///
/// An element is its length in 4 bytes, a collection's address and 4 bytes of index (IV.A.2.d, "Variable-Length").
pub(crate) fn collections(elements: &[u8], format: &Format, most: usize) -> Vec<u64> {
    let mut at = Cursor::new(elements);
    let mut found: Vec<u64> = Vec::new();
    while found.len() < most {
        let element = at.u32().and_then(|length| Some((length, at.address(format)?, at.u32()?)));
        let Some((length, address, _)) = element else { break };
        if let Some(address) = address.filter(|address| length > 0 && found.last() != Some(address))
            && !found.contains(&address)
        {
            found.push(address);
        }
    }
    found
}
