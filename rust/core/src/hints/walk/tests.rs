use super::*;

const COUNTS: [u64; 2] = [10, 4];

/// Goes through places; the last move, and what is foretold after it, at most five places.
fn walked(counts: &[u64], places: &[&[u64]]) -> (Move, Vec<Vec<u64>>) {
    let mut walk = Walk::default();
    let mut last = Move::Expected;
    for place in places {
        last = walk.go(place.to_vec());
    }
    let mut foretold = Vec::new();
    let mut at = walk.place().to_vec();
    while foretold.len() < 5
        && let Some(next) = walk.after(&at, counts)
    {
        foretold.push(next.clone());
        at = next;
    }
    (last, foretold)
}

#[test]
fn the_first_place_foretells_nothing() {
    assert_eq!(walked(&COUNTS, &[&[3, 2]]), (Move::Jump { row: false }, vec![]));
}

#[test]
fn a_column_goes_on_to_the_end_of_the_grid() {
    let (last, foretold) = walked(&COUNTS, &[&[5, 2], &[6, 2]]);
    assert_eq!(last, Move::Learned);
    assert_eq!(foretold, [[7, 2], [8, 2], [9, 2]]);
}

#[test]
fn a_row_ends_at_the_grid_until_a_row_crossing_has_been_seen() {
    assert_eq!(walked(&COUNTS, &[&[5, 0], &[5, 1]]).1, [[5, 2], [5, 3]]);
    let (last, foretold) = walked(&COUNTS, &[&[5, 1], &[5, 2], &[6, 1]]);
    assert_eq!(last, Move::Learned);
    assert_eq!(foretold, [[6, 2], [7, 1], [7, 2], [8, 1], [8, 2]]);
    assert_eq!(walked(&COUNTS, &[&[5, 1], &[5, 2], &[6, 1], &[6, 2]]).0, Move::Expected);
}

#[test]
fn planes_of_a_cube_are_crossed_too() {
    let places: Vec<Vec<u64>> =
        (0..2).flat_map(|r| (0..2).flat_map(move |c| (0..2).map(move |p| vec![r, c, p]))).collect();
    let places: Vec<&[u64]> = places.iter().map(Vec::as_slice).collect();
    let (last, foretold) = walked(&[9, 9, 9], &places[..5]);
    assert_eq!(last, Move::Learned);
    assert_eq!(foretold[..4], [[1, 0, 1], [1, 1, 0], [1, 1, 1], [2, 0, 0]]);
}

#[test]
fn runs_go_backward() {
    assert_eq!(walked(&COUNTS, &[&[2, 0], &[1, 0]]).1, [[0, 0]]);
    assert_eq!(walked(&COUNTS, &[&[3, 1], &[3, 0], &[2, 1], &[2, 0]]).1, [[1, 1], [1, 0], [0, 1], [0, 0]]);
}

#[test]
fn a_leap_foretells_nothing_until_it_is_repeated() {
    assert_eq!(walked(&COUNTS, &[&[0, 0], &[3, 0]]), (Move::Jump { row: false }, vec![]));
    assert_eq!(walked(&COUNTS, &[&[0, 0], &[3, 0], &[6, 0]]), (Move::Learned, vec![vec![9, 0]]));
    // Jumps about.
    for places in [[0_u64, 7, 2, 9, 4], [9, 1, 6, 3, 8]] {
        let places: Vec<[u64; 1]> = places.map(|at| [at]).to_vec();
        let places: Vec<&[u64]> = places.iter().map(<[u64; 1]>::as_slice).collect();
        assert_eq!(walked(&[10], &places), (Move::Jump { row: false }, vec![]));
    }
}

#[test]
fn a_jump_to_the_start_of_a_row_foretells_the_row_and_no_more() {
    let places: &[&[u64]] = &[&[2, 0], &[2, 1], &[2, 2], &[7, 0]];
    assert_eq!(walked(&COUNTS, places), (Move::Jump { row: true }, vec![vec![7, 1], vec![7, 2]]));
    // Windows of one or two rows here and there.
    let places: &[&[u64]] = &[&[2, 0], &[2, 1], &[3, 0], &[3, 1], &[8, 0]];
    assert_eq!(walked(&COUNTS, places), (Move::Jump { row: true }, vec![vec![8, 1]]));
}

#[test]
fn a_change_from_rows_to_columns_is_learned() {
    let places: &[&[u64]] = &[&[0, 0], &[0, 1], &[0, 2], &[1, 0], &[2, 0]];
    assert_eq!(walked(&COUNTS, places).1, [[3, 0], [4, 0], [5, 0], [6, 0], [7, 0]]);
    // And a row that becomes longer.
    let places: &[&[u64]] = &[&[0, 0], &[0, 1], &[1, 0], &[1, 1], &[1, 2]];
    assert_eq!(walked(&COUNTS, places).1[0], [1, 3]);
}

#[test]
fn places_of_another_rank_or_behind_the_grid_do_no_harm() {
    let (last, foretold) = walked(&COUNTS, &[&[0, 0], &[1], &[u64::MAX, u64::MAX], &[0, 0], &[u64::MAX, 0]]);
    assert!(matches!(last, Move::Jump { .. } | Move::Learned), "{last:?}");
    assert!(foretold.len() <= 5);
}
