//! Memory that cannot be had is an error of the read that needs it, and nothing else.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::Mutex;

use remfile::{ErrorCode, RemoteFile};
use support::{options, read, server};

/// Memory is everybody's, so one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// What there is still room for: what libcurl and the test server allocate, but no block.
const ROOM: u64 = 6 << 20;

/// Blocks of 8 MiB.
const BLOCK: &str =
    "min_chunk_size=128MiB, head_size=1KiB, complete_small_files=0, read_ahead=0, max_whole_file=128MiB";

fn limit_address_space(bytes: libc::rlim_t) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both take a structure that is plain data.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_AS, &raw mut limit), 0);
        limit.rlim_cur = bytes.min(limit.rlim_max);
        assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &raw const limit), 0);
    }
}

/// Runs `body` while the process may grow by no more than [`ROOM`].
fn without_memory<T>(body: impl FnOnce() -> T) -> T {
    let size = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = size.split(' ').next().unwrap().parse().unwrap();
    limit_address_space(pages * 4096 + ROOM);
    let outcome = body();
    limit_address_space(libc::RLIM_INFINITY);
    outcome
}

#[test]
fn a_block_that_has_no_memory_fails_its_read_and_comes_when_there_is_some() {
    let _alone = ALONE.lock().unwrap();
    let server = server();
    let file = RemoteFile::open(&server.url("bytes/900000000"), &options(BLOCK)).unwrap();
    let mut buffer = vec![0; 5_000_000];
    let error = without_memory(|| file.read(500_000_000, &mut buffer)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::OutOfMemory, "{error}");
    read(&file, 500_000_000, 5_000_000).unwrap();
}

#[test]
fn a_file_whose_head_has_no_memory_does_not_open() {
    let _alone = ALONE.lock().unwrap();
    let server = server();
    // The thread that serves all files takes memory of its own: it runs already.
    let _other = RemoteFile::open(&server.url("bytes/1000"), &options(BLOCK)).unwrap();
    // Too large for what an arena of malloc may have left over.
    let url = server.url("bytes/100000000?ranges=off");
    let error = without_memory(|| RemoteFile::open(&url, &options(BLOCK))).unwrap_err();
    assert_eq!(error.code(), ErrorCode::OutOfMemory, "{error}");
    let file = RemoteFile::open(&url, &options(BLOCK)).unwrap();
    read(&file, 99_000_000, 1000).unwrap();
}
