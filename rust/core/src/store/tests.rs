use super::*;
use crate::floor::error::{Error, ErrorCode};
use crate::transport::Sink;
use std::time::{Duration, Instant};

const GEOMETRY: Geometry = Geometry { block_size: 10, file_size: 95 };

fn store(max_bytes: u64) -> Arc<Store> {
    Arc::new(Store::new(GEOMETRY, max_bytes))
}

fn put(store: &Arc<Store>, blocks: Range<u64>) {
    let slots = store.claim_guesses(blocks.clone(), u64::MAX);
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
    assert_eq!(**store.get(8).unwrap().0, (80..90).collect::<Vec<u8>>()[..]);
    assert_eq!(**store.get(9).unwrap().0, (90..95).collect::<Vec<u8>>()[..]);
    assert_eq!(store.cached_bytes(), 25);
}

#[test]
fn a_block_is_claimed_by_one_reader_and_awaited_by_the_others() {
    let store = store(1000);
    assert!(matches!(&store.claim(3..4).found[..], [Found::Claimed(_)]));
    let found = store.claim(3..4).found;
    let [Found::Pending(slot)] = &found[..] else { panic!("{found:?}") };
    assert!(slot.wait(Some(Instant::now() + Duration::from_millis(1))).is_none());
    let waiter = std::thread::spawn({
        let slot = Arc::clone(slot);
        move || slot.wait(None)
    });
    let mut block = store.buffer().unwrap();
    block.append(&[7; 10], 10);
    store.complete(vec![(Arc::clone(slot), block)]);
    assert_eq!(**waiter.join().unwrap().unwrap().unwrap(), [7; 10]);
    assert!(matches!(&store.claim(3..4).found[..], [Found::Ready(_)]));
}

#[test]
fn guesses_claim_only_what_nobody_has_asked_for_and_no_more_than_allowed() {
    let store = store(1000);
    put(&store, 4..5);
    store.claim(6..7);
    let blocks = |slots: Vec<Arc<Slot>>| slots.iter().map(|slot| slot.block()).collect::<Vec<_>>();
    assert_eq!(blocks(store.claim_guesses(3..9, 2)), [3, 5]);
    assert_eq!(blocks(store.claim_guesses(3..9, 9)), [7, 8]);
    assert!(store.claim_guesses(3..9, 9).is_empty());
}

#[test]
fn the_first_touch_of_a_guess_proves_it_and_only_the_first() {
    let store = store(1000);
    put(&store, 0..2);
    assert_eq!(store.get(0).map(|(_, proved)| proved), Some(true));
    assert_eq!(store.get(0).map(|(_, proved)| proved), Some(false));
    store.claim_guesses(2..3, 1);
    assert_eq!(store.claim(0..4).proved, 2);
    assert_eq!(store.claim(0..4).proved, 0);
}

#[test]
fn a_guess_that_is_driven_out_untouched_counts_as_wasted() {
    let store = store(30);
    put(&store, 0..3);
    store.claim(0..2);
    put(&store, 5..8);
    assert_eq!((store.evicted(), store.wasted()), (3, 1));
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
    let slots = store.claim_guesses(0..3, 9);
    let waiting = Arc::clone(&slots[2]);
    let mut landing = Box::new(Landing::new(Arc::clone(&store), slots));
    landing.bytes(&[1; 15]);
    landing.end(Err(Error::new(ErrorCode::TimedOut, "late")));
    assert_eq!(waiting.wait(None).unwrap().unwrap_err().code(), ErrorCode::TimedOut);
    assert!(store.get(0).is_some());
    assert_eq!(store.claim_guesses(1..3, 9).len(), 2);
}

#[test]
fn a_landing_that_is_dropped_leaves_nobody_waiting() {
    let store = store(1000);
    let slots = store.claim_guesses(0..1, 9);
    let waiting = Arc::clone(&slots[0]);
    drop(Landing::new(store, slots));
    assert!(waiting.wait(None).unwrap().is_err());
}

#[test]
fn peeking_gives_bytes_across_blocks_only_where_all_are_there_and_proves_nothing() {
    let store = store(1000);
    put(&store, 1..4);
    let expected: Vec<u8> = (15..35).collect();
    assert_eq!(store.peek(ByteRange::new(15, 35)), Some(expected));
    assert_eq!(store.peek(ByteRange::new(5, 15)), None);
    assert_eq!(store.peek(ByteRange::new(35, 45)), None);
    assert_eq!(store.claim(1..4).proved, 3);
}

#[test]
fn landings_are_told_once_and_only_where_asked_for() {
    let store = store(1000);
    put(&store, 0..1);
    assert!(store.take_landed().is_empty());
    store.note_landings();
    put(&store, 1..3);
    assert_eq!(store.take_landed(), [1, 2]);
    assert!(store.take_landed().is_empty());
}
