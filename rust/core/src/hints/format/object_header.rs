//! Object headers, IV.A.1: the prefix, and the messages of a header or of one of its continuations.

use super::Format;
use super::cursor::Cursor;
use super::message::{Message, message};

/// What libhdf5 reads of a header before it knows its length.
pub(crate) const FIRST_LENGTH: u64 = 512;

/// How a header and its continuations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    /// `tracked`: messages have two bytes of creation order.
    Two {
        tracked: bool,
    },
}

/// A header's prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    pub(crate) version: Version,
    /// Bytes before the first message, and of the messages after it.
    pub(crate) length: u64,
    pub(crate) messages_length: u64,
}

impl Prefix {
    /// Bytes of the header's first piece, checksum included.
    pub(crate) fn total(&self) -> u64 {
        let checksum = if self.version == Version::One { 0 } else { 4 };
        self.length.saturating_add(self.messages_length).saturating_add(checksum)
    }
}

pub(crate) fn prefix(bytes: &[u8]) -> Option<Prefix> {
    let mut at = Cursor::new(bytes);
    if bytes.starts_with(b"OHDR") {
        at.expect(b"OHDR\x02")?;
        let flags = at.u8()?;
        let times = if flags & 32 != 0 { 16 } else { 0 };
        let phase_change = if flags & 16 != 0 { 4 } else { 0 };
        at.skip(times + phase_change)?;
        let messages_length = at.uint(1 << (flags & 3))?;
        let length = (bytes.len() - at.left()) as u64;
        return Some(Prefix { version: Version::Two { tracked: flags & 4 != 0 }, length, messages_length });
    }
    at.expect(&[1, 0])?;
    // Number of messages, reference count.
    at.skip(6)?;
    let messages_length = at.u32()?.into();
    // Messages begin at a multiple of 8.
    Some(Prefix { version: Version::One, length: 16, messages_length })
}

/// The messages of a whole header, as far as `bytes` reaches.
pub(crate) fn header_messages(bytes: &[u8], prefix: &Prefix, format: &Format) -> Vec<Message> {
    let mut at = Cursor::new(bytes);
    let messages = usize::try_from(prefix.length).ok().and_then(|length| {
        at.skip(length)?;
        let length = usize::try_from(prefix.messages_length).unwrap_or(usize::MAX);
        at.take(length.min(at.left()))
    });
    messages.map_or_else(Vec::new, |bytes| messages_in(bytes, prefix.version, format))
}

/// The messages of a continuation block.
pub(crate) fn continuation_messages(bytes: &[u8], version: Version, format: &Format) -> Option<Vec<Message>> {
    let mut at = Cursor::new(bytes);
    if version == Version::One {
        return Some(messages_in(bytes, version, format));
    }
    at.expect(b"OCHK")?;
    let messages = at.take(at.left().checked_sub(4)?)?;
    Some(messages_in(messages, version, format))
}

fn messages_in(bytes: &[u8], version: Version, format: &Format) -> Vec<Message> {
    let mut at = Cursor::new(bytes);
    let mut found = Vec::new();
    // A gap shorter than a message's head ends a block of version 2.
    while let Some((kind, flags, content)) = next(&mut at, version) {
        found.extend(message(kind, flags, content, format));
    }
    found
}

fn next<'a>(at: &mut Cursor<'a>, version: Version) -> Option<(u16, u8, &'a [u8])> {
    let (kind, length, flags) = match version {
        Version::One => {
            let head = (at.u16()?, at.u16()?, at.u8()?);
            at.skip(3)?;
            head
        }
        Version::Two { tracked } => {
            let head = (at.u8()?.into(), at.u16()?, at.u8()?);
            at.skip(if tracked { 2 } else { 0 })?;
            head
        }
    };
    Some((kind, flags, at.take(length.into())?))
}
