//! Replays what libhdf5 read, with and without hints, and counts the round trips. For development: needs
//! `REMFILE_TRACE_DIR`, a folder of files with a path in the first line, then `OFFSET LENGTH` of each read.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::super::*;
use super::support::Blocks;

const BLOCK: u64 = 32 << 10;
const HEAD: u64 = 512 << 10;

/// What libhdf5 would say that a read is for.
fn kind(bytes: &[u8], range: ByteRange) -> Kind {
    let first = bytes.get(range.start() as usize..).unwrap_or_default();
    let starts = |signatures: &[&[u8]]| signatures.iter().any(|signature| first.starts_with(signature));
    if starts(&[b"TREE", b"SNOD", b"BT", b"EASB"]) {
        Kind::BTree
    } else if starts(&[b"HEAP", b"FADB", b"EADB", b"FHDB"]) {
        Kind::LocalHeap
    } else if starts(&[b"OHDR", b"OCHK", b"FA", b"EA", b"FR", b"FHIB"])
        || (starts(&[&[1, 0]]) && range.length() == 512)
    {
        Kind::ObjectHeader
    } else if range.length() < 24 || range.start() < 2048 {
        Kind::Default
    } else {
        Kind::Raw
    }
}

#[derive(Debug, Default)]
struct Cost {
    /// Reads that had to ask, and that waited for what had been asked for as a hint.
    asked: usize,
    late: usize,
    blocks: usize,
    time: Duration,
}

fn replay(bytes: &[u8], reads: &[ByteRange], with_hints: bool) -> Cost {
    let mut hints = Hints::new(bytes.len() as u64);
    let mut memory = Blocks::new(bytes, BLOCK, HEAD);
    let mut coming: BTreeSet<u64> = BTreeSet::new();
    let mut cost = Cost::default();
    let blocks_of = |range: ByteRange| range.start() / BLOCK..range.end().div_ceil(BLOCK);
    for &range in reads {
        let kind = kind(bytes, range);
        let mut wishes = Vec::new();
        let begun = Instant::now();
        if with_hints {
            hints.note(kind, range, Supply::Missing);
            if kind == Kind::Raw {
                wishes = hints.expect_chunks(range, Supply::Missing, &memory);
            }
            if kind != Kind::Raw || !wishes.is_empty() {
                wishes.extend(hints.advance(&memory, 256));
            }
        }
        cost.time += begun.elapsed();
        let ask = |coming: &mut BTreeSet<u64>, memory: &Blocks<'_>, range| {
            coming.extend(blocks_of(range).filter(|block| !memory.here.contains(block)));
        };
        for wish in wishes {
            ask(&mut coming, &memory, wish.range);
        }
        if blocks_of(range).all(|block| memory.here.contains(&block)) {
            continue;
        }
        let late = blocks_of(range).all(|block| memory.here.contains(&block) || coming.contains(&block));
        *(if late { &mut cost.late } else { &mut cost.asked }) += 1;
        ask(&mut coming, &memory, range);
        cost.blocks += coming.len();
        let begun = Instant::now();
        let arrived: Vec<u64> = std::mem::take(&mut coming).into_iter().collect();
        for block in arrived {
            memory.here.insert(block);
            hints.landed(ByteRange::new(block * BLOCK, (block + 1) * BLOCK));
        }
        if with_hints {
            for wish in hints.advance(&memory, 256) {
                ask(&mut coming, &memory, wish.range);
            }
        }
        cost.time += begun.elapsed();
    }
    cost.blocks += coming.len();
    cost
}

#[test]
fn traces() {
    let Some(folder) = std::env::var_os("REMFILE_TRACE_DIR") else { return };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        let bytes = std::fs::read(lines.next().unwrap()).unwrap();
        let reads: Vec<ByteRange> = lines
            .filter_map(|line| {
                let (start, length) = line.split_once(' ')?;
                let (start, length) = (start.parse::<u64>().ok()?, length.parse::<u64>().ok()?);
                Some(ByteRange::new(start, (start + length).min(bytes.len() as u64)))
            })
            .collect();
        for with_hints in [false, true] {
            let Cost { asked, late, blocks, time } = replay(&bytes, &reads, with_hints);
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let megabytes = blocks as u64 * BLOCK / 1_000_000;
            let hints = if with_hints { "hints" } else { "plain" };
            println!(
                "{name:14} {hints} {} reads: {asked} asked, {late} late, {megabytes} MB, {time:?}",
                reads.len()
            );
        }
    }
}
