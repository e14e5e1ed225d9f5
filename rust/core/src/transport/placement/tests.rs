use super::*;

const PACE: Pace = Pace { first_byte: Duration::from_millis(40), rate: 50_000_000, at_once: 16 };
const MS: fn(u64) -> Duration = Duration::from_millis;

fn host(idle: u32, connect: u64) -> Host {
    Host { idle, connect_cost: Some(MS(connect)) }
}

#[test]
fn a_request_begins_at_once_on_an_idle_connection_or_where_nothing_is_under_way() {
    let now = Instant::now();
    assert!(host(1, 80).begins_now(&[now + MS(5)], PACE, now, now));
    assert!(host(0, 80).begins_now(&[], PACE, now, now));
}

#[test]
fn it_waits_for_a_connection_that_is_free_before_a_new_one_would_be() {
    let now = Instant::now();
    assert!(!host(0, 80).begins_now(&[now + MS(50)], PACE, now, now));
    assert!(host(0, 80).begins_now(&[now + MS(90)], PACE, now, now));
    assert!(host(0, 0).begins_now(&[now + MS(1)], PACE, now, now), "where connecting costs nothing");
}

#[test]
fn it_waits_no_longer_than_connecting_takes_whatever_was_expected() {
    let now = Instant::now();
    assert!(host(0, 80).begins_now(&[now + MS(1)], PACE, now.checked_sub(MS(80)).unwrap(), now));
}

#[test]
fn idle_connections_are_counted_and_forgotten_when_one_turns_out_dead() {
    let mut host = Host::default();
    assert!(!host.begin());
    host.end(true, true, false);
    host.end(true, true, false);
    assert!(host.begin());
    host.end(false, false, true);
    assert!(host.begin());
    assert!(!host.begin());
    host.end(true, false, true);
    host.end(true, false, true);
    assert!(host.begin());
    host.end(true, true, true);
    assert_eq!(host.idle, 1);
}

#[test]
fn the_end_of_a_request_is_expected_by_what_is_left_of_it() {
    let now = Instant::now();
    let silent = expected_end(now, true, 5_000_000, MS(80), PACE, now);
    assert_eq!(silent - now, MS(80 + 40 + 100));
    let heard = expected_end(now.checked_sub(MS(500)).unwrap(), false, 50_000, MS(0), PACE, now);
    assert_eq!(heard - now, MS(1));
    let late = expected_end(now.checked_sub(MS(500)).unwrap(), true, 0, MS(80), PACE, now);
    assert_eq!(late, now);
}

#[test]
fn the_cost_of_connecting_is_what_a_first_byte_takes_longer_on_a_new_connection() {
    let mut host = Host::default();
    assert_eq!(host.connect_cost(PACE), MS(80));
    host.connected(MS(90), PACE);
    assert_eq!(host.connect_cost(PACE), MS(50));
    host.connected(MS(50), PACE);
    assert_eq!(host.connect_cost(PACE), MS(40));
}
