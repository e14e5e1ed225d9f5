//! Life of the process: fork with a file open, in a program of its own so that nothing else runs.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use remfile_test_server::{Config, Server};
use support::{open, read};

/// Runs `body` in a forked child and returns whether it ended well.
fn in_child(body: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child runs `body`, which the library promises to support, and leaves at once.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let well = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).unwrap_or(false);
        // SAFETY: leaves without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(!well)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status == 0
}

#[test]
fn a_file_opened_before_a_fork_is_readable_on_both_sides() {
    let server = Server::start(Config::default()).unwrap();
    let mut file = open(&server, "bytes/200000000");
    read(&file, 5_000_000, 100).unwrap();
    // Leave transfers running across the fork.
    file.prefetch(&[remfile::ByteRange::new(100_000_000, 150_000_000)]).unwrap();
    for round in 1..4_u64 {
        assert!(in_child(|| {
            let old = (0..50).all(|i| read(&file, 10_000_000 + i * 1_000_003 * round, 5000).is_ok());
            old && read(&open(&server, "bytes/3000000"), 2_000_000, 1000).is_ok()
        }));
    }
    assert!(in_child(|| {
        // A grandchild, and closing in a child what its parent opened.
        let grandchild = in_child(|| read(&file, 190_000_000, 100).is_ok());
        drop(std::mem::replace(&mut file, open(&server, "bytes/1000")));
        grandchild && read(&file, 0, 1000).is_ok()
    }));
    for i in 0..50 {
        read(&file, 10_000_000 + i * 1_000_003, 5000).unwrap();
    }
}
