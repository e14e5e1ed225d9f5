use super::*;
use proptest::prelude::*;

const BLOCK: u64 = 100 * 1024;
const LIMITS: Limits = Limits { block_size: BLOCK, max_chunk_size: 100 << 20 };

/// Reads one block at a time from `start`, and returns how many blocks each miss fetched.
fn sequential(ahead: &mut ReadAhead, start: u64, misses: usize) -> Vec<u64> {
    let mut next = start;
    (0..misses)
        .map(|_| {
            let beyond = ahead.blocks_beyond(&(next..next + 1), BLOCK, &LIMITS);
            ahead.fetched_ahead(beyond * BLOCK);
            next += 1 + beyond;
            1 + beyond
        })
        .collect()
}

#[test]
fn the_first_read_fetches_what_it_needs_and_sequential_misses_grow_by_1_7() {
    assert_eq!(sequential(&mut ReadAhead::default(), 0, 8), [1, 1, 2, 4, 8, 14, 24, 41]);
}

#[test]
fn a_jump_starts_small_again() {
    let mut ahead = ReadAhead::default();
    sequential(&mut ahead, 0, 8);
    assert_eq!(sequential(&mut ahead, 100_000, 1), [1]);
}

#[test]
fn interleaved_streams_keep_their_windows() {
    let mut ahead = ReadAhead::default();
    let far = 1_000_000;
    let first = sequential(&mut ahead, 0, 4).iter().sum::<u64>();
    let second = sequential(&mut ahead, far, 4).iter().sum::<u64>();
    assert_eq!(sequential(&mut ahead, first, 1), [8]);
    assert_eq!(sequential(&mut ahead, far + second, 1), [8]);
}

#[test]
fn a_window_never_passes_max_chunk_size() {
    let limits = Limits { max_chunk_size: 5 * BLOCK, ..LIMITS };
    let mut ahead = ReadAhead::default();
    let mut next = 0;
    for _ in 0..50 {
        let beyond = ahead.blocks_beyond(&(next..next + 1), BLOCK, &limits);
        assert!(beyond < 5);
        next += 1 + beyond;
    }
}

#[test]
fn a_large_read_costs_at_most_twice_its_bytes() {
    let mut ahead = ReadAhead::default();
    let mut next = 0;
    for _ in 0..30 {
        let beyond = ahead.blocks_beyond(&(next..next + 20), 20 * BLOCK, &LIMITS);
        assert!(beyond <= 20);
        next += 20 + beyond;
    }
}

proptest! {
    #[test]
    fn guesses_stay_within_the_budget(reads in prop::collection::vec((0u64..2000, 1u64..60, any::<bool>()), 1..300)) {
        let mut ahead = ReadAhead::default();
        let (mut asked, mut guessed, mut next) = (0, 0, 0);
        for (place, length, go_on) in reads {
            let start = if go_on { next } else { place };
            let beyond = ahead.blocks_beyond(&(start..start + length), length * BLOCK, &LIMITS);
            ahead.fetched_ahead(beyond * BLOCK);
            next = start + length + beyond;
            asked += length * BLOCK;
            guessed += beyond * BLOCK;
            prop_assert!(guessed <= asked + FREE_BYTES);
        }
    }
}
