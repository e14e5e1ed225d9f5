//! Pools of forked workers, as Python's multiprocessing makes them. A program of its own, because a fork
//! copies the locks of whatever else runs.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::atomic::{AtomicBool, Ordering};

use remfile::RemoteFile;
use support::{encoded, open, options, read, server};

/// Forks, runs `body` in the child and returns the child's process number.
fn fork(body: impl FnOnce()) -> libc::pid_t {
    // SAFETY: the child runs `body`, which the library promises to support, and leaves at once.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
        // SAFETY: leaves without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(outcome.is_err())) };
    }
    child
}

fn ended_well(child: libc::pid_t) -> bool {
    let mut status = 0;
    // SAFETY: waits for a child of ours.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status == 0
}

#[test]
fn workers_forked_amid_reads_and_redirects_and_renewals_read_every_file() {
    let server = server();
    let plain = open(&server, "bytes/900000000/plain");
    let target = server.url("bytes/800000000?status=403&after=1&first=1");
    let redirected = open(&server, &format!("bytes/1?redirect=302&to={}", encoded(&target)));
    let fresh = server.url("bytes/700000000/fresh");
    let url = server.url("bytes/700000000/old?status=403&after=2");
    let text = options("complete_small_files=0");
    let renewed = RemoteFile::open_with_refresh(&url, &text, move || Ok(fresh.clone())).unwrap();
    let files = [&plain, &redirected, &renewed];
    // Resolved anew, and renewed, before the first fork.
    for file in files {
        read(file, 650_000_000, 1000).unwrap();
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // A thread that is inside a read whenever a fork happens.
        scope.spawn(|| {
            let slow = open(&server, "bytes/900000000/slow?delay=20");
            let mut place = 1_000_000;
            while !over.load(Ordering::Relaxed) {
                read(&slow, place % 900_000_000 / 2, 1000).unwrap();
                place += 123_456_789;
            }
        });
        let mut all_well = true;
        for round in 0..3_u64 {
            let work = |worker: u64| {
                for i in 0..250_u64 {
                    for file in files {
                        read(file, (worker * 7919 + i * i * 104_729 + round) * 31 % 600_000_000, 1000)
                            .unwrap();
                    }
                }
                read(&open(&server, "bytes/3000000"), 2_000_000, 1000).unwrap();
            };
            let children: Vec<_> = (1..5).map(|worker| fork(|| work(worker))).collect();
            let own = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(0)));
            all_well &= children.into_iter().map(ended_well).fold(own.is_ok(), |all, one| all & one);
        }
        over.store(true, Ordering::Relaxed);
        assert!(all_well);
    });
}
