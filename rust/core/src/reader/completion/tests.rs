use super::*;

const PACE: Pace = Pace { first_byte: Duration::from_millis(40), rate: 50_000_000 };

/// After how many waits the rest is fetched.
fn waits(missing: u64, connections: u64) -> u32 {
    let mut completion = Completion::default();
    let mut waits = 1;
    while !completion.waited(Wait::OwnRequest, missing, connections, PACE) {
        waits += 1;
    }
    waits
}

#[test]
fn the_rest_is_fetched_once_the_waits_have_cost_as_much() {
    // 40 MB at 4 x 50 MB/s are 200 ms, and 40 ms to the first byte: six waits of 40 ms.
    assert_eq!(waits(40_000_000, 16), 6);
    assert_eq!(waits(100_000_000, 16), 14);
    assert_eq!(waits(40_000_000, 1), 21);
    assert_eq!(waits(0, 16), 1);
}

#[test]
fn it_is_fetched_only_once() {
    let mut completion = Completion::default();
    assert!(completion.waited(Wait::OwnRequest, 0, 1, PACE));
    assert!(!completion.waited(Wait::OwnRequest, 0, 1, PACE));
}

#[test]
fn waiting_for_what_is_on_its_way_counts_half() {
    let mut completion = Completion::default();
    let waits = (1..100).find(|_| completion.waited(Wait::Underway, 40_000_000, 16, PACE));
    assert_eq!(waits, Some(12));
}
