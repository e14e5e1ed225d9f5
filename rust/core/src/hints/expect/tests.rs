use super::super::dataset::Dataset;
use super::super::format::dataspace::Dataspace;
use super::super::format::layout::{Chunked, Index};
use super::super::tests::support::{Blocks, Whole, all_wishes, file};
use super::super::{Hints, Kind, Why, Wish};
use super::*;

const MIB: u64 = 1 << 20;

/// Chunks of 1 MiB in a row-major grid, without an index, from address 0 on.
struct Grid {
    chunks: Chunks,
    expectations: Expectations,
    format: Format,
    counts: Vec<u64>,
    supply: Supply,
}

impl Grid {
    fn new(counts: &[u64]) -> Self {
        let total: u64 = counts.iter().product();
        let format = super::super::format::tests::format(total * MIB);
        let dims: Vec<u64> = counts.iter().map(|count| count * 4).collect();
        let max_dims = dims.iter().copied().map(Some).collect();
        let element_size = MIB / 4_u64.pow(counts.len() as u32);
        let layout = Chunked { chunk_dims: vec![4; counts.len()], element_size, index: Index::Implicit(0) };
        let dataset = Dataset::new(0, &Dataspace { dims, max_dims }, &layout).unwrap();
        let mut chunks = Chunks::default();
        chunks.add(dataset, &format);
        Self {
            chunks,
            expectations: Expectations::default(),
            format,
            counts: counts.to_vec(),
            supply: Supply::Missing,
        }
    }

    fn number(&self, place: &[u64]) -> u64 {
        place.iter().zip(&self.counts).fold(0, |number, (at, count)| number * count + at)
    }

    /// Reads bytes of a chunk; the wishes.
    fn read_part(&mut self, place: &[u64], part: Range<u64>) -> Vec<ByteRange> {
        let start = self.number(place) * MIB;
        let range = ByteRange::new(start + part.start, start + part.end);
        if self.expectations.goes_on(range, self.supply) {
            return Vec::new();
        }
        let wishes =
            self.expectations.read(range, self.supply, &mut self.chunks, &Whole(Vec::new()), &self.format);
        assert!(wishes.iter().all(|wish| wish.why == Why::Chunk));
        wishes.into_iter().map(|wish| wish.range).collect()
    }

    /// Reads whole chunks; the chunks wished for after the last one.
    fn read(&mut self, places: &[&[u64]]) -> Vec<u64> {
        let mut wishes = Vec::new();
        for place in places {
            wishes = self.read_part(place, 0..MIB);
        }
        assert!(wishes.iter().all(|range| range.length() == MIB && range.start() % MIB == 0));
        wishes.into_iter().map(|range| range.start() / MIB).collect()
    }
}

#[test]
fn after_two_chunks_the_window_is_filled_and_doubles_while_it_holds() {
    let mut grid = Grid::new(&[1000]);
    assert_eq!(grid.read(&[&[0]]), [1]);
    assert_eq!(grid.read(&[&[1]]), [2, 3]);
    let mut largest = 0;
    let mut foretold = vec![2, 3];
    for at in 2..300 {
        assert!(foretold.contains(&at), "{at}");
        foretold.extend(grid.read(&[&[at]]));
        largest = largest.max(foretold.len() as u64 - (at - 1));
    }
    // Each once, in order.
    assert_eq!(foretold, (2..2 + foretold.len() as u64).collect::<Vec<u64>>());
    assert_eq!(largest, 32);
}

#[test]
fn who_waits_for_the_first_chunk_of_those_foretold_last_gets_a_larger_window_at_once() {
    let window = |waiting: u64| {
        let mut grid = Grid::new(&[1000]);
        let mut foretold = Vec::new();
        // Up to a window of 8 MiB; from there on the reader finds what he wants, but for one chunk.
        for at in 0..waiting {
            grid.supply = if at < 8 || at + 1 == waiting { Supply::Missing } else { Supply::Here };
            foretold.push(grid.read(&[&[at]]));
        }
        (grid.expectations.streams[0].window / MIB, foretold)
    };
    let (before, foretold) = window(9);
    let batch =
        foretold.iter().flatten().rev().find(|chunk| foretold.iter().any(|b| b.first() == Some(chunk)));
    let first = *batch.unwrap();
    assert!(first > 10, "{foretold:?}");
    assert_eq!(window(first).0, before, "the last of a batch");
    assert_eq!(window(first + 1).0, before * 2);
}

#[test]
fn what_there_was_no_room_for_is_foretold_anew_and_the_window_is_what_there_was_room_for() {
    let mut grid = Grid::new(&[1000]);
    let foretold: Vec<u64> = (0..9).flat_map(|at| grid.read(&[&[at]])).collect();
    let last = *foretold.last().unwrap();
    assert!(last > 14, "{foretold:?}");
    let left_out = ByteRange::new(12 * MIB, 13 * MIB);
    grid.expectations.left_out(left_out, &grid.chunks);
    let stream = &grid.expectations.streams[0];
    assert_eq!((stream.window, stream.ahead_bytes), (3 * MIB, 3 * MIB));
    assert_eq!(grid.read(&[&[9]]), [], "half of it is still to come");
    grid.supply = Supply::Here;
    assert_eq!(grid.read(&[&[10]]), [12, 13]);
    // What was not foretold cannot be left out.
    grid.expectations.left_out(ByteRange::new(500 * MIB, 501 * MIB), &grid.chunks);
    assert_eq!(grid.read(&[&[11]]), []);
}

