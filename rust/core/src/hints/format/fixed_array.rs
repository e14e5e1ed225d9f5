//! Fixed arrays, the chunk index of datasets that cannot grow: VII.C.

use super::Format;
use super::cursor::Cursor;

/// How an element of a fixed or an extensible array is written: a chunk's address, where it is filtered
/// with its stored length and a filter mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) size: u8,
    pub(crate) filtered: bool,
}

impl Element {
    /// Of client ID 0 the elements are bare addresses, of 1 those of filtered chunks.
    pub(crate) fn new(client: u8, size: u8, format: &Format) -> Option<Self> {
        let filtered = match client {
            0 => false,
            1 => true,
            _ => return None,
        };
        let rest = size.checked_sub(format.offset_size)?;
        let sound = if filtered { (5..=12).contains(&rest) } else { rest == 0 };
        sound.then_some(Self { size, filtered })
    }

    /// Address of a chunk, and its stored length where it is filtered.
    pub(crate) fn read(&self, at: &mut Cursor<'_>, format: &Format) -> Option<(Option<u64>, Option<u64>)> {
        let mut element = Cursor::new(at.take(self.size.into())?);
        let address = element.address(format)?;
        let length = if self.filtered { Some(element.uint(element.left().checked_sub(4)?)?) } else { None };
        Some((address, length))
    }
}

/// A run of elements in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    pub(crate) address: u64,
    /// Index of the first one in the array.
    pub(crate) first: u64,
    pub(crate) count: u64,
    pub(crate) element: Element,
}

/// Elements that are looked at together, so that no page is too long.
const PIECE: u64 = 2048;

impl Elements {
    /// The part of a run that has the element `index`.
    pub(crate) fn piece(&self, index: u64) -> Option<Self> {
        let skipped = index.checked_sub(self.first).filter(|&at| at < self.count)? / PIECE * PIECE;
        Some(Self {
            address: self.address.checked_add(skipped.checked_mul(self.element.size.into())?)?,
            first: self.first.checked_add(skipped)?,
            count: (self.count - skipped).min(PIECE),
            ..*self
        })
    }
}

/// How elements are spread over a block, to know from a place in it which they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paging {
    /// Bytes before the first page, of a page, and of the block.
    pub(crate) prefix: u64,
    pub(crate) page_length: u64,
    pub(crate) total: u64,
    /// Elements of a page.
    pub(crate) step: u64,
}

impl Paging {
    /// Index, relative to the block's first, of an element near the byte `offset`.
    pub(crate) fn index_at(&self, offset: u64) -> u64 {
        (offset.saturating_sub(self.prefix) / self.page_length.max(1)).saturating_mul(self.step)
    }
}

/// A fixed array, as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) block: u64,
    pub(crate) count: u64,
    element: Element,
    page_bits: u8,
}

pub(crate) fn header_length(format: &Format) -> u64 {
    12 + u64::from(format.offset_size) + u64::from(format.length_size)
}

pub(crate) fn header(bytes: &[u8], format: &Format) -> Option<Array> {
    let mut at = Cursor::new(bytes);
    at.expect(b"FAHD\0")?;
    let client = at.u8()?;
    let element = Element::new(client, at.u8()?, format)?;
    let page_bits = at.u8().filter(|&bits| bits < 64)?;
    let count = at.length(format)?;
    Some(Array { block: at.address(format)??, count, element, page_bits })
}

/// Longest map of initialized pages that is looked at.
const LONGEST_MAP: u64 = 1 << 15;

impl Array {
    fn page(&self) -> u64 {
        1 << self.page_bits
    }

    /// Number of pages; 0 where the block's elements are not in pages.
    pub(crate) fn pages(&self) -> u64 {
        if self.count > self.page() { self.count.div_ceil(self.page()) } else { 0 }
    }

    fn map_length(&self) -> u64 {
        self.pages().div_ceil(8)
    }

    /// Bytes of the block before its elements; the checksum comes first where there are pages.
    fn prefix_length(&self, format: &Format) -> u64 {
        let checksum = if self.pages() > 0 { 4 } else { 0 };
        6 + u64::from(format.offset_size) + self.map_length() + checksum
    }

    /// The whole block.
    pub(crate) fn paging(&self, format: &Format) -> Paging {
        let (step, checksum) = if self.pages() > 0 { (self.page(), 4) } else { (self.count.max(1), 0) };
        let page_length = step.saturating_mul(self.element.size.into()).saturating_add(checksum);
        let prefix = self.prefix_length(format);
        Paging {
            prefix,
            page_length,
            step,
            total: page_length.saturating_mul(self.pages().max(1)).saturating_add(prefix),
        }
    }

    /// What to have of the block to find its elements.
    pub(crate) fn block_length(&self, format: &Format) -> u64 {
        self.prefix_length(format).min(LONGEST_MAP)
    }

    /// Elements around `index`, given the block's first bytes.
    pub(crate) fn elements(&self, bytes: &[u8], index: u64, format: &Format) -> Option<Elements> {
        let mut at = Cursor::new(bytes);
        at.expect(b"FADB\0")?;
        at.expect(&[u8::from(self.element.filtered)])?;
        at.skip(format.offset_size.into())?;
        if index >= self.count {
            return None;
        }
        let start = self.block.checked_add(self.prefix_length(format))?;
        let (address, first, count) = if self.pages() == 0 {
            (start, 0, self.count)
        } else {
            let page = index >> self.page_bits;
            at.skip(usize::try_from(page / 8).ok()?)?;
            if !page_is_set(at.u8()?, page) {
                return None;
            }
            let page_length = self.page().checked_mul(self.element.size.into())?.checked_add(4)?;
            let first = page << self.page_bits;
            let address = start.checked_add(page.checked_mul(page_length)?)?;
            (address, first, self.page().min(self.count - first))
        };
        Elements { address, first, count, element: self.element }.piece(index)
    }
}

/// Whether a page has been written, from its byte of the map: the first page is the highest bit.
pub(crate) fn page_is_set(byte: u8, page: u64) -> bool {
    byte & (0x80 >> (page % 8)) != 0
}
