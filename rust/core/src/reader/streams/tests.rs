use super::*;
use proptest::prelude::*;

const BLOCK: u64 = 100 * 1024;
const MIB: u64 = 1 << 20;

fn limits() -> Limits {
    Limits::new(BLOCK, 10_000 * MIB, 100 * MIB)
}

fn range(start: u64, length: u64) -> ByteRange {
    ByteRange::new(start, start + length)
}

fn observe(streams: &mut Streams, start: u64, length: u64) -> Vec<ByteRange> {
    streams.observe(range(start, length), Supply::Missing, u64::MAX, &limits())
}

#[test]
fn a_first_read_and_a_jump_call_for_nothing() {
    let mut streams = Streams::default();
    for place in [0, 50, 3, 200, 77, 1000] {
        assert!(observe(&mut streams, place * MIB, 1000).is_empty());
    }
}

#[test]
fn a_forward_stream_is_kept_a_growing_window_ahead_and_nothing_is_called_for_twice() {
    let mut streams = Streams::default();
    observe(&mut streams, 10 * MIB, BLOCK);
    let mut end = 0;
    let mut windows = Vec::new();
    for i in 1..1000 {
        let read = range(10 * MIB + i * BLOCK, BLOCK);
        for ahead in streams.observe(read, Supply::Missing, u64::MAX, &limits()) {
            assert!(end == 0 || ahead.start() == end, "a gap or an overlap at {ahead}");
            end = ahead.end();
        }
        assert!(end >= read.end());
        windows.push(end - read.end());
    }
    assert_eq!(windows[0], MIB);
    let at_first = *windows[..12].iter().max().unwrap();
    assert!(at_first > 3 * MIB && at_first <= WINDOW_WITHOUT_HISTORY_BYTES, "{at_first}");
    assert!(*windows.iter().max().unwrap() <= LARGEST_WINDOW_BYTES);
    assert!(windows[700..].iter().all(|window| *window >= LARGEST_WINDOW_BYTES / 2));
}

#[test]
fn a_window_is_at_most_twice_what_the_stream_has_read_in_a_row() {
    let mut streams = Streams::default();
    let most_after = |reads: u64, streams: &mut Streams| {
        let mut most = 0;
        for i in 0..reads {
            let ahead = streams.observe(range(i * BLOCK, BLOCK), Supply::Missing, u64::MAX, &limits());
            most = ahead.iter().map(|ahead| ahead.end() - (i + 1) * BLOCK).max().unwrap_or(most);
        }
        most
    };
    let read = 100 * BLOCK;
    let most = most_after(100, &mut streams);
    assert!(most > read && most <= 2 * read, "{most}");
}

#[test]
fn reads_that_skip_inside_a_block_still_continue() {
    let mut streams = Streams::default();
    observe(&mut streams, 0, 65_536);
    assert!(!observe(&mut streams, 70_000, 65_536).is_empty());
    assert!(!(0..5).all(|i| observe(&mut streams, 140_000 + i * 70_000, 65_536).is_empty()));
}

#[test]
fn a_large_read_that_continues_calls_for_twice_its_own_length_first() {
    let mut streams = Streams::default();
    observe(&mut streams, 0, 4 * MIB);
    assert_eq!(observe(&mut streams, 4 * MIB, 4 * MIB), [range(8 * MIB, 8 * MIB)]);
}

