//! A library with a C interface.

/// Panics inside and tells of it, so that Rust's own unwinding is used.
#[unsafe(no_mangle)]
pub extern "C" fn plain_c_catches_a_panic() -> i32 {
    std::panic::set_hook(Box::new(|_| {}));
    i32::from(std::panic::catch_unwind(|| panic!("as wished")).is_err())
}
