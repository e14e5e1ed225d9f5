use super::*;
use crate::floor::error::{Error, ErrorCode};
use crate::transport::Sink;
use std::time::{Duration, Instant};

const GEOMETRY: Geometry = Geometry { block_size: 10, file_size: 95 };

fn store(max_bytes: u64) -> Arc<Store> {
    Arc::new(Store::new(GEOMETRY, max_bytes))
}

fn put(store: &Arc<Store>, blocks: Range<u64>) {
    let slots = store.claim_run(blocks.clone());
    assert_eq!(slots.len() as u64, blocks.end - blocks.start);
    let mut landing = Box::new(Landing::new(Arc::clone(store), slots));
    let bytes = GEOMETRY.bytes(&blocks);
    let content: Vec<u8> = (bytes.start()..bytes.end()).map(|at| at as u8).collect();
    for piece in content.chunks(7) {
        landing.bytes(piece);
    }
    landing.end(Ok(()));
}

#[test]
fn ranges_and_blocks_convert_with_a_short_last_block() {
    assert_eq!(GEOMETRY.blocks(ByteRange::new(0, 10)), 0..1);
    assert_eq!(GEOMETRY.blocks(ByteRange::new(9, 11)), 0..2);
    assert_eq!(GEOMETRY.blocks(ByteRange::new(90, 95)), 9..10);
    assert_eq!(GEOMETRY.blocks(ByteRange::new(5, 5)), 0..0);
    assert_eq!(GEOMETRY.bytes(&(9..10)), ByteRange::new(90, 95));
    assert_eq!(GEOMETRY.bytes(&(u64::MAX - 1..u64::MAX)), ByteRange::new(95, 95));
    assert_eq!(GEOMETRY.count(), 10);
}

#[test]
fn bytes_in_pieces_of_any_size_become_the_blocks_they_are() {
    let store = store(1000);
    put(&store, 7..10);
    assert_eq!(**store.get(8).unwrap(), (80..90).collect::<Vec<u8>>()[..]);
    assert_eq!(**store.get(9).unwrap(), (90..95).collect::<Vec<u8>>()[..]);
    assert_eq!(store.cached_bytes(), 25);
}

#[test]
fn a_block_is_claimed_by_one_reader_and_awaited_by_the_others() {
    let store = store(1000);
    assert!(matches!(&store.claim(3..4)[..], [Found::Claimed(_)]));
    let found = store.claim(3..4);
    let [Found::Pending(slot)] = &found[..] else { panic!("{found:?}") };
    assert!(slot.wait(Some(Instant::now() + Duration::from_millis(1))).is_none());
    let waiter = std::thread::spawn({
        let slot = Arc::clone(slot);
        move || slot.wait(None)
    });
    store.complete(slot, vec![7; 10].into());
    assert_eq!(**waiter.join().unwrap().unwrap().unwrap(), [7; 10]);
    assert!(matches!(&store.claim(3..4)[..], [Found::Ready(_)]));
}

#[test]
fn a_run_stops_at_what_is_there_or_on_its_way() {
    let store = store(1000);
    put(&store, 4..5);
    assert_eq!(store.claim_run(2..9).len(), 2);
    assert_eq!(store.claim_run(1..9).len(), 1);
    assert!(store.claim_run(2..9).is_empty());
}

#[test]
fn the_least_recently_used_block_goes_first_and_the_bound_holds() {
    let store = store(35);
    put(&store, 0..3);
    assert!(store.get(0).is_some());
    put(&store, 5..6);
    assert!(store.get(1).is_none());
    assert!(store.get(0).is_some() && store.get(2).is_some() && store.get(5).is_some());
    assert_eq!((store.evicted(), store.cached_bytes()), (1, 30));
}

#[test]
fn one_block_is_kept_however_small_the_bound() {
    let store = store(0);
    put(&store, 0..3);
    assert_eq!(store.cached_bytes(), 10);
    assert!(store.get(2).is_some());
}

#[test]
fn a_failed_block_fails_its_readers_and_may_be_claimed_again() {
    let store = store(1000);
    let slots = store.claim_run(0..3);
    let waiting = Arc::clone(&slots[2]);
    let mut landing = Box::new(Landing::new(Arc::clone(&store), slots));
    landing.bytes(&[1; 15]);
    landing.end(Err(Error::new(ErrorCode::TimedOut, "late")));
    assert_eq!(waiting.wait(None).unwrap().unwrap_err().code(), ErrorCode::TimedOut);
    assert!(store.get(0).is_some());
    assert_eq!(store.claim_run(1..3).len(), 2);
}

#[test]
fn a_landing_that_is_dropped_leaves_nobody_waiting() {
    let store = store(1000);
    let slots = store.claim_run(0..1);
    let waiting = Arc::clone(&slots[0]);
    drop(Landing::new(store, slots));
    assert!(waiting.wait(None).unwrap().is_err());
}