#[test]
fn a_window_never_passes_max_chunk_size_nor_the_allowance_nor_the_file() {
    let small = Limits::new(BLOCK, 10_000 * MIB, 3 * BLOCK);
    let mut streams = Streams::default();
    for i in 0..20 {
        let read = range(i * BLOCK, BLOCK);
        for ahead in streams.observe(read, Supply::Missing, u64::MAX, &small) {
            assert!(ahead.end() - read.end() <= 3 * BLOCK);
        }
    }
    let mut streams = Streams::default();
    streams.observe(range(0, BLOCK), Supply::Missing, u64::MAX, &limits());
    assert_eq!(
        streams.observe(range(BLOCK, BLOCK), Supply::Missing, 2 * BLOCK + 5, &limits()),
        [range(2 * BLOCK, 2 * BLOCK)]
    );
    let end = Limits::new(BLOCK, 5 * BLOCK, 100 * MIB);
    let mut streams = Streams::default();
    streams.observe(range(0, BLOCK), Supply::Missing, u64::MAX, &end);
    assert_eq!(
        streams.observe(range(BLOCK, BLOCK), Supply::Missing, u64::MAX, &end),
        [range(2 * BLOCK, 3 * BLOCK)]
    );
    assert!(streams.observe(range(2 * BLOCK, BLOCK), Supply::Missing, u64::MAX, &end).is_empty());
}

#[test]
fn interleaved_streams_are_told_apart() {
    let mut streams = Streams::default();
    let places = [0, 2000 * MIB, 5000 * MIB];
    for i in 0..4 {
        for place in places {
            let ahead = observe(&mut streams, place + i * BLOCK, BLOCK);
            assert!(if i == 0 { ahead.is_empty() } else { i > 1 || !ahead.is_empty() });
            assert!(ahead.iter().all(|ahead| ahead.start() > place && ahead.end() < place + 20 * MIB));
        }
    }
}

#[test]
fn a_backward_stream_is_called_for_downwards() {
    let mut streams = Streams::default();
    observe(&mut streams, 100 * MIB, MIB);
    assert_eq!(observe(&mut streams, 99 * MIB, MIB), [range(98 * MIB, MIB)]);
    let ahead = observe(&mut streams, 98 * MIB, MIB);
    assert_eq!(ahead.len(), 1);
    assert_eq!(ahead[0].end(), 98 * MIB);
}

#[test]
fn a_constant_step_is_recognised_at_the_third_read_also_among_others() {
    for step in [7 * MIB, 1_000_003] {
        let mut streams = Streams::default();
        assert!(observe(&mut streams, step, 5000).is_empty());
        assert!(observe(&mut streams, 3_000 * MIB, 10).is_empty());
        assert!(observe(&mut streams, 2 * step, 5000).is_empty());
        assert!(observe(&mut streams, 4_000 * MIB, 10).is_empty());
        let ahead = observe(&mut streams, 3 * step, 5000);
        assert_eq!(ahead[..3], [range(4 * step, 5000), range(5 * step, 5000), range(6 * step, 5000)]);
        let more = observe(&mut streams, 4 * step, 5000);
        assert_eq!(more[0].start(), ahead.last().unwrap().start() + step);
    }
}

#[test]
fn a_step_back_is_a_step() {
    let mut streams = Streams::default();
    for start in [500 * MIB, 490 * MIB] {
        observe(&mut streams, start, 5000);
    }
    let ahead = observe(&mut streams, 480 * MIB, 5000);
    assert_eq!(ahead[..2], [range(470 * MIB, 5000), range(460 * MIB, 5000)]);
}

proptest! {
    #[test]
    fn no_sequence_of_reads_breaks_the_bounds(
        reads in prop::collection::vec((any::<u64>(), 1u64..50_000_000, 0u8..6), 1..120),
        file_size in 1u64..u64::MAX / 2, block in 1u64..1_000_000, allowance: u64,
    ) {
        let limits = Limits::new(block, file_size, 10 * MIB);
        let mut streams = Streams::default();
        let mut last = ByteRange::new(0, 1);
        for (place, length, how) in reads {
            let start = match how {
                0 => place % file_size,
                1 => last.start().saturating_sub(length),
                2 => last.start().saturating_add(3_000_000),
                _ => last.end(),
            }.min(file_size - 1);
            let read = ByteRange::new(start, start.saturating_add(length).min(file_size));
            last = read;
            let ahead = streams.observe(read, Supply::Missing, allowance, &limits);
            prop_assert!(ahead.len() <= MOST_STEPS);
            for range in &ahead {
                prop_assert!(!range.is_empty() && range.end() <= file_size);
            }
            let total: u64 = ahead.iter().map(|range| range.length()).sum();
            prop_assert!(total <= allowance && total <= limits.max_window.max(read.length()));
        }
    }
}

