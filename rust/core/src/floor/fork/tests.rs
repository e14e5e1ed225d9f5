use super::*;
use std::sync::Arc;

#[test]
fn a_value_is_made_once_and_dropped_with_its_owner() {
    let token = Arc::new(());
    let value = PerProcess::new();
    for _ in 0..3 {
        value.get_or_init(|| Arc::clone(&token));
    }
    assert_eq!(Arc::strong_count(&token), 2);
    drop(value);
    assert_eq!(Arc::strong_count(&token), 1);
}

#[cfg(unix)]
#[test]
fn a_forked_child_sees_a_fresh_value_and_the_parent_keeps_its_own() {
    let value: PerProcess<u32> = PerProcess::new();
    assert_eq!(*value.get_or_init(|| 1), 1);
    // SAFETY: the child only reads an atomic, allocates and leaves at once.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let fresh = *value.get_or_init(|| 2);
        // SAFETY: leaves without running anything of the parent's.
        unsafe { libc::_exit(i32::from(fresh != 2)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
    assert_eq!(*value.get_or_init(|| 3), 1);
}
