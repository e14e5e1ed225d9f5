use super::*;

fn index(nodes: u64, misses: usize) -> Index {
    let known = (0..nodes).map(|i| ByteRange::new(i * 10_000, i * 10_000 + 1000)).collect();
    Index { known, misses, ..Index::default() }
}

#[test]
fn a_small_index_is_fetched_at_once_and_each_node_once() {
    let (mut small, mut free) = (index(16, 0), 0);
    assert_eq!(small.choose(&mut free).0.len(), 16);
    assert!(small.choose(&mut free).0.is_empty());
    assert_eq!(free, 16);
    small.known.push(ByteRange::new(900_000, 900_100));
    assert!(small.choose(&mut free).0.is_empty(), "it turns out to be large");
}

#[test]
fn of_many_small_indexes_only_the_first_are_fetched_unasked() {
    let mut free = 0;
    let fetched = (0..100).filter(|_| !index(10, 0).choose(&mut free).0.is_empty()).count();
    assert_eq!(fetched, FREE_NODES_OF_ALL / 10);
}

#[test]
fn a_large_index_is_fetched_once_libhdf5_has_waited_often_enough() {
    let mut large = index(320, 8);
    assert!(large.choose(&mut 0).0.is_empty());
    large.misses = 9;
    assert_eq!(large.choose(&mut 0).0.len(), 320);
}

#[test]
fn an_index_beyond_the_bounds_is_never_fetched_whole() {
    assert!(index(MOST_NODES as u64 + 1, usize::MAX).choose(&mut 0).0.is_empty());
    let mut long = index(20, usize::MAX);
    long.known.push(ByteRange::new(0, MOST_BYTES));
    assert!(long.choose(&mut 0).0.is_empty());
}
