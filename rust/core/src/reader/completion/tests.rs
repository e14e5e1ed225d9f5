use super::*;

const PACE: Pace = Pace { first_byte: Duration::from_millis(40), rate: 50_000_000, at_once: 16 };

fn rest(bytes: u64, max_connections: u64) -> Rest {
    Rest { bytes, max_connections, pace: PACE }
}

/// After how many waits the rest is fetched.
fn waits(rest: Rest) -> u32 {
    let mut completion = Completion::default();
    let mut waits = 1;
    while !completion.waited(&rest) {
        waits += 1;
    }
    waits
}

#[test]
fn the_rest_is_fetched_once_the_waits_have_cost_as_much() {
    // 40 MB at 4 x 50 MB/s are 200 ms, and 40 ms to the first byte: six waits of 40 ms.
    assert_eq!(waits(rest(40_000_000, 16)), 6);
    assert_eq!(waits(rest(100_000_000, 16)), 14);
    assert_eq!(waits(rest(40_000_000, 1)), 21);
    assert_eq!(waits(rest(0, 16)), 1);
}

#[test]
fn it_is_fetched_only_once() {
    let mut completion = Completion::default();
    assert!(completion.waited(&rest(0, 1)));
    assert!(!completion.waited(&rest(0, 1)));
    assert!(!completion.scattered(1000, &rest(0, 1)));
}

#[test]
fn the_rest_is_fetched_instead_of_so_many_pieces_that_they_would_take_as_long() {
    // 240 ms are six rounds of requests.
    assert!(!Completion::default().scattered(95, &rest(40_000_000, 16)));
    assert!(Completion::default().scattered(96, &rest(40_000_000, 16)));
    assert!(!Completion::default().scattered(20, &rest(40_000_000, 1)));
    assert!(Completion::default().scattered(21, &rest(40_000_000, 1)));
}
