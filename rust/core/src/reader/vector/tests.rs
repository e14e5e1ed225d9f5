use super::*;
use crate::reader::tests::{FakeFetch, SIZE, content, reader};
use crate::{ErrorCode, Options};
use proptest::prelude::*;

struct Place(ByteRange, Vec<Cell<u8>>);

impl Piece for Place {
    fn range(&self) -> ByteRange {
        self.0
    }

    fn buffer(&self) -> &[Cell<u8>] {
        &self.1
    }
}

fn place(start: u64, length: u64) -> Place {
    Place(ByteRange::new(start, start + length), (0..length).map(|_| Cell::new(0xEE)).collect())
}

fn places(places: &[(u64, u64)]) -> Vec<Place> {
    places.iter().map(|&(start, length)| place(start, length)).collect()
}

/// Reads and compares.
fn read(reader: &Reader, wanted: &[(u64, u64)]) -> Result<()> {
    let pieces = places(wanted);
    reader.read_vector(&pieces, true, |_, _| Foretold::Nothing)?;
    for piece in &pieces {
        let bytes: Vec<u8> = piece.1.iter().map(Cell::get).collect();
        assert!(bytes == content(piece.0), "wrong bytes in {:?}", piece.0);
    }
    Ok(())
}

fn total(fetch: &FakeFetch) -> u64 {
    fetch.asked().iter().map(|range| range.length()).sum()
}

#[test]
fn all_that_a_vector_lacks_is_asked_for_before_any_of_it_is_waited_for() {
    let (reader, fetch) = reader("read_timeout_ms=20");
    fetch.hold(true);
    let error = read(&reader, &[(500_000, 3), (7000, 10), (900_000, 2000)]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TimedOut);
    let asked = [(6144, 7168), (499_712, 500_736), (899_072, 902_144)];
    assert_eq!(fetch.asked(), asked.map(|(start, end)| ByteRange::new(start, end)));
    assert_eq!(reader.counters.round_trips.load(Ordering::Relaxed), 1);
}

#[test]
fn overlapping_empty_and_unordered_pieces_come_with_each_block_fetched_once() {
    let (reader, fetch) = reader("read_ahead=0");
    let wanted =
        [(15_000, 3000), (15_500, 10), (0, 0), (SIZE - 1, 1), (15_000, 3000), (100, 1), (16_383, 2), (3, 0)];
    read(&reader, &wanted).unwrap();
    let asked = [(0, 1024), (14_336, 18_432), (SIZE / 1024 * 1024, SIZE)];
    assert_eq!(fetch.asked(), asked.map(|(start, end)| ByteRange::new(start, end)));
    read(&reader, &wanted).unwrap();
    assert_eq!(fetch.asked().len(), 3);
}

#[test]
fn where_two_pieces_write_to_the_same_memory_the_later_one_wins() {
    struct Shared<'a>(u64, &'a [Cell<u8>]);
    impl Piece for Shared<'_> {
        fn range(&self) -> ByteRange {
            ByteRange::new(self.0, self.0 + self.1.len() as u64)
        }
        fn buffer(&self) -> &[Cell<u8>] {
            self.1
        }
    }
    let (reader, _) = reader("");
    let mut memory = [0xEE; 30];
    let cells = Cell::from_mut(&mut memory[..]).as_slice_of_cells();
    let pieces = [Shared(90_000, &cells[..20]), Shared(500, &cells[10..])];
    reader.read_vector(&pieces, true, |_, _| Foretold::Nothing).unwrap();
    assert_eq!(memory[..10], content(ByteRange::new(90_000, 90_010)));
    assert_eq!(memory[10..], content(ByteRange::new(500, 520)));
}

#[test]
fn what_lies_between_pieces_that_are_nearer_than_the_least_request_comes_with_them() {
    let options: Options = "complete_small_files=0, read_ahead=0".parse().unwrap();
    let (unit, block) = (options.min_chunk_size, options.block_size());
    let asked = |step| {
        let fetch = FakeFetch::default();
        let geometry = Geometry { block_size: block, file_size: 1 << 30 };
        let reader = Reader::new(geometry, &options, Box::new(fetch.clone()), Arc::default());
        let wanted: Vec<_> = (0..50).map(|i| (unit * 1000 + i * step, 2)).collect();
        read(&reader, &wanted).unwrap();
        (fetch.asked().len(), total(&fetch))
    };
    assert_eq!(asked(unit), (2, 49 * unit + block));
    assert_eq!(asked(unit + block), (50, 50 * block), "nothing around places that lie apart");
}

