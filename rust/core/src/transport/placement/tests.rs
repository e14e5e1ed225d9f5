use super::*;

const PACE: Pace = Pace { first_byte: Duration::from_millis(40), rate: 50_000_000, at_once: 16 };
const MS: fn(u64) -> Duration = Duration::from_millis;

fn host(idle: u32, connect: u64) -> Host {
    Host { idle, connect_cost: Some(MS(connect)), ..Host::default() }
}

/// What runs on connections of its own until then.
fn busy(ends: &[Instant]) -> Busy {
    let mut busy = Busy::default();
    ends.iter().for_each(|end| busy.add(Urgency::Demand, *end));
    busy
}

#[test]
fn a_request_begins_at_once_on_an_idle_connection_or_where_nothing_is_under_way() {
    let now = Instant::now();
    assert!(host(1, 80).begins_now(&busy(&[now + MS(5)]), PACE, now, now));
    assert!(host(0, 80).begins_now(&busy(&[]), PACE, now, now));
}

#[test]
fn it_waits_for_a_connection_that_is_free_before_a_new_one_would_be() {
    let now = Instant::now();
    assert!(!host(0, 80).begins_now(&busy(&[now + MS(50)]), PACE, now, now));
    assert!(host(0, 80).begins_now(&busy(&[now + MS(90)]), PACE, now, now));
    assert!(host(0, 0).begins_now(&busy(&[now + MS(1)]), PACE, now, now), "where connecting costs nothing");
}

#[test]
fn it_waits_no_longer_than_connecting_takes_whatever_was_expected() {
    let now = Instant::now();
    assert!(host(0, 80).begins_now(&busy(&[now + MS(1)]), PACE, now.checked_sub(MS(80)).unwrap(), now));
}

#[test]
fn who_waits_has_the_promise_of_the_connection_that_is_free_first() {
    let now = Instant::now();
    let mut busy = busy(&[now + MS(90), now + MS(50)]);
    assert!(!host(0, 80).begins_now(&busy, PACE, now, now));
    busy.promise();
    assert!(host(0, 80).begins_now(&busy, PACE, now, now));
    busy.promise();
    busy.promise();
    assert_eq!(busy.running, 2);
}

#[test]
fn idle_connections_are_counted_and_forgotten_when_one_turns_out_dead() {
    let mut host = Host::default();
    assert_eq!(host.begin(), Place::New);
    host.end(true, true, Place::New);
    host.end(true, true, Place::New);
    assert_eq!(host.begin(), Place::Idle);
    host.end(false, false, Place::Idle);
    assert_eq!(host.begin(), Place::Idle);
    assert_eq!(host.begin(), Place::New);
    host.end(true, false, Place::Idle);
    host.end(true, false, Place::Idle);
    assert_eq!(host.begin(), Place::Idle);
    host.end(true, true, Place::Idle);
    assert_eq!(host.idle, 1);
}

#[test]
fn who_shared_a_connection_leaves_none_behind_unless_it_had_to_open_one() {
    let mut host = Host::default();
    host.end(true, false, Place::Shared);
    assert_eq!(host.idle, 0);
    host.end(true, true, Place::Shared);
    assert_eq!(host.idle, 1);
}

/// A host that speaks HTTP/2 and has no idle connection, and one request on its way there.
fn sharing() -> (Host, Busy) {
    let mut host = host(0, 80);
    host.answered(true);
    let busy = Busy { shareable: 1, ..busy(&[Instant::now()]) };
    (host, busy)
}

#[test]
fn a_small_request_shares_a_connection_of_http2_and_a_large_one_does_not() {
    let (host, busy) = sharing();
    assert!(host.may_share(100 * 1024, &busy) && host.shares_now(&busy));
    assert!(!host.may_share(500 * 1024, &busy));
    assert!(Host::default().may_share(1, &busy), "as soon as an answer has begun");
    assert!(!Host::default().may_share(1, &Busy::default()));
}

#[test]
fn nobody_shares_where_a_connection_is_idle_or_none_is_open_yet() {
    let (mut host, busy) = sharing();
    host.idle = 1;
    assert!(!host.shares_now(&busy));
    host.idle = 0;
    assert!(!host.shares_now(&Busy { shareable: 0, ..busy }));
}

#[test]
fn a_connection_that_somebody_may_share_still_does_not_count_as_idle() {
    let (mut host, mut busy) = sharing();
    host.idle = 1;
    busy.share(Urgency::Demand);
    assert_eq!(host.idle(&busy), 0);
    assert!(host.shares_now(&busy));
}

#[test]
fn one_connection_is_shared_by_so_many_and_no_more() {
    let (host, mut busy) = sharing();
    let most = (1..).find(|_| {
        busy.share(Urgency::Demand);
        !host.shares_now(&busy)
    });
    assert_eq!(most, Some(MOST_STREAMS - 1));
    assert_eq!(busy.running as usize, MOST_STREAMS);
}

#[test]
fn a_host_where_http2_failed_gets_none_and_its_idle_connections_are_of_no_use() {
    let (mut host, busy) = sharing();
    host.idle = 3;
    host.distrust_http2();
    assert!(host.distrusts_http2() && !host.multiplexes());
    assert_eq!(host.idle, 0);
    host.end(true, true, Place::New);
    host.distrust_http2();
    assert_eq!(host.idle, 1, "those of HTTP/1.1 are");
    assert!(!host.may_share(1, &busy));
}

#[test]
fn a_host_without_http2_keeps_its_idle_connections_when_requests_fail() {
    let mut host = host(2, 80);
    host.answered(false);
    host.distrust_http2();
    assert_eq!(host.idle, 2);
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

#[test]
fn guesses_leave_room_to_demands_and_what_has_time_to_both() {
    let running = |urgencies: &[(Urgency, u32)]| {
        let mut busy = Busy::default();
        for (urgency, count) in urgencies {
            (0..*count).for_each(|_| busy.add(*urgency, Instant::now()));
        }
        busy
    };
    let room = |busy: &Busy| {
        [Urgency::Demand, Urgency::Guess, Urgency::Idle].map(|urgency| busy.has_room(urgency, 16))
    };
    assert_eq!(room(&running(&[(Urgency::Idle, 9)])), [true; 3]);
    assert_eq!(room(&running(&[(Urgency::Idle, 10)])), [true, true, false]);
    assert_eq!(room(&running(&[(Urgency::Idle, 10), (Urgency::Guess, 5)])), [true, true, false]);
    assert_eq!(room(&running(&[(Urgency::Guess, 12)])), [true, false, false]);
    assert_eq!(room(&running(&[(Urgency::Demand, 16)])), [false; 3]);
    assert!(Busy::default().has_room(Urgency::Idle, 1));
}