#[test]
fn the_window_stays_small_while_no_read_has_to_wait() {
    let mut grid = Grid::new(&[1000]);
    grid.supply = Supply::Here;
    for at in 0..100 {
        let ahead = grid.read(&[&[at]]);
        assert!(ahead.iter().all(|ahead| *ahead <= at + 3), "{at} {ahead:?}");
    }
}

#[test]
fn with_the_first_chunk_of_a_dataset_come_its_neighbours_in_every_direction() {
    let mut grid = Grid::new(&[100, 6, 4]);
    assert_eq!(
        grid.read(&[&[7, 2, 1]]),
        [grid.number(&[7, 2, 2]), grid.number(&[7, 3, 1]), grid.number(&[8, 2, 1])]
    );
    // Not of what is read in part, of which nobody knows which part is next.
    let mut grid = Grid::new(&[100, 6]);
    assert_eq!(grid.read_part(&[7, 2], 0..192), []);
}

#[test]
fn what_others_tell_the_end_of_is_known_to_end_there_and_not_beyond() {
    let mut grid = Grid::new(&[100, 4]);
    assert_eq!(grid.expectations.foretold(), Foretold::Nothing);
    for row in 0..300 {
        grid.read_part(&[7, 0], row * 192..row * 192 + 192);
    }
    assert_eq!(grid.expectations.foretold(), Foretold::Chunks, "the first of its kind");
    for row in 0..300 {
        grid.read_part(&[7, 1], row * 192..row * 192 + 192);
        assert_eq!(grid.expectations.foretold(), Foretold::ToTheEnd);
    }
    grid.read_part(&[7, 1], 57_600..57_792);
    assert_eq!(grid.expectations.foretold(), Foretold::Chunks, "it goes on");
}

#[test]
fn a_miss_ends_the_window_at_once() {
    let mut grid = Grid::new(&[1000]);
    for at in 0..100 {
        grid.read(&[&[at]]);
    }
    assert_eq!(grid.read(&[&[700]]), []);
    assert_eq!(grid.read(&[&[701]]), [702, 703]);
    // Jumping about costs nothing.
    for at in [5, 300, 17, 900, 411, 2] {
        assert_eq!(grid.read(&[&[at]]), [], "{at}");
    }
}

#[test]
fn a_known_row_is_foretold_at_its_first_chunk() {
    let mut grid = Grid::new(&[100, 6]);
    grid.read(&[&[0, 0], &[0, 1], &[0, 2], &[0, 3], &[0, 4], &[0, 5]]);
    assert_eq!(grid.read(&[&[40, 0]]), [241, 242, 243, 244, 245]);
    assert_eq!(grid.read(&[&[40, 1], &[40, 2], &[40, 3], &[40, 4], &[40, 5]]), []);
    assert_eq!(grid.read(&[&[70, 0]]), [421, 422, 423, 424, 425]);
}

#[test]
fn a_chunk_read_again_says_nothing() {
    let mut grid = Grid::new(&[100, 3]);
    grid.read(&[&[0, 0], &[0, 1], &[0, 2], &[1, 0]]);
    let before = grid.read(&[&[1, 1]]);
    // The window of a stream straddles rows: row 1 comes again.
    assert_eq!(grid.read(&[&[1, 0]]), []);
    assert_eq!(grid.read(&[&[1, 1]]), []);
    let after = grid.read(&[&[1, 2], &[2, 0]]);
    assert!(!before.is_empty() && after.iter().all(|chunk| !before.contains(chunk)), "{before:?} {after:?}");
}

#[test]
fn of_chunks_read_in_part_the_same_part_is_foretold() {
    let mut grid = Grid::new(&[100, 4]);
    let rows = |grid: &mut Grid, place: &[u64], from: u64| {
        let mut wishes = grid.read_part(place, from..from + 192);
        for row in 1..300 {
            let more = grid.read_part(place, from + row * 192..from + row * 192 + 192);
            wishes.extend(more);
        }
        wishes
    };
    assert_eq!(rows(&mut grid, &[7, 0], 1000), []);
    let part = |chunk: u64, from: u64| ByteRange::new(chunk * MIB + from, chunk * MIB + from + 57_600);
    // The rest of the chunk itself, then the same part of its neighbours.
    let rest = |chunk: u64, from: u64| ByteRange::new(chunk * MIB + from + 192, chunk * MIB + from + 57_600);
    assert_eq!(rows(&mut grid, &[7, 1], 1000), [rest(29, 1000), part(30, 1000), part(31, 1000)]);
    assert_eq!(rows(&mut grid, &[7, 2], 1000), [rest(30, 1000)]);
    assert_eq!(rows(&mut grid, &[7, 3], 1000), [rest(31, 1000)]);
    // A window elsewhere, at another place of its chunks.
    let expected = [rest(80, 5000), part(81, 5000), part(82, 5000), part(83, 5000)];
    assert_eq!(rows(&mut grid, &[20, 0], 5000), expected);
}

