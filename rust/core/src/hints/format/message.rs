//! Header messages, IV.A.2, as far as they lead to something.

use super::Format;
use super::attribute::{Attribute, Datatype, attribute, datatype};
use super::cursor::Cursor;
use super::dataspace::{Dataspace, dataspace};
use super::layout::{Layout, layout};
use super::link::{Dense, dense, link};
use super::symbol_node::{SymbolTable, symbol_table};
use crate::floor::range::ByteRange;

/// A message that is not in the header but in another one, or in the file's table of shared messages.
pub(crate) const FLAG_SHARED: u8 = 2;

/// A message of interest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Dataspace(Dataspace),
    Datatype(Datatype),
    Layout(Layout),
    /// The object header that a hard link names.
    Link(u64),
    Links(Dense),
    Attribute(Attribute),
    Attributes(Dense),
    SymbolTable(SymbolTable),
    Continuation(ByteRange),
    /// Another object header that holds a message of this one, such as a committed datatype.
    Header(u64),
    /// K of chunk B-trees, of the groups' internal nodes and of their leaves.
    BtreeK([u16; 3]),
    /// The local heap with the names of files that hold the raw data.
    ExternalFiles(u64),
}

/// The object header that a shared message stands in (IV.A.2, "Shared Message").
pub(crate) fn shared_header(bytes: &[u8], format: &Format) -> Option<u64> {
    let mut at = Cursor::new(bytes);
    let version = at.u8()?;
    let kind = at.u8()?;
    match (version, kind) {
        // Six reserved bytes, then what was a symbol table entry: the heap's address, the header's.
        (1, _) => at.skip(6 + usize::from(format.length_size))?,
        (2, _) | (3, 2) => (),
        // In the table of shared messages, whose heap is not followed.
        _ => return None,
    }
    at.address(format)?
}

/// Reads the message of type `kind`; `None` where it is of no interest or not understood.
pub(crate) fn message(kind: u16, flags: u8, bytes: &[u8], format: &Format) -> Option<Message> {
    if flags & FLAG_SHARED != 0 {
        return shared_header(bytes, format).map(Message::Header);
    }
    let mut at = Cursor::new(bytes);
    match kind {
        0x01 => dataspace(bytes, format).map(Message::Dataspace),
        0x02 => dense(bytes, 8, format).map(Message::Links),
        0x03 => datatype(bytes).map(Message::Datatype),
        0x06 => link(bytes, format)?.map(Message::Link),
        0x07 => {
            at.expect(&[1])?;
            at.skip(7)?;
            at.address(format)?.map(Message::ExternalFiles)
        }
        0x08 => layout(bytes, format).map(Message::Layout),
        0x0c => attribute(bytes, format).map(Message::Attribute),
        0x10 => {
            let start = at.address(format)??;
            format.range(start, at.length(format)?).map(Message::Continuation)
        }
        0x11 => symbol_table(&mut at, format).map(Message::SymbolTable),
        0x13 => {
            at.expect(&[0])?;
            Some(Message::BtreeK([at.u16()?, at.u16()?, at.u16()?]))
        }
        0x15 => dense(bytes, 2, format).map(Message::Attributes),
        _ => None,
    }
}
