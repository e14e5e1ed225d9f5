//! Fractal heaps, where dense groups keep links and objects their many attributes: III.G.

use super::Format;
use super::cursor::Cursor;
use crate::floor::range::ByteRange;

/// Longest block that is looked at.
const LONGEST_BLOCK: u64 = 1 << 20;

/// A heap, as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heap {
    /// Blocks of one row in the doubling table.
    width: u64,
    first_block_length: u64,
    longest_direct_block: u64,
    /// Size of offsets within the heap, and of lengths of objects, in bytes.
    offset_size: u8,
    length_size: u8,
    pub(crate) root: Block,
}

/// A block of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Holds objects, from `offset` within the heap on.
    Direct { address: u64, offset: u64, length: u64 },
    /// Holds addresses of blocks, `rows` rows of them.
    Indirect { address: u64, offset: u64, rows: u16 },
}

/// An object of the heap, as its ID has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Managed {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

pub(crate) fn header_length(format: &Format) -> u64 {
    26 + 12 * u64::from(format.length_size) + 3 * u64::from(format.offset_size)
}

/// Reads a header. Heaps with filtered blocks are not followed.
pub(crate) fn header(bytes: &[u8], format: &Format) -> Option<Heap> {
    let (offset_size, length_size) = (usize::from(format.offset_size), usize::from(format.length_size));
    let mut at = Cursor::new(bytes);
    at.expect(b"FRHP\0")?;
    // Length of IDs.
    at.skip(2)?;
    // Length of the description of filters.
    at.expect(&[0, 0])?;
    at.skip(1)?;
    let longest_object = u64::from(at.u32()?);
    // Huge objects, free space.
    at.skip(2 * length_size + 2 * offset_size)?;
    // Managed space, its allocated part, an iterator; counts of managed, huge and tiny objects with sizes.
    at.skip(8 * length_size)?;
    let width = u64::from(at.u16()?);
    let first_block_length = at.length(format)?;
    let longest_direct_block = at.length(format)?;
    let bits = at.u16()?;
    // Rows that the root began with.
    at.skip(2)?;
    let address = at.address(format)??;
    let rows = at.u16()?;
    let sound = width > 0
        && (1..=64).contains(&bits)
        && first_block_length.is_power_of_two()
        && longest_direct_block.is_power_of_two()
        && first_block_length <= longest_direct_block
        && longest_direct_block <= LONGEST_BLOCK;
    if !sound {
        return None;
    }
    let root = match rows {
        0 => Block::Direct { address, offset: 0, length: first_block_length },
        rows => Block::Indirect { address, offset: 0, rows },
    };
    Some(Heap {
        width,
        first_block_length,
        longest_direct_block,
        offset_size: bits.div_ceil(8) as u8,
        // The direct block's length itself needs no encoding, that of the object may.
        length_size: longest_direct_block.ilog2().div_ceil(8).min(longest_object.max(1).ilog2() / 8 + 1)
            as u8,
        root,
    })
}

impl Heap {
    /// Reads the ID of a managed object; `None` for huge and tiny ones.
    pub(crate) fn managed(&self, id: &[u8]) -> Option<Managed> {
        let mut at = Cursor::new(id);
        at.expect(&[0])?;
        Some(Managed { offset: at.uint(self.offset_size.into())?, length: at.uint(self.length_size.into())? })
    }

    /// Blocks of row 0 and 1 have one length, from there on it doubles.
    fn block_length(&self, row: u16) -> Option<u64> {
        let doublings = u32::from(row.saturating_sub(1));
        self.first_block_length.checked_mul(1_u64.checked_shl(doublings)?)
    }

    /// Where a row's blocks begin, relative to the indirect block that lists them.
    fn row_offset(&self, row: u16) -> Option<u64> {
        if row == 0 { Some(0) } else { self.block_length(row)?.checked_mul(self.width) }
    }

    /// Rows of an indirect block that spans `length` bytes.
    fn rows_of(&self, length: u64) -> Option<u16> {
        let first_row = self.first_block_length.checked_mul(self.width)?;
        Some(u16::try_from((length / first_row).max(1).ilog2()).ok()? + 1)
    }

    fn prefix_length(&self, format: &Format) -> u64 {
        5 + u64::from(format.offset_size) + u64::from(self.offset_size)
    }

    /// The bytes of a block, as far as they are of interest.
    pub(crate) fn range(&self, block: &Block, format: &Format) -> Option<ByteRange> {
        match *block {
            Block::Direct { address, length, .. } => format.range(address, length),
            Block::Indirect { address, rows, .. } => {
                let entries = u64::from(rows) * self.width;
                let length = entries * u64::from(format.offset_size) + self.prefix_length(format) + 4;
                format.range(address, length.min(LONGEST_BLOCK))
            }
        }
    }

    /// The child number `number` of an indirect block at `offset`.
    fn child(&self, offset: u64, number: u64, address: u64) -> Option<Block> {
        let row = u16::try_from(number / self.width).ok()?;
        let length = self.block_length(row)?;
        let relative = self.row_offset(row)?.checked_add((number % self.width).checked_mul(length)?)?;
        let offset = offset.checked_add(relative)?;
        if length <= self.longest_direct_block {
            Some(Block::Direct { address, offset, length })
        } else {
            Some(Block::Indirect { address, offset, rows: self.rows_of(length)? })
        }
    }

    fn entries<'a>(&self, bytes: &'a [u8], format: &Format) -> Option<Cursor<'a>> {
        let mut at = Cursor::new(bytes);
        at.expect(b"FHIB\0")?;
        at.skip(usize::from(format.offset_size) + usize::from(self.offset_size))?;
        Some(at)
    }

    /// The blocks that the indirect block at `offset` lists, at most `most`.
    pub(crate) fn children(
        &self,
        bytes: &[u8],
        offset: u64,
        rows: u16,
        most: usize,
        format: &Format,
    ) -> Option<Vec<Block>> {
        let mut at = self.entries(bytes, format)?;
        let mut found = Vec::new();
        for number in 0..u64::from(rows) * self.width {
            let Some(address) = at.address(format) else { break };
            found.extend(address.and_then(|address| self.child(offset, number, address)));
            if found.len() >= most {
                break;
            }
        }
        Some(found)
    }

    /// The block, listed by the indirect block at `offset`, that holds `wanted` or leads there.
    pub(crate) fn toward(&self, bytes: &[u8], offset: u64, wanted: u64, format: &Format) -> Option<Block> {
        let relative = wanted.checked_sub(offset)?;
        let first_row = self.first_block_length.checked_mul(self.width)?;
        // Row r, but for the first, begins at first_row × 2^(r - 1).
        let doublings = (relative / first_row).checked_ilog2();
        let row = doublings.map_or(Some(0), |doublings| u16::try_from(doublings + 1).ok())?;
        let column = relative.checked_sub(self.row_offset(row)?)? / self.block_length(row)?;
        let number = u64::from(row).checked_mul(self.width)?.checked_add(column)?;
        let mut at = self.entries(bytes, format)?;
        at.skip(usize::try_from(number.checked_mul(format.offset_size.into())?).ok()?)?;
        self.child(offset, number, at.address(format)??)
    }

    /// Where an object is that lies in a direct block; offsets count the block's own prefix.
    pub(crate) fn place(
        &self,
        address: u64,
        offset: u64,
        length: u64,
        object: &Managed,
    ) -> Option<ByteRange> {
        let relative = object.offset.checked_sub(offset)?;
        let inside = relative.checked_add(object.length)? <= length;
        inside.then(|| ByteRange::with_length(address.checked_add(relative)?, object.length))?
    }
}
