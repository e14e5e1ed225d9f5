//! The seam to the bytes that are here.

use crate::floor::range::ByteRange;

/// Bytes of the file that are in memory now.
pub(crate) trait Memory {
    /// All bytes of the range, or `None` where any is missing. Must be cheap, and wait for nothing.
    fn get(&self, range: ByteRange) -> Option<Vec<u8>>;
}
