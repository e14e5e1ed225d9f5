//! Parsers on real bytes and on short ones; whole files are in `hints::tests`.

use super::cursor::Cursor;
use super::*;

/// The usual sizes.
pub(crate) fn format(file_size: u64) -> Format {
    Format {
        offset_size: 8,
        length_size: 8,
        base: 0,
        file_size,
        group_leaf_k: 4,
        group_internal_k: 16,
        chunk_k: 32,
    }
}

#[test]
fn numbers_are_little_endian_and_end_with_the_bytes() {
    let mut at = Cursor::new(&[1, 2, 0, 3, 0, 0, 0, 0xff, 0xff]);
    assert_eq!((at.u8(), at.u16(), at.uint(3), at.u64()), (Some(1), Some(2), Some(3), None));
    assert_eq!((at.uint(9), at.left()), (None, 3));
}

#[test]
fn addresses_count_from_the_start_of_the_file_and_may_be_undefined() {
    let format = Format { offset_size: 4, base: 512, ..format(1000) };
    let mut at = Cursor::new(&[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 4, 0, 0, 9]);
    assert_eq!(at.address(&format), Some(Some(513)));
    assert_eq!(at.address(&format), Some(None));
    assert_eq!(at.address(&format), Some(None), "behind the end");
    assert_eq!(at.address(&format), None, "too few bytes");
}

#[test]
fn a_superblock_may_lie_at_0_512_1024_and_so_on() {
    assert_eq!(superblock::places(0).count(), 0);
    assert_eq!(superblock::places(1025).collect::<Vec<u64>>(), [0, 512, 1024]);
    assert!(superblock::places(u64::MAX).count() < 64);
}

#[test]
fn layouts_of_version_1_give_bytes_by_their_dimensions() {
    let format = format(1 << 20);
    let mut message = vec![1, 2, 1, 0, 0, 0, 0, 0];
    message.extend_from_slice(&4096_u64.to_le_bytes());
    message.extend_from_slice(&[10, 0, 0, 0, 4, 0, 0, 0]);
    let expected = layout::Layout::Contiguous(ByteRange::new(4096, 4136));
    assert_eq!(layout::layout(&message, &format), Some(expected));
    // Chunks of 10 elements of 4 bytes.
    message[2] = 2;
    let Some(layout::Layout::Chunked(chunked)) = layout::layout(&message, &format) else { panic!() };
    assert_eq!((&chunked.chunk_dims[..], chunked.element_size), (&[10][..], 4));
    assert_eq!(chunked.index, layout::Index::BtreeV1(4096));
    message[0] = 9;
    assert_eq!(layout::layout(&message, &format), None);
}

#[test]
fn layouts_of_version_5_are_those_of_version_4() {
    let format = format(1 << 20);
    for version in [4, 5] {
        let mut message = vec![version, 2, 0, 2, 1, 16, 8, 3, 10];
        message.extend_from_slice(&2048_u64.to_le_bytes());
        let Some(layout::Layout::Chunked(chunked)) = layout::layout(&message, &format) else { panic!() };
        assert_eq!((&chunked.chunk_dims[..], chunked.element_size), (&[16][..], 8));
        assert_eq!(chunked.index, layout::Index::FixedArray(2048));
    }
}

#[test]
fn elements_of_variable_length_name_their_collections_once() {
    let format = format(1 << 20);
    let mut elements = Vec::new();
    for (length, address) in [(5_u32, 4096_u64), (2, 4096), (0, 8192), (1, u64::MAX), (3, 16384), (1, 4096)] {
        elements.extend_from_slice(&length.to_le_bytes());
        elements.extend_from_slice(&address.to_le_bytes());
        elements.extend_from_slice(&1_u32.to_le_bytes());
    }
    assert_eq!(global_heap::collections(&elements, &format, 10), [4096, 16384]);
    assert_eq!(global_heap::collections(&elements, &format, 1), [4096]);
}

#[test]
fn the_doubling_table_of_a_heap_leads_to_every_offset() {
    // Width 4, blocks from 512 bytes, direct ones up to 2048: rows of 512, 512, 1024, 2048, then indirect.
    let mut header = b"FRHP\0\x07\0\0\0\x02\xff\x0f\0\0".to_vec();
    header.extend_from_slice(&[0; 8 * 12]);
    header.extend_from_slice(&4_u16.to_le_bytes());
    header.extend_from_slice(&512_u64.to_le_bytes());
    header.extend_from_slice(&2048_u64.to_le_bytes());
    header.extend_from_slice(&[32, 0, 1, 0]);
    header.extend_from_slice(&9000_u64.to_le_bytes());
    header.extend_from_slice(&[6, 0]);
    let format = format(1 << 20);
    let heap = fractal_heap::header(&header, &format).unwrap();
    assert_eq!(heap.root, fractal_heap::Block::Indirect { address: 9000, offset: 0, rows: 6 });
    let mut block = b"FHIB\0".to_vec();
    block.extend_from_slice(&[0; 12]);
    for child in 0..24_u64 {
        block.extend_from_slice(&(10_000 + child).to_le_bytes());
    }
    let children = heap.children(&block, 0, 6, 100, &format).unwrap();
    assert_eq!(children.len(), 24);
    let span = |block: &fractal_heap::Block| match *block {
        fractal_heap::Block::Direct { offset, length, .. } => (offset, offset + length),
        fractal_heap::Block::Indirect { offset, rows, .. } => (offset, offset + ((512 * 4) << (rows - 1))),
    };
    let mut end = 0;
    for child in &children {
        let (start, next) = span(child);
        assert_eq!(start, end, "{child:?}");
        for offset in [start, next - 1] {
            assert_eq!(heap.toward(&block, 0, offset, &format).as_ref(), Some(child), "{offset}");
        }
        end = next;
    }
    assert!(
        matches!(children[16], fractal_heap::Block::Indirect { offset: 16384, rows: 2, .. }),
        "{:?}",
        children[16]
    );
}

#[test]
fn a_heap_of_blocks_without_length_is_none() {
    let mut header = b"FRHP\0\x07\0\0\0\0\0\0\0\0".to_vec();
    header.resize(146, 0);
    assert_eq!(fractal_heap::header(&header, &format(1 << 20)), None);
}
