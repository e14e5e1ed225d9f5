//! Little-endian numbers from a slice, each step an `Option`.

use super::Format;

/// A place in bytes that moves on with every value read; nothing of it can panic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    /// Goes on only where the next bytes are `expected`: a signature or a version.
    pub(crate) fn expect(&mut self, expected: &[u8]) -> Option<()> {
        (self.take(expected.len())? == expected).then_some(())
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.uint(8)
    }

    /// An unsigned number of `size` bytes, at most 8.
    pub(crate) fn uint(&mut self, size: usize) -> Option<u64> {
        let mut wide = [0; 8];
        wide.get_mut(..size)?.copy_from_slice(self.take(size)?);
        Some(u64::from_le_bytes(wide))
    }

    /// A length of the file ("Size of Lengths" bytes).
    pub(crate) fn length(&mut self, format: &Format) -> Option<u64> {
        self.uint(format.length_size.into())
    }

    /// An address as the file counts it ("Size of Offsets" bytes); all bits set mean that there is none.
    ///
    /// The answer counts from the start of the file; `Some(None)` where the address is undefined or lies
    /// behind the end of the file, so that nothing is to be fetched.
    pub(crate) fn address(&mut self, format: &Format) -> Option<Option<u64>> {
        let size = usize::from(format.offset_size);
        let raw = self.uint(size)?;
        let undefined = u64::MAX.checked_shr(64_u32.saturating_sub(8 * u32::from(format.offset_size)))?;
        let place = raw.checked_add(format.base).filter(|&at| raw != undefined && at < format.file_size);
        Some(place)
    }
}
