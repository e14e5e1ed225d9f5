use super::*;

fn url(text: &str) -> Arc<RemoteUrl> {
    Arc::new(RemoteUrl::parse(text).unwrap())
}

fn route() -> Route {
    Route::new(url("https://a/x"), 0, false)
}

/// A route whose way leads to `https://b/1`.
fn resolved() -> Route {
    let mut route = route();
    let scout = route.aim().unwrap();
    route.arrived(&scout.redirected("https://b/1").unwrap());
    route
}

fn wire(leg: Option<Leg>) -> Option<String> {
    leg.map(|leg| leg.url.wire().to_owned())
}

#[test]
fn one_request_looks_for_the_way_and_the_others_wait_for_it() {
    let mut route = route();
    let scout = route.aim();
    assert_eq!(wire(scout.clone()).as_deref(), Some("https://a/x"));
    assert!(route.aim().is_none());
    route.arrived(&scout.unwrap().redirected("https://b/1?sig").unwrap());
    assert_eq!(wire(route.aim()).as_deref(), Some("https://b/1?sig"));
    assert_eq!(wire(route.aim()).as_deref(), Some("https://b/1?sig"));
}

#[test]
fn a_scout_that_is_dropped_leaves_the_way_to_the_next() {
    let mut route = route();
    drop(route.aim());
    assert!(route.aim().is_some());
}

#[test]
fn a_refused_address_is_resolved_once_for_all_that_are_in_flight() {
    let mut route = resolved();
    let legs: Vec<Leg> = (0..4).map(|_| route.aim().unwrap()).collect();
    assert_eq!(route.refused(&legs[0]), Verdict::Again);
    let scout = route.aim().unwrap();
    assert_eq!(scout.url.wire(), "https://a/x");
    for leg in &legs[1..3] {
        assert_eq!(route.refused(leg), Verdict::Again);
        assert!(route.aim().is_none());
    }
    route.arrived(&scout.redirected("https://b/2").unwrap());
    drop(scout);
    assert_eq!(route.refused(&legs[3]), Verdict::Again);
    assert_eq!(wire(route.aim()).as_deref(), Some("https://b/2"));
}

#[test]
fn a_refusal_that_repeats_freshly_resolved_is_final_also_for_what_was_in_flight() {
    let mut route = resolved();
    let legs: Vec<Leg> = (0..2).map(|_| route.aim().unwrap()).collect();
    assert_eq!(route.refused(&legs[0]), Verdict::Again);
    let scout = route.aim().unwrap();
    assert_eq!(route.refused(&scout.redirected("https://b/2").unwrap()), Verdict::Final);
    drop(scout);
    assert_eq!(route.refused(&legs[1]), Verdict::Final);
    // A new request may try again.
    assert_eq!(wire(route.aim()).as_deref(), Some("https://a/x"));
}

#[test]
fn a_refusal_of_an_address_that_does_not_redirect_is_final() {
    for direct in [true, false] {
        let mut route = Route::new(url("https://a/x"), 0, direct);
        let leg = route.aim().unwrap();
        if !direct {
            assert!(route.arrived(&leg));
            drop(leg);
        }
        let leg = route.aim().unwrap();
        assert_eq!(route.refused(&leg), Verdict::Final);
    }
}

#[test]
fn a_newly_given_address_serves_what_was_refused_at_the_old_one() {
    let mut route = Route::new(url("https://a/x"), 0, true);
    let old = route.aim().unwrap();
    route.given(&url("https://a/y"), 1);
    assert_eq!(route.refused(&old), Verdict::Again);
    let scout = route.aim();
    assert_eq!(wire(scout.clone()).as_deref(), Some("https://a/y"));
    // The same address again changes nothing.
    route.given(&url("https://a/y"), 1);
    assert!(route.aim().is_none());
    assert_eq!(route.refused(&scout.unwrap()), Verdict::Final);
}

#[test]
fn a_scout_that_fails_in_passing_starts_over_and_others_aim_anew() {
    let mut route = route();
    let scout = route.aim().unwrap().redirected("https://b/1").unwrap();
    let again = route.restart(scout).unwrap();
    assert_eq!(again.url.wire(), "https://a/x");
    assert!(!again.is_redirected() && again.is_scout());
    assert!(route.aim().is_none());
    route.arrived(&again);
    drop(again);
    let other = route.aim().unwrap();
    assert!(route.restart(other).is_none());
}

#[test]
fn an_old_scout_that_still_receives_does_not_keep_the_next_from_looking() {
    let mut route = route();
    let scout = route.aim().unwrap().redirected("https://b/1").unwrap();
    route.arrived(&scout);
    assert!(!route.is_lost(&scout));
    assert!(route.restart(scout.clone()).is_none());
    let other = route.aim().unwrap();
    assert_eq!(route.refused(&other), Verdict::Again);
    assert!(route.aim().is_some());
}

#[test]
fn a_resolved_address_where_nobody_is_met_is_resolved_anew() {
    let mut route = resolved();
    let legs: Vec<Leg> = (0..2).map(|_| route.aim().unwrap()).collect();
    route.unreachable(&legs[0]);
    let scout = route.aim();
    assert_eq!(wire(scout.clone()).as_deref(), Some("https://a/x"));
    route.unreachable(&legs[1]);
    assert!(route.aim().is_none());
    route.arrived(&scout.unwrap());
    let direct = route.aim().unwrap();
    route.unreachable(&direct);
    assert_eq!(wire(route.aim()).as_deref(), Some("https://a/x"));
    assert_eq!(wire(route.aim()).as_deref(), Some("https://a/x"));
}

#[test]
fn what_an_old_way_led_to_is_not_taken_for_the_new_one() {
    let mut route = resolved();
    let old = route.aim().unwrap();
    let other = route.aim().unwrap();
    assert_eq!(route.refused(&other), Verdict::Again);
    assert!(!route.arrived(&old));
    assert_eq!(wire(route.aim()).as_deref(), Some("https://a/x"));
}

#[test]
fn redirects_are_bounded_and_stay_within_https() {
    let mut leg = route().aim().unwrap();
    assert_eq!(leg.redirected("http://b/1").unwrap_err().code(), ErrorCode::Server);
    assert_eq!(leg.redirected("ftp://b/1").unwrap_err().code(), ErrorCode::Server);
    for i in 0..10 {
        leg = leg.redirected(&format!("https://b/{i}")).unwrap();
    }
    assert!(leg.redirected("https://b/11").unwrap_err().to_string().contains("redirects"));
}
