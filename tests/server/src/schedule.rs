use crate::generated::splitmix64;

/// One request in so many meets a fault.
const ONE_IN: u64 = 3;

/// The knobs, as a query, that `schedule=SEED` turns for the `turn`th request of its path and query; `None`
/// where nothing happens to it.
///
/// All of them pass, if not with the next request, then soon.
pub fn scheduled(seed: u64, turn: u64) -> Option<String> {
    let drawn = splitmix64(splitmix64(seed).wrapping_add(turn));
    if !drawn.is_multiple_of(ONE_IN) {
        return None;
    }
    let (kind, amount) = ((drawn >> 8) % 18, (drawn >> 32) % 60_000);
    Some(match kind {
        0 => "status=503".to_owned(),
        1 => "status=503&retry_after=0&html=1".to_owned(),
        2 => "status=429".to_owned(),
        3 => "status=500".to_owned(),
        4 => "status=408".to_owned(),
        5 => "reset=1".to_owned(),
        6 => "stall=head".to_owned(),
        7 => format!("stall={amount}"),
        8 | 9 => format!("cut={amount}"),
        10 => format!("chunked=1&cut={amount}"),
        11 => format!("short={}", amount % 500),
        12 => "chunked=1".to_owned(),
        13 => "close=1".to_owned(),
        14 => "etag=weak".to_owned(),
        15 => "etag=none".to_owned(),
        16 => format!("delay={}", amount % 50),
        _ => "hop=1".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knobs::Knobs;

    #[test]
    fn a_third_of_the_requests_meet_a_fault_that_the_knobs_understand() {
        let faults: Vec<String> = (0..3000).filter_map(|turn| scheduled(7, turn)).collect();
        assert!((900..1100).contains(&faults.len()), "{}", faults.len());
        for fault in &faults {
            assert!(Knobs::parse(fault).is_ok_and(|knobs| !format!("{knobs:?}").is_empty()), "{fault}");
        }
        let kinds: std::collections::HashSet<_> =
            faults.iter().map(|fault| fault.trim_end_matches(|c: char| c.is_ascii_digit())).collect();
        assert!(kinds.len() >= 12, "{kinds:?}");
    }

    #[test]
    fn a_schedule_is_the_same_whenever_it_is_asked_and_another_for_another_seed() {
        let of = |seed| (0..100).map(|turn| scheduled(seed, turn)).collect::<Vec<_>>();
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
