use super::*;

#[test]
fn before_anything_is_measured_the_default_holds() {
    assert_eq!(Pacer::default().pace(), Pace::default());
}

#[test]
fn averages_follow_what_is_measured_and_short_bodies_do_not_count_for_the_rate() {
    let pacer = Pacer::default();
    pacer.measured(Duration::from_millis(8), 1000, Duration::from_millis(1));
    assert_eq!(pacer.pace(), Pace { first_byte: Duration::from_millis(8), ..Pace::default() });
    for _ in 0..40 {
        pacer.measured(Duration::from_millis(100), 10_000_000, Duration::from_secs(1));
    }
    let pace = pacer.pace();
    assert!(pace.first_byte > Duration::from_millis(95) && pace.first_byte <= Duration::from_millis(100));
    assert!(pace.rate > 9_000_000 && pace.rate <= 10_000_000, "{pace:?}");
}

#[test]
fn nothing_measured_is_ever_zero() {
    let pacer = Pacer::default();
    pacer.measured(Duration::ZERO, u64::MAX, Duration::ZERO);
    pacer.measured(Duration::ZERO, LEAST_MEASURED_BYTES, Duration::MAX);
    assert!(pacer.pace().rate > 0 && !pacer.pace().first_byte.is_zero());
}