#[test]
fn a_vector_of_cached_bytes_fetches_nothing_though_what_lies_between_is_not_there() {
    let (reader, fetch) = reader("min_chunk_size=10240");
    let fetched = [(20_480, 20_481), (204_800, 204_801)].map(|(start, end)| ByteRange::new(start, end));
    reader.prefetch(&fetched);
    let before = fetch.asked();
    read(&reader, &[(20_490, 5), (204_810, 5)]).unwrap();
    assert_eq!(fetch.asked(), before);
}

#[test]
fn a_vector_larger_than_the_cache_comes_in_parts_each_block_once() {
    let (reader, fetch) = reader("max_cache_size=20480, read_ahead=0");
    let wanted: Vec<_> = (0..240).map(|i| (i * 4096, 100)).collect();
    read(&reader, &wanted).unwrap();
    let mut asked = fetch.asked();
    asked.sort_by_key(|range| range.start());
    assert!(asked.windows(2).all(|pair| pair[0].end() <= pair[1].start()), "{asked:?}");
    assert!(reader.store().cached_bytes() <= 20_480);
    assert_eq!(total(&fetch), 240 * 1024);
    // Half of the cache holds ten blocks.
    assert_eq!(reader.counters.round_trips.load(Ordering::Relaxed), 24);
}

#[test]
fn a_piece_larger_than_the_cache_comes_whole_among_others() {
    let (reader, fetch) = reader("max_cache_size=20480, read_ahead=0");
    read(&reader, &[(999_000, 50), (2000, 700_000), (1, 1)]).unwrap();
    assert!(reader.store().cached_bytes() <= 20_480);
    assert!(total(&fetch) <= 710_000, "{}", total(&fetch));
}

#[test]
fn vectors_that_go_on_where_the_one_before_ended_are_read_ahead_and_scattered_ones_are_not() {
    let asked = |step: u64| {
        let (reader, fetch) = reader("");
        for window in 0..4 {
            let wanted: Vec<_> = (0..10).map(|i| ((window * 10 + i) * step, 4)).collect();
            read(&reader, &wanted).unwrap();
        }
        total(&fetch)
    };
    assert_eq!(asked(500), SIZE, "windows of a column");
    assert_eq!(asked(10_000), 40 * 1024, "four times ten places");
}

#[test]
fn pieces_that_lead_over_2_mib_are_read_ahead_of_at_once_by_half_as_much() {
    let options: Options = "complete_small_files=0".parse().unwrap();
    let geometry = Geometry { block_size: options.block_size(), file_size: 1 << 30 };
    let ahead = |rows: u64| {
        let fetch = FakeFetch::default();
        let reader = Reader::new(geometry, &options, Box::new(fetch.clone()), Arc::default());
        let wanted: Vec<_> = (0..rows).map(|row| (row * 1024, 2)).collect();
        read(&reader, &wanted).unwrap();
        total(&fetch).saturating_sub(rows * 1024)
    };
    let rounding = 2 * options.min_chunk_size;
    assert!(ahead(2047) < rounding, "{}", ahead(2047));
    assert!((2_000_000..2_000_000 + rounding).contains(&ahead(4096)), "{}", ahead(4096));
}

#[test]
fn a_vector_that_stays_in_one_block_opens_no_stream() {
    let (reader, fetch) = reader("");
    read(&reader, &[(2048, 10), (2900, 10)]).unwrap();
    for _ in 0..5 {
        read(&reader, &[(2100, 10), (2990, 30)]).unwrap();
    }
    assert_eq!(total(&fetch), 1024);
}

#[test]
fn a_failed_fetch_fails_the_vector_and_the_next_one_asks_for_what_is_missing_alone() {
    let (reader, fetch) = reader("");
    fetch.fail(1);
    let wanted = [(0, 5), (300_000, 5), (600_000, 5)];
    assert_eq!(read(&reader, &wanted).unwrap_err().code(), ErrorCode::Server);
    read(&reader, &wanted).unwrap();
    let again = ByteRange::new(0, 1024);
    assert_eq!((fetch.asked().len(), fetch.asked()[0], fetch.asked()[3]), (4, again, again));
}

#[test]
fn what_others_fetch_is_hurried_and_asked_for_anew_where_it_fails() {
    let (reader, fetch) = reader("read_ahead=0");
    fetch.hold(true);
    reader.prefetch(&[ByteRange::new(0, 1), ByteRange::new(102_400, 102_401)]);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| read(&reader, &[(0, 10), (500_000, 10), (102_400, 10)]));
        while fetch.hurried().len() < 2 {
            std::thread::yield_now();
        }
        fetch.hold(false);
        fetch.fail_held(2);
        fetch.release();
        waiting.join().unwrap().unwrap();
    });
    let hurried = [(0, 1024), (102_400, 103_424)].map(|(start, end)| ByteRange::new(start, end));
    assert_eq!(fetch.hurried(), hurried);
    assert_eq!(fetch.asked()[3..], hurried);
}

