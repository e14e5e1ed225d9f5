//! Extensible arrays, the chunk index of datasets that grow in one dimension: VII.D.
//!
//! The index block has the first elements, then addresses of data blocks, then of super blocks, which
//! have those of more data blocks. Super block number s (the first few exist in name only: the index block
//! has their data blocks) has 2^(s/2) data blocks of 2^((s+1)/2) times the least number of elements.

use super::Format;
use super::cursor::Cursor;
use super::fixed_array::{Element, Elements, Paging, page_is_set};

/// An extensible array, as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) index_block: u64,
    /// One more than the highest index that was set.
    pub(crate) count: u64,
    element: Element,
    /// Bits of the highest possible index.
    bits: u8,
    in_index_block: u8,
    least_elements: u8,
    least_pointers: u8,
    page_bits: u8,
}

/// Where an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Elements(Elements),
    DataBlock(DataBlock),
    SuperBlock(SuperBlock),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SuperBlock {
    pub(crate) address: u64,
    number: u32,
}

/// A data block, with the index of its first element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DataBlock {
    pub(crate) address: u64,
    pub(crate) first: u64,
    pub(crate) count: u64,
}

pub(crate) fn header_length(format: &Format) -> u64 {
    16 + 6 * u64::from(format.length_size) + u64::from(format.offset_size)
}

pub(crate) fn header(bytes: &[u8], format: &Format) -> Option<Array> {
    let mut at = Cursor::new(bytes);
    at.expect(b"EAHD\0")?;
    let client = at.u8()?;
    let element = Element::new(client, at.u8()?, format)?;
    let bits = at.u8()?;
    let in_index_block = at.u8()?;
    let least_elements = at.u8()?;
    let least_pointers = at.u8()?;
    let page_bits = at.u8()?;
    // Numbers and sizes of super blocks and of data blocks.
    at.skip(4 * usize::from(format.length_size))?;
    let count = at.length(format)?;
    at.skip(format.length_size.into())?;
    let index_block = at.address(format)??;
    let sound = (1..=64).contains(&bits)
        && least_elements.is_power_of_two()
        && least_pointers.is_power_of_two()
        && least_pointers > 1
        && page_bits < 64;
    let array = Array {
        index_block,
        count,
        element,
        bits,
        in_index_block,
        least_elements,
        least_pointers,
        page_bits,
    };
    sound.then_some(array)
}

/// Longest super block that is looked at.
const LONGEST_SUPER_BLOCK: u64 = 1 << 17;

impl Array {
    fn offset_size(&self) -> u64 {
        self.bits.div_ceil(8).into()
    }

    /// Super blocks whose data blocks the index block has.
    fn super_blocks_in_index(&self) -> u32 {
        2 * self.least_pointers.ilog2()
    }

    fn data_blocks_in_index(&self) -> u64 {
        2 * (u64::from(self.least_pointers) - 1)
    }

    fn super_blocks(&self) -> u32 {
        (1 + u32::from(self.bits)).saturating_sub(self.least_elements.ilog2())
    }

    fn elements_in_index(&self) -> u64 {
        u64::from(self.in_index_block) * u64::from(self.element.size)
    }

    /// Bytes of the index block.
    pub(crate) fn index_block_length(&self, format: &Format) -> u64 {
        let behind = u64::from(self.super_blocks().saturating_sub(self.super_blocks_in_index()));
        let pointers = (self.data_blocks_in_index() + behind) * u64::from(format.offset_size);
        10 + u64::from(format.offset_size) + self.elements_in_index() + pointers
    }

    /// Data blocks of a super block, and the elements of each.
    fn shape(&self, number: u32) -> Option<(u64, u64)> {
        let blocks = 1_u64.checked_shl(number / 2)?;
        let elements = u64::from(self.least_elements).checked_mul(1_u64.checked_shl(number.div_ceil(2))?)?;
        Some((blocks, elements))
    }

    /// Index of the first element of a super block.
    fn first_of(&self, number: u32) -> Option<u64> {
        let before = 1_u64.checked_shl(number)? - 1;
        before.checked_mul(self.least_elements.into())?.checked_add(self.in_index_block.into())
    }

    fn page(&self) -> u64 {
        1 << self.page_bits
    }

    fn pages(&self, elements: u64) -> u64 {
        if elements > self.page() { elements >> self.page_bits } else { 0 }
    }

