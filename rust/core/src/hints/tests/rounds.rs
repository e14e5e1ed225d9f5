//! How many round trips that depend on each other a crawl takes.

use super::super::*;
use super::support::{Blocks, all_wishes, file};

const BLOCK: u64 = 100 << 10;

/// Fetches in rounds all that is wished for; rounds until nothing is, and blocks.
fn rounds(bytes: &[u8], block: u64, hints: &mut Hints) -> (usize, usize) {
    let mut memory = Blocks::new(bytes, block, 5 * block);
    let mut blocks = 0;
    for round in 0..100 {
        let wishes = all_wishes(hints, &memory);
        if wishes.is_empty() {
            return (round, blocks);
        }
        blocks += memory.fetch(&wishes, hints);
    }
    panic!("no end");
}

/// A file of the earliest format: a root with `many` groups of a dataset each, all far from each other.
struct Builder {
    bytes: Vec<u8>,
    end: u64,
    distance: u64,
}

const UNDEFINED: u64 = u64::MAX;

impl Builder {
    /// Writes something at the end of the file and leaves a gap.
    fn put(&mut self, bytes: &[u8]) -> u64 {
        let at = self.end;
        self.end = (at + bytes.len() as u64).next_multiple_of(self.distance);
        self.bytes.resize(self.end as usize, 0);
        self.bytes[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        at
    }

    fn header(&mut self, messages: &[(u16, Vec<u8>)]) -> u64 {
        let mut body = Vec::new();
        for (kind, content) in messages {
            body.extend_from_slice(&kind.to_le_bytes());
            body.extend_from_slice(&(content.len() as u16).to_le_bytes());
            body.extend_from_slice(&[0; 4]);
            body.extend_from_slice(content);
        }
        let mut header = vec![1, 0];
        header.extend_from_slice(&(messages.len() as u16).to_le_bytes());
        header.extend_from_slice(&1_u32.to_le_bytes());
        header.extend_from_slice(&(body.len() as u32).to_le_bytes());
        header.extend_from_slice(&[0; 4]);
        header.extend_from_slice(&body);
        self.put(&header)
    }

    fn tree(&mut self, level: u8, children: &[u64]) -> u64 {
        let mut node = b"TREE\0".to_vec();
        node.push(level);
        node.extend_from_slice(&(children.len() as u16).to_le_bytes());
        node.extend_from_slice(&[0xff; 16]);
        for child in children {
            node.extend_from_slice(&0_u64.to_le_bytes());
            node.extend_from_slice(&child.to_le_bytes());
        }
        node.resize(544, 0);
        self.put(&node)
    }

    fn symbols(&mut self, headers: &[u64]) -> u64 {
        let mut node = b"SNOD\x01\0".to_vec();
        node.extend_from_slice(&(headers.len() as u16).to_le_bytes());
        for header in headers {
            node.extend_from_slice(&0_u64.to_le_bytes());
            node.extend_from_slice(&header.to_le_bytes());
            node.extend_from_slice(&[0; 24]);
        }
        node.resize(328, 0);
        self.put(&node)
    }

    /// A group of objects: its header.
    fn group(&mut self, objects: &[u64]) -> u64 {
        let mut nodes: Vec<u64> = objects.chunks(8).map(|headers| self.symbols(headers)).collect();
        let mut level = 0;
        loop {
            nodes = nodes.chunks(32).map(|children| self.tree(level, children)).collect();
            level += 1;
            if nodes.len() == 1 {
                break;
            }
        }
        let names = self.put(b"names");
        let mut heap = b"HEAP\0\0\0\0".to_vec();
        for value in [5, UNDEFINED, names] {
            heap.extend_from_slice(&value.to_le_bytes());
        }
        let heap = self.put(&heap);
        self.header(&[(0x11, [nodes[0].to_le_bytes(), heap.to_le_bytes()].concat())])
    }

    fn file(many: usize, distance: u64) -> Vec<u8> {
        let mut file = Self { bytes: Vec::new(), end: 0, distance };
        file.put(&[0; 96]);
        let groups: Vec<u64> = (0..many)
            .map(|_| {
                let dataset = file.header(&[(0x0c, vec![1, 0, 8, 0])]);
                file.group(&[dataset])
            })
            .collect();
        let root = file.group(&groups);
        let mut superblock = b"\x89HDF\r\n\x1a\n".to_vec();
        superblock.extend_from_slice(&[0, 0, 0, 0, 0, 8, 8, 0, 4, 0, 16, 0, 0, 0, 0, 0]);
        for value in [0, UNDEFINED, file.end, UNDEFINED, 0, root, 0, 0, 0] {
            superblock.extend_from_slice(&value.to_le_bytes());
        }
        file.bytes[..96].copy_from_slice(&superblock[..96]);
        file.bytes
    }
}

#[test]
fn a_thousand_groups_take_rounds_by_depth_not_by_number() {
    for (distance, block) in [(1, BLOCK), (4096, BLOCK), (8192, 4096)] {
        let bytes = Builder::file(1000, distance);
        let mut hints = Hints::new(bytes.len() as u64);
        let (rounds, blocks) = rounds(&bytes, block, &mut hints);
        println!(
            "1,000 groups {distance} bytes apart, {} bytes: {rounds} rounds, {blocks} blocks",
            bytes.len()
        );
        assert_eq!(hints.crawler.as_ref().unwrap().headers.len(), 2001);
        assert!(rounds <= 8, "{rounds} rounds");
    }
}

#[test]
fn real_files_take_few_rounds() {
    let most = [
        ("pynwb_ephys_chunked.nwb", 5),
        ("pynwb_icephys.nwb", 5),
        ("aqnwb_recording.nwb", 2),
        ("test_large_group_earliest.hdf5", 0),
        ("chunked_v4_datasets.hdf5", 2),
    ];
    for (name, most) in most {
        let Some(bytes) = file(name) else { continue };
        let mut hints = Hints::new(bytes.len() as u64);
        let (rounds, blocks) = rounds(&bytes, BLOCK, &mut hints);
        println!("{name}: {rounds} rounds, {blocks} blocks of {}", bytes.len() as u64 / BLOCK + 1);
        assert!(rounds <= most, "{name}: {rounds} rounds");
    }
}

#[test]
fn with_small_blocks_and_no_head_everything_is_found_all_the_same() {
    for name in ["dense_groups.h5", "old_groups.h5", "user_block.h5", "sizes_4_8_latest.h5", "small_k.h5"] {
        let bytes = file(name).unwrap();
        let mut whole = Hints::new(bytes.len() as u64);
        all_wishes(&mut whole, &super::support::Whole(bytes.clone()));
        for block in [64, 1000] {
            let mut hints = Hints::new(bytes.len() as u64);
            let mut memory = Blocks::new(&bytes, block, 0);
            let mut rounds = 0;
            loop {
                let wishes = all_wishes(&mut hints, &memory);
                if wishes.is_empty() {
                    break;
                }
                memory.fetch(&wishes, &mut hints);
                rounds += 1;
                // Attributes that were added one by one make a long chain of continuations.
                assert!(rounds < 100, "{name} {wishes:?}");
            }
            let headers = |hints: &Hints| hints.crawler.as_ref().map(|crawler| crawler.headers.clone());
            assert_eq!(headers(&hints), headers(&whole), "{name}");
            println!("{name} in blocks of {block}: {rounds} rounds");
        }
    }
}

#[test]
fn what_libhdf5_reads_comes_first_and_a_bound_on_wishes_holds() {
    let bytes = Builder::file(300, 8192);
    let mut hints = Hints::new(bytes.len() as u64);
    let mut memory = Blocks::new(&bytes, 4096, 4096);
    // The root group's parts: after them come hundreds of groups.
    for _ in 0..4 {
        let wishes = hints.advance(&memory, 1000);
        memory.fetch(&wishes, &mut hints);
    }
    assert!(hints.advance(&memory, 0).is_empty());
    let first = hints.advance(&memory, 10);
    assert_eq!(first.len(), 10);
    assert!(hints.has_more());
    // One of the last groups is opened: its own parts are wished for before other groups.
    let last = *hints.crawler.as_ref().unwrap().headers.iter().next().unwrap();
    let headers: Vec<u64> =
        (0..bytes.len() as u64).step_by(8192).filter(|&at| bytes[at as usize] == 1).collect();
    let group = headers[headers.len() - 4];
    assert_ne!(group, last);
    let range = ByteRange::new(group, group + 512);
    hints.note(Kind::ObjectHeader, range, Supply::Missing);
    memory.here.extend(group / 4096..=group / 4096);
    hints.landed(range);
    let next = hints.advance(&memory, 2);
    let near = |wish: &Wish| wish.range.start().abs_diff(group) < 6 * 8192;
    assert!(next.iter().all(near), "{next:?} {group}");
}