#[test]
fn reads_outside_of_chunks_are_ignored() {
    let mut grid = Grid::new(&[3]);
    let read = |grid: &mut Grid, start: u64| {
        grid.expectations.read(
            ByteRange::new(start, start + 1),
            Supply::Missing,
            &mut grid.chunks,
            &Whole(Vec::new()),
            &grid.format,
        )
    };
    assert_eq!(read(&mut grid, 3 * MIB), []);
    assert_eq!(read(&mut grid, u64::MAX - 1), []);
}

/// The chunks of a real dataset, by number.
fn chunks_of(bytes: &[u8], header: usize) -> Vec<ByteRange> {
    let mut hints = Hints::new(bytes.len() as u64);
    let memory = Whole(bytes.to_vec());
    all_wishes(&mut hints, &memory);
    let format = *hints.crawler.as_ref().unwrap().format();
    let total = hints.chunks.dataset(header).unwrap().grid.total();
    let chunk = |number| match hints.chunks.find(header, number, &memory, &format) {
        Outcome::Chunk(chunk) => ByteRange::new(chunk.start, chunk.start + chunk.length),
        other => panic!("{other:?}"),
    };
    (0..total).map(chunk).collect()
}

#[test]
fn nodes_of_the_index_come_along_the_path_and_chunks_when_they_are_there() {
    // 10 × 10 chunks of 16 bytes under a B-tree of at most 6 children a node.
    let bytes = file("small_k.h5").unwrap();
    let chunks = chunks_of(&bytes, 0);
    let mut memory = Blocks::new(&bytes, 32, 0);
    let mut hints = Hints::new(bytes.len() as u64);
    loop {
        let wishes = all_wishes(&mut hints, &memory);
        if wishes.is_empty() {
            break;
        }
        memory.fetch(&wishes, &mut hints);
    }
    // libhdf5 reads the path to the first chunk of column 3.
    let root = hints
        .chunks
        .dataset(0)
        .and_then(|dataset| super::super::index::root_range(dataset, hints.crawler.as_ref()?.format()));
    let mut node = root.unwrap();
    for _ in 0..8 {
        memory.fetch(&[Wish { range: node, why: Why::ChunkIndex }], &mut hints);
        hints.note(Kind::BTree, node, Supply::Missing);
        assert_eq!(hints.advance(&memory, 100), []);
        let format = *hints.crawler.as_ref().unwrap().format();
        match hints.chunks.find(0, 3, &memory, &format) {
            Outcome::Missing { node: next, .. } => node = next,
            found => {
                assert!(matches!(found, Outcome::Chunk(_)));
                break;
            }
        }
    }
    // The next one in its row may be next, that in its column is not known yet.
    let first = hints.expect_chunks(chunks[3], Supply::Missing, &memory);
    assert!(first.iter().all(|wish| wish.range == chunks[4]), "{first:?}");
    // And that to the second one, whose chunk then is the second read.
    let format = *hints.crawler.as_ref().unwrap().format();
    while let Outcome::Missing { node, .. } = hints.chunks.find(0, 13, &memory, &format) {
        memory.fetch(&[Wish { range: node, why: Why::ChunkIndex }], &mut hints);
    }
    let mut wished: Vec<ByteRange> = Vec::new();
    let mut wishes = hints.expect_chunks(chunks[13], Supply::Missing, &memory);
    for _ in 0..10 {
        wished.extend(wishes.iter().filter(|wish| wish.why == Why::Chunk).map(|wish| wish.range));
        memory.fetch(&wishes, &mut hints);
        // No other read is needed to go on.
        wishes = hints.advance(&memory, 100);
    }
    let column: Vec<ByteRange> = (2..10).map(|row| chunks[row * 10 + 3]).collect();
    assert_eq!(wished, column);
}

#[test]
fn a_window_grows_too_where_only_the_later_reads_of_a_chunk_have_to_wait() {
    let ahead = |later: Supply| {
        let mut grid = Grid::new(&[1000]);
        let mut furthest = 0;
        for at in 0..12 {
            grid.supply = Supply::Here;
            let wishes = grid.read_part(&[at], 0..MIB / 2);
            grid.supply = later;
            assert!(grid.read_part(&[at], MIB / 2..MIB).is_empty());
            furthest = wishes.iter().map(|wish| wish.end() / MIB).fold(furthest, u64::max);
        }
        furthest
    };
    assert_eq!(ahead(Supply::Here), 14);
    assert!(ahead(Supply::Underway) > 20, "{}", ahead(Supply::Underway));
}