    /// From the index block towards the element `index`.
    pub(crate) fn toward_by_index_block(&self, bytes: &[u8], index: u64, format: &Format) -> Option<Step> {
        let mut at = self.opened(bytes, b"EAIB\0", format)?;
        if index >= self.count {
            return None;
        }
        let in_block = u64::from(self.in_index_block);
        if index < in_block {
            let address = self.index_block.checked_add(6 + u64::from(format.offset_size))?;
            let all = Elements { address, first: 0, count: in_block, element: self.element };
            return all.piece(index).map(Step::Elements);
        }
        at.skip(usize::try_from(self.elements_in_index()).ok()?)?;
        let number = ((index - in_block) / u64::from(self.least_elements)).checked_add(1)?.ilog2();
        let skip = |at: &mut Cursor<'_>, count: u64| {
            at.skip(usize::try_from(count.checked_mul(format.offset_size.into())?).ok()?)
        };
        if number >= self.super_blocks_in_index() {
            let before = u64::from(number - self.super_blocks_in_index());
            skip(&mut at, self.data_blocks_in_index().checked_add(before)?)?;
            return Some(Step::SuperBlock(SuperBlock { address: at.address(format)??, number }));
        }
        let (_, elements) = self.shape(number)?;
        let within = index.checked_sub(self.first_of(number)?)? / elements;
        let before: u64 = (0..number).map(|number| 1 << (number / 2)).sum();
        skip(&mut at, before.checked_add(within)?)?;
        let first = self.first_of(number)?.checked_add(within.checked_mul(elements)?)?;
        Some(Step::DataBlock(DataBlock { address: at.address(format)??, first, count: elements }))
    }

    /// What to have of a super block.
    pub(crate) fn super_block_length(&self, block: &SuperBlock, format: &Format) -> Option<u64> {
        let (blocks, elements) = self.shape(block.number)?;
        let pointers = blocks.saturating_mul(format.offset_size.into());
        let map = blocks.saturating_mul(self.pages(elements).div_ceil(8));
        let prefix = 10 + u64::from(format.offset_size) + self.offset_size();
        Some(prefix.saturating_add(pointers).saturating_add(map).min(LONGEST_SUPER_BLOCK))
    }

    /// From a super block towards the element `index`.
    pub(crate) fn toward_by_super_block(
        &self,
        bytes: &[u8],
        block: &SuperBlock,
        index: u64,
        format: &Format,
    ) -> Option<Step> {
        let mut at = self.opened(bytes, b"EASB\0", format)?;
        at.skip(usize::try_from(self.offset_size()).ok()?)?;
        let (blocks, elements) = self.shape(block.number)?;
        let relative = index.checked_sub(self.first_of(block.number)?)?;
        let within = relative / elements;
        let pages = self.pages(elements);
        if within >= blocks {
            return None;
        }
        if pages > 0 {
            let map_length = usize::try_from(blocks.checked_mul(pages.div_ceil(8))?).ok()?;
            let mut map = Cursor::new(at.take(map_length)?);
            let page = within.checked_mul(pages)?.checked_add((relative % elements) >> self.page_bits)?;
            map.skip(usize::try_from(page / 8).ok()?)?;
            if !page_is_set(map.u8()?, page) {
                return None;
            }
        }
        at.skip(usize::try_from(within.checked_mul(format.offset_size.into())?).ok()?)?;
        let first = self.first_of(block.number)?.checked_add(within.checked_mul(elements)?)?;
        Some(Step::DataBlock(DataBlock { address: at.address(format)??, first, count: elements }))
    }

    /// Bytes of a data block before its elements; a checksum comes first where there are pages.
    pub(crate) fn data_block_prefix(&self, block: &DataBlock, format: &Format) -> u64 {
        let checksum = if self.pages(block.count) > 0 { 4 } else { 0 };
        6 + u64::from(format.offset_size) + self.offset_size() + checksum
    }

    /// The whole data block.
    pub(crate) fn paging(&self, block: &DataBlock, format: &Format) -> Paging {
        let pages = self.pages(block.count);
        let (step, checksum) = if pages > 0 { (self.page(), 4) } else { (block.count, 0) };
        let page_length = step.saturating_mul(self.element.size.into()).saturating_add(checksum);
        let prefix = self.data_block_prefix(block, format);
        Paging {
            prefix,
            page_length,
            step,
            total: page_length.saturating_mul(pages.max(1)).saturating_add(prefix),
        }
    }

    /// Elements of a data block around `index`.
    pub(crate) fn elements_in(
        &self,
        bytes: &[u8],
        block: &DataBlock,
        index: u64,
        format: &Format,
    ) -> Option<Elements> {
        self.opened(bytes, b"EADB\0", format)?;
        let relative = index.checked_sub(block.first).filter(|&relative| relative < block.count)?;
        let start = block.address.checked_add(self.data_block_prefix(block, format))?;
        let all = Elements { address: start, first: block.first, count: block.count, element: self.element };
        let run = if self.pages(block.count) == 0 {
            all
        } else {
            let page = relative >> self.page_bits;
            let length = self.page().checked_mul(self.element.size.into())?.checked_add(4)?;
            Elements {
                address: start.checked_add(page.checked_mul(length)?)?,
                first: block.first.checked_add(page << self.page_bits)?,
                count: self.page(),
                ..all
            }
        };
        run.piece(index)
    }

    /// Checks signature, version, client and owner, and goes behind them.
    fn opened<'a>(&self, bytes: &'a [u8], signature: &[u8], format: &Format) -> Option<Cursor<'a>> {
        let mut at = Cursor::new(bytes);
        at.expect(signature)?;
        at.expect(&[u8::from(self.element.filtered)])?;
        at.skip(format.offset_size.into())?;
        Some(at)
    }
}
