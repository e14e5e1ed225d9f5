//! Byte ranges of the remote file.

use std::fmt;

/// A half-open run of bytes, `start..end`, counted from the start of the file.
///
/// `start <= end` always holds; an empty range has `start == end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteRange {
    start: u64,
    end: u64,
}

impl ByteRange {
    /// The bytes from `start` up to but not including `end`; empty if `end` is smaller.
    pub const fn new(start: u64, end: u64) -> Self {
        Self { start, end: if end < start { start } else { end } }
    }

    /// `length` bytes from `start` on, or `None` where the end would not fit in 64 bits.
    pub const fn with_length(start: u64, length: u64) -> Option<Self> {
        match start.checked_add(length) {
            Some(end) => Some(Self { start, end }),
            None => None,
        }
    }

    /// First byte of the range.
    pub const fn start(self) -> u64 {
        self.start
    }

    /// One past the last byte.
    pub const fn end(self) -> u64 {
        self.end
    }

    /// Number of bytes.
    pub const fn length(self) -> u64 {
        self.end - self.start
    }

    /// True where there is no byte in it.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The part of this range that lies in `other` too; empty where they do not meet.
    pub fn intersection(self, other: Self) -> Self {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }
}

impl fmt::Display for ByteRange {
    /// `bytes 0-99`, both ends included as HTTP counts them (RFC 9110, section 14.1.2).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            write!(f, "no bytes at {}", self.start)
        } else {
            write!(f, "bytes {}-{}", self.start, self.end - 1)
        }
    }
}

impl fmt::Debug for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
