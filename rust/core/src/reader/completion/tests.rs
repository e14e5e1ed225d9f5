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

#[test]
fn data_that_come_a_round_trip_late_count_and_those_that_come_sooner_do_not() {
    let rest = rest(1_000_000, 16);
    let mut completion = Completion::default();
    for _ in 0..100 {
        completion.came_after(rest.pace.first_byte - Duration::from_millis(1), true, rest.pace);
    }
    assert!(!completion.is_due(&rest));
    let late = (1..100).find(|_| {
        completion.came_after(rest.pace.first_byte * 3, true, rest.pace);
        completion.is_due(&rest)
    });
    assert_eq!(late, Some(waits(rest)));
}

#[test]
fn metadata_that_come_late_count_as_long_as_they_were_waited_for() {
    // 240 ms.
    let rest = rest(40_000_000, 16);
    let mut completion = Completion::default();
    let late = (1..100).find(|_| {
        completion.came_after(rest.pace.first_byte / 4, false, rest.pace);
        completion.is_due(&rest)
    });
    assert_eq!(late, Some(24));
}

#[test]
fn what_was_lost_pays_for_the_rest_once_that_has_become_small() {
    let mut completion = Completion::default();
    assert!(!completion.waited(&rest(50_000_000, 16)));
    assert!(!completion.waited(&rest(50_000_000, 16)));
    assert!(!completion.is_due(&rest(40_000_000, 16)));
    assert!(completion.is_due(&rest(100_000, 16)));
}