#[test]
fn a_window_grows_only_while_reads_have_to_wait() {
    let ahead_of = |supply| {
        let mut streams = Streams::default();
        let ahead = (0..40).map(|i| streams.observe(range(i * BLOCK, BLOCK), supply, u64::MAX, &limits()));
        ahead.flatten().map(|ahead| ahead.end()).max().unwrap() - 40 * BLOCK
    };
    assert!(ahead_of(Supply::Here) <= 2 * MIB);
    assert!(ahead_of(Supply::Missing) > 3 * MIB);
}

#[test]
fn steps_are_left_alone_where_somebody_knows_better() {
    let limits = Limits { steps: false, ..limits() };
    let mut streams = Streams::default();
    for i in 0..10 {
        let read = range(i * 3 * MIB, BLOCK);
        assert!(streams.observe(read, Supply::Missing, u64::MAX, &limits).is_empty());
    }
}

/// Seven places of which none continues others by steps.
const ELSEWHERE: [u64; 7] = [1000, 4003, 9011, 17_027, 30_011, 52_009, 77_017];

#[test]
fn what_was_ahead_of_a_stream_is_overtaken_once_eight_others_have_begun() {
    let mut streams = Streams::default();
    observe(&mut streams, 0, BLOCK);
    let ahead = observe(&mut streams, BLOCK, BLOCK);
    for place in ELSEWHERE {
        observe(&mut streams, place * BLOCK, 10);
        assert_eq!(streams.take_overtaken(), None);
    }
    observe(&mut streams, 90_007 * BLOCK, 10);
    assert_eq!(streams.take_overtaken(), ahead.first().copied());
    assert_eq!(streams.take_overtaken(), None);
}

#[test]
fn what_another_read_wants_is_not_overtaken() {
    let mut streams = Streams::default();
    observe(&mut streams, 0, BLOCK);
    observe(&mut streams, BLOCK, BLOCK);
    for place in ELSEWHERE {
        observe(&mut streams, place * BLOCK, 10);
    }
    observe(&mut streams, 4 * BLOCK, 10);
    assert_eq!(streams.take_overtaken(), None);
}

/// What is called for while a stream of so many reads of this length finds what it wants from the second on.
fn calm(reads: u64, length: u64) -> Vec<u64> {
    let mut streams = Streams::default();
    let calls = (0..reads).flat_map(|at| {
        let supply = if at < 2 { Supply::Missing } else { Supply::Here };
        streams.observe(range(at * length, length), supply, u64::MAX, &limits())
    });
    calls.map(ByteRange::length).collect()
}

#[test]
fn a_long_stream_that_never_waits_is_a_quarter_of_what_it_has_read_ahead_and_calls_seldom() {
    let calls = calm(3000, BLOCK);
    let read = 3000 * BLOCK;
    let ahead = calls.iter().sum::<u64>() + 2 * BLOCK - read;
    assert!((8 * MIB..=32 * MIB).contains(&ahead), "{ahead}");
    assert!(calls.len() <= 55, "{} calls", calls.len());
    assert!(calls.iter().skip(1).all(|call| *call >= 512 * 1024), "half a window at a time: {calls:?}");
}

#[test]
fn a_window_grows_faster_under_large_reads() {
    let second = |length: u64| {
        let mut streams = Streams::default();
        (0..3).map(|at| observe(&mut streams, at * length, length)).last().unwrap().last().unwrap().end()
            - 3 * length
    };
    assert_eq!(second(2 * MIB), (4.0 * MIB as f64 * 2.2) as u64);
    assert_eq!(second(MIB), (MIB as f64 * 1.7) as u64);
}
