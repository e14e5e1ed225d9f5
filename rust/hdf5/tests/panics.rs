//! In a process of its own, for a panic hook is the whole process's.

use std::sync::atomic::{AtomicUsize, Ordering};

use remfile_hdf5::{ErrorCode, Options};

#[test]
fn a_programs_panics_go_where_they_went_before() {
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    std::panic::set_hook(Box::new(|_| {
        SEEN.fetch_add(1, Ordering::Relaxed);
    }));
    let error = remfile_hdf5::open("ftp://example.org/a.h5", &Options::default()).unwrap_err();
    assert_eq!((error.code(), SEEN.load(Ordering::Relaxed)), (ErrorCode::InvalidUrl, 0));
    std::panic::catch_unwind(|| panic!("the program's own")).unwrap_err();
    assert_eq!(SEEN.load(Ordering::Relaxed), 1);
}
