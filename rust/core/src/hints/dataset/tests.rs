use super::*;

fn grid(dims: &[u64], max_dims: &[Option<u64>], chunk: &[u64], index: Index) -> Grid {
    let space = Dataspace { dims: dims.to_vec(), max_dims: max_dims.to_vec() };
    let layout = Chunked { chunk_dims: chunk.to_vec(), element_size: 2, index };
    Grid::new(&space, &layout).unwrap()
}

#[test]
fn numbers_and_places_are_each_others_inverse() {
    let grid = grid(&[10, 7, 5], &[None, Some(7), Some(5)], &[3, 2, 5], Index::BtreeV1(0));
    assert_eq!((grid.counts(), grid.total(), grid.chunk_bytes()), (&[4, 4, 1][..], 16, 60));
    for number in 0..16 {
        assert_eq!(grid.number(&grid.coordinates(number)), Some(number));
    }
    assert_eq!(grid.number(&[4, 0, 0]), None);
    assert_eq!(grid.number(&[0, 0]), None);
}

#[test]
fn arrays_count_chunks_of_the_largest_extent() {
    let fixed = grid(&[4, 6], &[Some(8), Some(20)], &[2, 2], Index::FixedArray(0));
    assert_eq!(fixed.array_index(fixed.number(&[1, 2]).unwrap()), Some(12));
    assert_eq!(fixed.array_number(12), fixed.number(&[1, 2]));
    assert_eq!(fixed.array_number(5), None, "in the largest extent, not in the current one");
    let growing = grid(&[4, 6], &[Some(8), None], &[2, 2], Index::ExtensibleArray(0));
    assert_eq!(growing.array_index(growing.number(&[1, 2]).unwrap()), Some(2 * 4 + 1));
    for number in 0..growing.total() {
        assert_eq!(growing.array_index(number).and_then(|index| growing.array_number(index)), Some(number));
    }
}

#[test]
fn what_does_not_fit_together_is_no_grid() {
    let layout =
        |dims: &[u64]| Chunked { chunk_dims: dims.to_vec(), element_size: 8, index: Index::Implicit(0) };
    let space =
        |dims: &[u64]| Dataspace { dims: dims.to_vec(), max_dims: dims.iter().copied().map(Some).collect() };
    assert_eq!(Grid::new(&space(&[1, 2]), &layout(&[1])), None);
    assert_eq!(Grid::new(&space(&[0, 2]), &layout(&[1, 1])), None, "no chunk");
    assert_eq!(Grid::new(&space(&[u64::MAX, u64::MAX]), &layout(&[1, 1])), None);
    assert_eq!(Grid::new(&space(&[9]), &layout(&[u64::MAX])), None);
}
