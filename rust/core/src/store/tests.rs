use super::*;
use crate::floor::error::{Error, ErrorCode};
use crate::transport::Sink;
use proptest::prelude::*;
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
fn what_was_used_least_recently_goes_first_together_with_its_neighbours_and_the_bound_holds() {
    let geometry = Geometry { block_size: 10, file_size: 10_000 };
    let store = Arc::new(Store::new(geometry, 65));
    let put = |blocks: Range<u64>| {
        let slots = store.claim_guesses(blocks.clone(), u64::MAX);
        let mut landing = Box::new(Landing::new(Arc::clone(&store), slots));
        landing.bytes(&vec![1; geometry.bytes(&blocks).length() as usize]);
        landing.end(Ok(()));
    };
    put(0..3);
    put(100..103);
    assert!(store.get(1).is_some());
    put(500..502);
    let there =
        |blocks: [u64; 3]| blocks.map(|block| store.peek(geometry.bytes(&(block..block + 1))).is_some());
    assert_eq!(there([100, 101, 102]), [false, false, true]);
    assert_eq!((there([0, 1, 2]), there([500, 501, 502])), ([true; 3], [true, true, false]));
    assert_eq!((store.evicted(), store.cached_bytes()), (2, 60));
    put(600..606);
    assert_eq!((there([0, 1, 2]), there([102, 500, 501])), ([false; 3], [false; 3]));
    assert_eq!((store.evicted(), store.cached_bytes()), (8, 60));
}

#[test]
fn what_is_on_its_way_is_not_driven_out_and_room_is_made_elsewhere() {
    let store = store(20);
    put(&store, 0..2);
    let awaited = store.claim(2..4).found;
    put(&store, 5..7);
    assert!(store.get(0).is_none() && store.get(1).is_none());
    assert!(matches!(&store.claim(2..4).found[..], [Found::Pending(_), Found::Pending(_)]), "{awaited:?}");
    assert_eq!(store.unknown(), 10 - 4);
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

#[test]
fn a_block_that_comes_twice_counts_once() {
    let store = store(1000);
    let slots = store.claim_guesses(3..4, 1);
    for _ in 0..2 {
        let mut block = store.buffer().unwrap();
        block.append(&[7; 10], 10);
        store.complete(vec![(Arc::clone(&slots[0]), block)]);
    }
    assert_eq!((store.unknown(), store.cached_bytes()), (9, 10));
}

#[test]
fn a_guess_that_never_comes_is_lost_and_one_that_a_read_waits_for_is_not() {
    let store = store(1000);
    let slots = store.claim_guesses(0..3, 3);
    store.claim(1..2);
    for slot in slots {
        store.fail(&slot, Error::new(ErrorCode::TimedOut, "late"));
    }
    assert_eq!(store.lost(), 2);
}

/// What may happen to a store.
#[derive(Clone, Debug)]
enum Event {
    Claim(Range<u64>),
    Guess(Range<u64>, u64),
    Company(Range<u64>),
    Get(u64),
    Land(usize),
    Fail(usize),
}

fn event() -> impl Strategy<Value = Event> {
    let range = || (0_u64..100, 0_u64..40).prop_map(|(start, length)| start..start + length);
    prop_oneof![
        range().prop_map(Event::Claim),
        (range(), 0_u64..30).prop_map(|(range, most)| Event::Guess(range, most)),
        range().prop_map(Event::Company),
        (0_u64..140).prop_map(Event::Get),
        (1_usize..20).prop_map(Event::Land),
        (1_usize..20).prop_map(Event::Fail),
    ]
}

proptest! {
    #[test]
    fn each_block_is_fetched_by_one_is_what_landed_and_no_more_are_kept_than_allowed(
        events in prop::collection::vec(event(), 0..60), capacity in 1_u64..50,
    ) {
        let geometry = Geometry { block_size: 1, file_size: 1000 };
        let store = Arc::new(Store::new(geometry, capacity));
        let mut underway: Vec<Arc<Slot>> = Vec::new();
        for event in events {
            let claimed = match event {
                Event::Claim(range) => {
                    let claim = store.claim(range.clone());
                    prop_assert_eq!(claim.found.len() as u64, range.end - range.start);
                    let mut claimed = Vec::new();
                    for (block, found) in range.zip(claim.found) {
                        match found {
                            Found::Ready(content) => prop_assert_eq!(&**content, &[block as u8][..]),
                            Found::Pending(slot) => {
                                prop_assert!(underway.iter().any(|other| Arc::ptr_eq(other, &slot)));
                            }
                            Found::Claimed(slot) => claimed.push(slot),
                        }
                    }
                    claimed
                }
                Event::Guess(range, most) => {
                    let claimed = store.claim_guesses(range, most);
                    prop_assert!(claimed.len() as u64 <= most);
                    claimed
                }
                Event::Company(range) => store.claim_company(range),
                Event::Get(block) => {
                    if let Some((content, _)) = store.get(block) {
                        prop_assert_eq!(&**content, &[block as u8][..]);
                    }
                    Vec::new()
                }
                Event::Land(count) => {
                    let landing = underway.drain(..count.min(underway.len()));
                    let blocks = landing.map(|slot| {
                        let mut block = store.buffer().unwrap();
                        block.append(&[slot.block() as u8], 1);
                        (slot, block)
                    });
                    store.complete(blocks.collect());
                    Vec::new()
                }
                Event::Fail(count) => {
                    for slot in underway.drain(..count.min(underway.len())) {
                        store.fail(&slot, Error::new(ErrorCode::TimedOut, "late"));
                    }
                    Vec::new()
                }
            };
            for slot in claimed {
                prop_assert!(underway.iter().all(|other| other.block() != slot.block()));
                underway.push(slot);
            }
            let kept = store.cached_bytes();
            prop_assert!(kept <= capacity);
            prop_assert_eq!(store.unknown(), 1000 - kept - underway.len() as u64);
        }
    }
}
