use super::*;
use proptest::prelude::*;

const LIMITS: Limits =
    Limits { block_size: 100 * 1024, least_blocks: 1, max_chunk_size: 100 << 20, max_connections: 16 };

#[test]
fn a_small_run_is_one_request() {
    for run in [3..4, 0..51] {
        assert_eq!(split(run.clone(), Urgency::Demand, &LIMITS), std::slice::from_ref(&run));
    }
    assert!(split(5..5, Urgency::Demand, &LIMITS).is_empty());
}

#[test]
fn a_large_run_is_spread_over_connections_in_pieces_of_at_least_2_5_mib() {
    let pieces = split(0..52, Urgency::Demand, &LIMITS);
    assert_eq!(pieces, [0..26, 26..52]);
    let pieces = split(0..10_000, Urgency::Demand, &LIMITS);
    assert_eq!(pieces.len(), 16);
}

#[test]
fn guesses_come_in_pieces_of_at_least_8_mib() {
    assert_eq!(split(0..163, Urgency::Guess, &LIMITS).len(), 1);
    assert_eq!(split(0..164, Urgency::Guess, &LIMITS).len(), 2);
}

#[test]
fn no_request_asks_for_more_than_the_limit() {
    let limits = Limits { max_chunk_size: 1 << 20, ..LIMITS };
    assert!(
        split(0..1000, Urgency::Demand, &limits)
            .iter()
            .all(|piece| (piece.end - piece.start) * (100 * 1024) <= 1 << 20)
    );
    let tiny = Limits { max_chunk_size: 1024, ..LIMITS };
    assert_eq!(split(7..9, Urgency::Demand, &tiny), [7..8, 8..9]);
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
        start in 0u64..1000, length in 0u64..3000, block in 1u64..1_000_000, max in 1u64..200_000_000, guess: bool,
        connections in 0u64..40,
    ) {
        let limits = Limits { block_size: block, least_blocks: 1, max_chunk_size: max, max_connections: connections };
        let urgency = if guess { Urgency::Guess } else { Urgency::Demand };
        let pieces = split(start..start + length, urgency, &limits);
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
fn a_missing_run_is_widened_to_the_smallest_request_and_a_larger_one_to_its_multiples() {
    let limits = Limits { least_blocks: 10, ..LIMITS };
    assert_eq!(widen(13..14, &limits), 10..20);
    assert_eq!(widen(19..21, &limits), 10..30);
    assert_eq!(widen(20..30, &limits), 20..30);
}

#[test]
fn what_a_budget_leaves_out_is_what_comes_last() {
    let ranges = [0..4, 90..92, 20..30, 7..8];
    assert_eq!(prefix(&ranges, 0), 0);
    assert_eq!(prefix(&ranges, 6), 2);
    assert_eq!(prefix(&ranges, 7), 3);
    assert_eq!(prefix(&ranges, 99), 4);
}

#[test]
fn a_gap_is_worth_its_bytes_where_first_bytes_come_late() {
    let pace = |ms, rate| Pace { first_byte: std::time::Duration::from_millis(ms), rate, ..Pace::default() };
    assert_eq!(worthwhile_gap(pace(40, 60_000_000)), 600_000);
    assert_eq!(worthwhile_gap(pace(1, 60_000_000)), 15_000);
    assert_eq!(worthwhile_gap(pace(400, 60_000_000)), LARGEST_GAP_BYTES);
}
