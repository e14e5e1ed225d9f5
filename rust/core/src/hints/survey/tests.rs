use super::super::Hints;
use super::super::index::Outcome;
use super::super::tests::support::{Blocks, all_wishes, file};
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
    let mut large = index(1100, 4);
    assert!(large.choose(&mut 0).0.is_empty());
    large.misses = 5;
    assert_eq!(large.choose(&mut 0).0.len(), 1100);
}

#[test]
fn an_index_beyond_the_bounds_is_never_fetched_whole() {
    assert!(index(MOST_NODES as u64 + 1, usize::MAX).choose(&mut 0).0.is_empty());
    let mut long = index(20, usize::MAX);
    long.known.push(ByteRange::new(0, MOST_BYTES));
    assert!(long.choose(&mut 0).0.is_empty());
}

#[test]
fn all_nodes_of_a_small_array_come_with_its_dataset_though_libhdf5_reads_none() {
    let bytes = file("extensible_array.h5").unwrap();
    let mut memory = Blocks::new(&bytes, 256, 256);
    let mut hints = Hints::new(bytes.len() as u64);
    for _ in 0..20 {
        let wishes = all_wishes(&mut hints, &memory);
        memory.fetch(&wishes, &mut hints);
    }
    let format = *hints.crawler.as_ref().unwrap().format();
    let grids: Vec<u64> = hints.chunks.datasets().iter().map(|dataset| dataset.grid.total()).collect();
    let whole = |id: usize, total: u64, hints: &mut Hints| {
        (0..total)
            .all(|number| !matches!(hints.chunks.find(id, number, &memory, &format), Outcome::Missing { .. }))
    };
    let complete = (0..grids.len()).filter(|id| whole(*id, grids[*id], &mut hints)).count();
    // The large one has more nodes than come unasked.
    assert_eq!((complete, grids.len()), (3, 4), "{grids:?}");
}
