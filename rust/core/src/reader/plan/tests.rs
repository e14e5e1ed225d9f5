use super::*;
use proptest::prelude::*;

const LIMITS: Limits =
    Limits { block_size: 100 * 1024, least_blocks: 1, max_chunk_size: 100 << 20, max_connections: 16 };

#[test]
fn a_small_run_is_one_request() {
    for run in [3..4, 0..25] {
        assert_eq!(split(run.clone(), Wanted::Now, &LIMITS), std::slice::from_ref(&run));
    }
    assert!(split(5..5, Wanted::Now, &LIMITS).is_empty());
}

#[test]
fn a_large_run_is_spread_over_connections_and_5_mb_over_two() {
    assert_eq!(split(0..26, Wanted::Now, &LIMITS), [0..13, 13..26]);
    let five_megabytes = split(0..50, Wanted::Now, &LIMITS);
    assert_eq!(five_megabytes, [0..25, 25..50]);
    assert_eq!(split(0..10_000, Wanted::Now, &LIMITS).len(), 16);
}

#[test]
fn guesses_come_in_pieces_of_at_least_the_given_size() {
    let pieces = |blocks| split(0..blocks, Wanted::Soon { piece: 8 << 20 }, &LIMITS).len();
    assert_eq!([1, 163, 164, 328, 410].map(pieces), [1, 1, 2, 4, 5]);
    // At first in pieces of at most that size, as what somebody waits for.
    let first = Wanted::Soon { piece: guess_piece(0, u64::MAX) };
    for blocks in [1, 26, 27, 90] {
        assert_eq!(split(0..blocks, first, &LIMITS), split(0..blocks, Wanted::Now, &LIMITS));
    }
}

#[test]
fn pieces_of_guesses_grow_with_what_has_been_read_up_to_a_part_of_the_file() {
    let mebi = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let piece = |read: u64, file: u64| mebi(guess_piece(read << 20, file << 20));
    assert_eq!([0, 10, 15, 40].map(|read| piece(read, 50)), [2.5, 2.5, 3.0, 4.0]);
    assert_eq!([20, 800].map(|read| piece(read, 200)), [4.0, 8.0]);
    assert_eq!([40, 60, 800].map(|read| piece(read, 100_000)), [8.0, 12.0, 16.0]);
}

#[test]
fn no_request_asks_for_more_than_the_limit() {
    let limits = Limits { max_chunk_size: 1 << 20, ..LIMITS };
    assert!(
        split(0..1000, Wanted::Now, &limits)
            .iter()
            .all(|piece| (piece.end - piece.start) * (100 * 1024) <= 1 << 20)
    );
    let tiny = Limits { max_chunk_size: 1024, ..LIMITS };
    assert_eq!(split(7..9, Wanted::Now, &tiny), [7..8, 8..9]);
}

#[test]
fn near_ranges_are_joined_and_distant_ones_are_not() {
    let ranges = vec![10..12, 0..2, 3..4, 5..5, 13..20, 11..12, 30..31];
    assert_eq!(join(ranges.clone(), 0), [0..2, 3..4, 10..12, 13..20, 30..31]);
    assert_eq!(join(ranges, 1), [0..4, 10..20, 30..31]);
}

#[test]
fn ranges_are_near_with_less_than_the_unit_between_them() {
    assert_eq!(near(vec![30..31, 0..2, 5..6, 9..10, 7..7], 4), [0..10, 30..31]);
    assert_eq!(near(vec![0..2, 5..6], 3), [0..2, 5..6]);
    assert_eq!(near(vec![0..2, 2..3, 4..5], 1), [0..3, 4..5]);
}

proptest! {
    #[test]
    fn every_block_is_asked_for_exactly_once(
        start in 0u64..1000, length in 0u64..3000, block in 1u64..1_000_000, max in 1u64..200_000_000, now: bool, piece in 0u64..20_000_000,
        connections in 0u64..40,
    ) {
        let limits = Limits { block_size: block, least_blocks: 1, max_chunk_size: max, max_connections: connections };
        let wanted = if now { Wanted::Now } else { Wanted::Soon { piece } };
        let pieces = split(start..start + length, wanted, &limits);
        let mut next = start;
        for piece in &pieces {
            prop_assert_eq!(piece.start, next);
            prop_assert!(piece.end > piece.start);
            prop_assert!((piece.end - piece.start) * block <= max.max(block));
            next = piece.end;
        }
        prop_assert_eq!(next, start + length);
    }
}

#[test]
fn a_missing_run_is_widened_to_the_smallest_request_and_one_that_is_larger_is_not() {
    let limits = Limits { least_blocks: 10, ..LIMITS };
    for (run, metadata, data) in [
        (13..14, 10..20, 13..23),
        (19..21, 10..30, 19..29),
        (20..30, 20..30, 20..30),
        (13..29, 13..29, 13..29),
    ] {
        assert_eq!(widen(run.clone(), false, &limits), metadata);
        assert_eq!(widen(run, true, &limits), data);
    }
}

#[test]
fn what_a_budget_leaves_out_is_what_comes_last() {
    let costs = [4, 2, 10, 0, 1, 0];
    assert_eq!(prefix(costs, 0), 0);
    assert_eq!(prefix(costs, 6), 2);
    assert_eq!(prefix(costs, 7), 4, "what costs nothing is never left out");
    assert_eq!(prefix(costs, 99), 6);
}

#[test]
fn a_gap_is_worth_its_bytes_where_first_bytes_come_late() {
    let pace = |ms, rate| Pace { first_byte: std::time::Duration::from_millis(ms), rate, ..Pace::default() };
    assert_eq!(worthwhile_gap(pace(40, 60_000_000)), 600_000);
    assert_eq!(worthwhile_gap(pace(1, 60_000_000)), 15_000);
    assert_eq!(worthwhile_gap(pace(400, 60_000_000)), LARGEST_GAP_BYTES);
}
