use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_complaint_halves_what_is_in_flight_and_only_at_that_host() {
    let start = Instant::now();
    let mut throttles = Throttles::default();
    assert_eq!(throttles.allowed("a", 16, start), 16);
    throttles.overloaded("a", 12, start, None, start + SECOND);
    assert_eq!(throttles.allowed("a", 16, start + SECOND), 6);
    assert_eq!(throttles.allowed("a", 4, start + SECOND), 4);
    assert_eq!(throttles.allowed("b", 16, start + SECOND), 16);
}

#[test]
fn complaints_of_one_moment_count_once_and_later_ones_again_down_to_one() {
    let start = Instant::now();
    let mut throttles = Throttles::default();
    for _ in 0..12 {
        throttles.overloaded("a", 12, start, None, start + SECOND);
    }
    assert_eq!(throttles.allowed("a", 16, start + SECOND), 6);
    for (i, expected) in [(2, 3), (4, 1), (6, 1)] {
        throttles.overloaded("a", 6, start + i * SECOND, None, start + (i + 1) * SECOND);
        assert_eq!(throttles.allowed("a", 16, start + (i + 1) * SECOND), expected);
    }
}

#[test]
fn answers_bring_it_back_one_by_one() {
    let start = Instant::now();
    let mut throttles = Throttles::default();
    throttles.overloaded("a", 4, start, None, start);
    let mut served = 0;
    for limit in 2..16 {
        assert_eq!(throttles.allowed("a", 16, start), limit);
        for _ in 0..limit * PATIENCE {
            throttles.served("a");
            served += 1;
        }
    }
    assert_eq!((throttles.allowed("a", 16, start), served), (16, 476));
    throttles.served("b");
    assert_eq!(throttles.allowed("b", 16, start), 16);
}

#[test]
fn a_host_that_names_a_time_is_left_alone_until_then() {
    let start = Instant::now();
    let mut throttles = Throttles::default();
    throttles.overloaded("a", 8, start, Some(5 * SECOND), start);
    throttles.overloaded("a", 8, start, Some(SECOND), start);
    assert_eq!(throttles.next_opening(start), Some(start + 5 * SECOND));
    assert_eq!(throttles.allowed("a", 16, start + 4 * SECOND), 0);
    assert_eq!(throttles.allowed("a", 16, start + 5 * SECOND), 4);
    assert_eq!(throttles.next_opening(start + 5 * SECOND), None);
}
