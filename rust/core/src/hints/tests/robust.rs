//! Broken files: no panic, and bounds on wishes and on work.

use std::cell::Cell;

use proptest::prelude::*;

use super::super::*;
use super::support::{Blocks, file};

/// Counts what is asked of a memory.
struct Counting<'a>(&'a dyn Memory, Cell<usize>, Cell<u64>);

impl Memory for Counting<'_> {
    fn get(&self, range: ByteRange) -> Option<Vec<u8>> {
        self.1.set(self.1.get() + 1);
        let bytes = self.0.get(range)?;
        self.2.set(self.2.get() + bytes.len() as u64);
        Some(bytes)
    }
}

const NAMES: [&str; 14] = [
    "dense_groups.h5",
    "old_groups.h5",
    "btree_v2.h5",
    "fixed_array.h5",
    "extensible_array.h5",
    "others.h5",
    "small_k.h5",
    "user_block.h5",
    "sizes_4_4_earliest.h5",
    "sizes_4_8_latest.h5",
    "test_vlen_datasets_latest.hdf5",
    "superblock-extension.hdf5",
    "test_attribute_latest.hdf5",
    "test_odd_datasets_earliest.hdf5",
];

/// A change of a file: where, as part of 2^32 of its length, and what.
#[derive(Clone, Debug)]
enum Change {
    Flip(u32, u8),
    /// A number of 8 bytes: an address or a length.
    Number(u32, u64),
    /// Bytes from elsewhere, so that signatures turn up where they should not.
    Copy(u32, u32),
    Cut(u32),
}

fn change() -> impl Strategy<Value = Change> {
    let number =
        prop_oneof![any::<u64>(), Just(u64::MAX), 0..100_000_u64, (0..64_u32).prop_map(|bits| 1 << bits)];
    prop_oneof![
        4 => (any::<u32>(), any::<u8>()).prop_map(|(at, bits)| Change::Flip(at, bits)),
        4 => (any::<u32>(), number).prop_map(|(at, number)| Change::Number(at, number)),
        1 => (any::<u32>(), any::<u32>()).prop_map(|(from, to)| Change::Copy(from, to)),
        1 => any::<u32>().prop_map(Change::Cut),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    // Metadata are mostly at the start of the fixtures; half of the changes go there.
    let place = |part: u32, length: usize| {
        let length = if part & 1 == 0 { length } else { length.min(6000) };
        ((u64::from(part) * length as u64) >> 32) as usize
    };
    match *change {
        Change::Flip(at, bits) => {
            let at = place(at, bytes.len());
            bytes[at] ^= bits;
        }
        Change::Number(at, number) => {
            let at = place(at, bytes.len());
            for (byte, new) in bytes[at..].iter_mut().zip(number.to_le_bytes()) {
                *byte = new;
            }
        }
        Change::Copy(from, to) => {
            let (from, to) = (place(from, bytes.len()), place(to, bytes.len()));
            let length = 64.min(bytes.len() - from.max(to));
            bytes.copy_within(from..from + length, to);
        }
        Change::Cut(at) => bytes.truncate(place(at, bytes.len()).max(1)),
    }
}

/// Crawls, reads raw data at chunks and anywhere, and holds every call to its bounds.
fn exercise(bytes: &[u8], block: u64, reads: &[u64]) {
    let size = bytes.len() as u64;
    let mut hints = Hints::new(size);
    let mut memory = Blocks::new(bytes, block, 0);
    let bounded = |memory: &Blocks<'_>, act: &mut dyn FnMut(&dyn Memory) -> Vec<Wish>| {
        let counting = Counting(memory, Cell::new(0), Cell::new(0));
        let wishes = act(&counting);
        assert!(counting.1.get() < 20_000, "{} looks", counting.1.get());
        assert!(counting.2.get() < 1 << 28, "{} bytes", counting.2.get());
        for wish in &wishes {
            assert!(wish.range.end() <= size && !wish.range.is_empty(), "{wish:?}");
        }
        wishes
    };
    let mut starts = std::collections::HashMap::new();
    for _ in 0..300 {
        let wishes = bounded(&memory, &mut |memory| hints.advance(memory, 50));
        assert!(wishes.len() <= 50 + 256);
        for wish in &wishes {
            let times = starts.entry(wish.range).or_insert(0);
            *times += 1;
            assert!(*times <= 2, "{wish:?} again and again");
        }
        let more = memory.fetch(&wishes, &mut hints) > 0;
        if !more && !hints.has_more() {
            break;
        }
    }
    let chunks: Vec<u64> = (0..hints.chunks.datasets().len())
        .flat_map(|id| (0..20).map(move |number| (id, number)))
        .take(200)
        .filter_map(|(id, number)| {
            let format = *hints.crawler.as_ref()?.format();
            match hints.chunks.find(id, number, &memory, &format) {
                index::Outcome::Chunk(chunk) => Some(chunk.start),
                _ => None,
            }
        })
        .collect();
    for start in chunks.iter().chain(reads) {
        let range = ByteRange::new(*start, start.saturating_add(100));
        let kind = if start % 3 == 0 { Kind::BTree } else { Kind::ObjectHeader };
        hints.note(if start % 5 == 0 { kind } else { Kind::Raw }, range, Supply::Missing);
        let wishes = bounded(&memory, &mut |memory| hints.expect_chunks(range, Supply::Missing, memory));
        assert!(wishes.len() <= 300);
        memory.fetch(&wishes, &mut hints);
        let wishes = bounded(&memory, &mut |memory| hints.advance(memory, 10));
        memory.fetch(&wishes, &mut hints);
    }
}

#[test]
fn sound_files_hold_the_bounds() {
    for name in NAMES {
        if let Some(bytes) = file(name) {
            exercise(&bytes, 4096, &[0, 4096, u64::MAX - 1]);
        }
    }
}

#[test]
fn a_file_of_nothing_but_its_signature_ends_the_search() {
    for length in [0, 1, 8, 9, 100, 600, 5000] {
        let mut bytes = vec![0; length];
        for (byte, signature) in bytes.iter_mut().zip(superblock::SIGNATURE) {
            *byte = *signature;
        }
        exercise(&bytes, 64, &[0, 8]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn broken_files_do_no_harm(
        name in 0..NAMES.len(),
        changes in proptest::collection::vec(change(), 1..40),
        block in prop_oneof![Just(512_u64), Just(4096), Just(1 << 20)],
        reads in proptest::collection::vec(any::<u64>(), 0..5),
    ) {
        if let Some(mut bytes) = file(NAMES[name]) {
            for change in &changes {
                apply(&mut bytes, change);
            }
            exercise(&bytes, block, &reads);
        }
    }
}
