//! A piece of a vector read as its user makes it.

use std::cell::Cell;

use crate::floor::range::ByteRange;
use crate::hints::Kind;
use crate::reader::Piece;

/// One piece of [`RemoteFile::read_vector`](crate::RemoteFile::read_vector): where its bytes lie in the file, what
/// they are, and the borrowed memory to which they go.
#[derive(Clone, Copy, Debug)]
pub struct ReadPiece<'a> {
    offset: u64,
    buffer: &'a [Cell<u8>],
    content: Kind,
}

impl<'a> ReadPiece<'a> {
    /// The bytes from `offset` on, as many as `buffer` has room for. Where nothing is known of them, `content` is
    /// [`Content::Default`](crate::Content::Default).
    pub fn new(offset: u64, buffer: &'a mut [u8], content: Kind) -> Self {
        Self::shared(offset, Cell::from_mut(buffer).as_slice_of_cells(), content)
    }

    /// The same for memory that pieces share: where two write to one byte, the later one wins.
    pub const fn shared(offset: u64, buffer: &'a [Cell<u8>], content: Kind) -> Self {
        Self { offset, buffer, content }
    }

    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) const fn length(&self) -> usize {
        self.buffer.len()
    }

    /// What the bytes are to HDF5.
    pub(crate) const fn content(&self) -> Kind {
        self.content
    }
}

impl Piece for ReadPiece<'_> {
    fn range(&self) -> ByteRange {
        ByteRange::new(self.offset, self.offset.saturating_add(self.buffer.len() as u64))
    }

    fn buffer(&self) -> &[Cell<u8>] {
        self.buffer
    }
}
