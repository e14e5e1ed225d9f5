use super::*;
use proptest::prelude::*;

#[test]
fn a_constant_is_free_and_asking_earns_as_much_again() {
    let mut budget = Budget::default();
    assert_eq!(budget.allowance(0, 0, u64::MAX), FREE_BYTES);
    budget.asked(1000);
    budget.guessed(500);
    assert_eq!(budget.allowance(0, 0, u64::MAX), FREE_BYTES + 500);
}

#[test]
fn a_guess_that_proves_right_is_given_back_and_earns() {
    let mut budget = Budget::default();
    budget.guessed(FREE_BYTES);
    assert_eq!(budget.allowance(0, 0, u64::MAX), 0);
    budget.proved(1000);
    assert_eq!(budget.allowance(0, 0, u64::MAX), 2000);
}

#[test]
fn guesses_that_are_still_held_leave_less_room() {
    let mut budget = Budget::default();
    budget.guessed(3000);
    assert_eq!(budget.allowance(0, 0, 5000), 2000);
    assert_eq!(budget.allowance(0, 1000, 5000), 3000);
}

proptest! {
    #[test]
    fn guessing_within_the_allowance_keeps_the_promise(steps in prop::collection::vec((0u8..3, 0u64..10_000_000), 0..200)) {
        let mut budget = Budget::default();
        let (mut fetched, mut touched, mut pending) = (0, 0, 0);
        for (what, bytes) in steps {
            match what {
                0 => { budget.asked(bytes); fetched += bytes; touched += bytes; }
                1 => {
                    let bytes = bytes.min(budget.allowance(0, 0, u64::MAX));
                    budget.guessed(bytes);
                    fetched += bytes;
                    pending += bytes;
                }
                _ => {
                    let bytes = bytes.min(pending);
                    budget.proved(bytes);
                    pending -= bytes;
                    touched += bytes;
                }
            }
            prop_assert!(fetched <= 2 * touched + FREE_BYTES);
        }
    }
}

#[test]
fn guesses_that_never_came_are_given_back() {
    let mut budget = Budget::default();
    budget.guessed(FREE_BYTES);
    assert_eq!(budget.allowance(0, 0, u64::MAX), 0);
    assert_eq!(budget.allowance(1000, 0, u64::MAX), 1000);
}