#[test]
fn a_small_file_is_completed_instead_of_fetching_scattered_pieces_that_take_as_long() {
    let count = |pieces: u64| {
        let (reader, fetch) = reader("complete_small_files=1, read_ahead=0, max_connections=4");
        // 1 MB at 4 x 2.5 MB/s are 100 ms, and 20 ms to the first byte: six rounds of four requests.
        fetch.pace(20, 2_500_000);
        let wanted: Vec<_> = (0..pieces).map(|i| (i * 31_000, 4)).collect();
        read(&reader, &wanted).unwrap();
        let mut asked = fetch.asked();
        asked.sort_by_key(|range| range.start());
        assert!(asked.windows(2).all(|pair| pair[0].end() <= pair[1].start()), "{asked:?}");
        total(&fetch)
    };
    assert_eq!(count(16), 16 * 1024);
    assert_eq!(count(30), SIZE);
}

#[test]
fn a_part_takes_as_many_pieces_as_fit_with_what_lies_between_near_ones() {
    let geometry = Geometry { block_size: 10, file_size: 1000 };
    let part = |wanted: &[(u64, u64)], most| {
        let (count, runs) = part(&places(wanted), geometry, 3, most);
        (count, runs.iter().map(|run| (run.start, run.end)).collect::<Vec<_>>())
    };
    assert_eq!(part(&[(0, 10), (5, 10), (21, 1)], 3), (3, vec![(0, 3)]));
    assert_eq!(part(&[(0, 10), (30, 1), (90, 1)], 5), (3, vec![(0, 1), (3, 4), (9, 10)]));
    assert_eq!(part(&[(0, 10), (20, 1), (90, 1)], 3), (2, vec![(0, 1), (2, 3)]));
    assert_eq!(part(&[(90, 1), (0, 1), (91, 1), (50, 0)], 9), (4, vec![(0, 1), (9, 10)]));
    assert_eq!(part(&[(0, 500), (1, 1), (600, 1)], 3), (2, vec![(0, 50)]));
}

#[test]
fn six_hundred_thousand_pieces_of_two_bytes_take_one_look_at_each_block() {
    let (reader, fetch) = reader("read_ahead=0");
    let wanted: Vec<_> = (0..600_000).map(|i| (i % 7 + i * 128 % 990_000, 2)).collect();
    read(&reader, &wanted).unwrap();
    let counter = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    let counters = &reader.counters;
    assert_eq!((counter(&counters.reads), counter(&counters.read_bytes)), (1, 1_200_000));
    assert_eq!((counter(&counters.round_trips), fetch.asked().len()), (1, 1));
    assert!(counter(&counters.missed_blocks) + counter(&counters.hit_blocks) <= SIZE.div_ceil(1024));
}

proptest! {
    #[test]
    fn any_vectors_under_any_options_return_the_files_bytes_and_stay_in_bounds(
        block in 1024u64..5000, units in 1u64..12, cache in prop_oneof![Just(0), 1u64..50_000, Just(1 << 30)],
        chunk in 5000u64..60_000, ahead: bool, failures in 0u32..3,
        vectors in prop::collection::vec(
            prop::collection::vec((0..SIZE, prop_oneof![0u64..9, 0u64..30_000]), 0..20), 1..5),
    ) {
        let options = format!(
            "min_chunk_size={}, max_cache_size={cache}, max_chunk_size={chunk}, read_ahead={}, \
             complete_small_files=0", block * units, u8::from(ahead));
        let options: Options = options.parse().unwrap();
        let fetch = FakeFetch::default();
        let geometry = Geometry { block_size: block, file_size: SIZE };
        let reader = Reader::new(geometry, &options, Box::new(fetch.clone()), Arc::default());
        fetch.fail(failures);
        for wanted in vectors {
            let wanted: Vec<_> =
                wanted.into_iter().map(|(start, length)| (start, length.min(SIZE - start))).collect();
            if let Err(error) = read(&reader, &wanted) {
                prop_assert_eq!(error.code(), ErrorCode::Server);
            }
            prop_assert!(fetch.asked().iter().all(|range| range.length() <= chunk.max(block)));
            prop_assert!(reader.store().cached_bytes() <= cache.max(block * units));
        }
    }
}
