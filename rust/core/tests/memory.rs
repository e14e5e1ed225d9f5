//! Memory that cannot be had is an error of the read that needs it, and nothing else.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use remfile::{ErrorCode, RemoteFile};
use support::{open, options, read, server};

/// The system's allocator, but for pieces of at least so many bytes.
struct Scarce(AtomicUsize);

#[global_allocator]
static MEMORY: Scarce = Scarce(AtomicUsize::new(usize::MAX));

impl Scarce {
    fn has(&self, size: usize) -> bool {
        size < self.0.load(Ordering::Relaxed)
    }
}

// SAFETY: everything is the system allocator's, which may fail at any time.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        if self.has(layout.size()) { unsafe { System.alloc(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        if self.has(size) { unsafe { System.realloc(pointer, layout, size) } } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Memory is everybody's, so one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs `body` while no piece of `size` bytes or more can be had.
fn without<T>(size: usize, body: impl FnOnce() -> T) -> T {
    /// Also where the body panics: the panic needs memory.
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            MEMORY.0.store(usize::MAX, Ordering::Relaxed);
        }
    }
    let _restore = Restore;
    MEMORY.0.store(size, Ordering::Relaxed);
    body()
}

// Blocks of 2 MiB, larger than anything that the test server allocates.
const BLOCK: &str = "min_chunk_size=32MiB, head_size=1KiB, complete_small_files=0, read_ahead=0";

#[test]
fn a_block_that_has_no_memory_fails_its_read_and_comes_when_there_is_some() {
    let _alone = ALONE.lock().unwrap();
    let server = server();
    let file = RemoteFile::open(&server.url("bytes/900000000"), &options(BLOCK)).unwrap();
    let mut buffer = vec![0; 5_000_000];
    let error = without(2 << 20, || file.read(500_000_000, &mut buffer).unwrap_err());
    assert_eq!(error.code(), ErrorCode::OutOfMemory, "{error}");
    read(&file, 500_000_000, 5_000_000).unwrap();
}

#[test]
fn a_file_whose_head_has_no_memory_does_not_open() {
    let _alone = ALONE.lock().unwrap();
    let server = server();
    let url = server.url("bytes/16000000?ranges=off");
    let error = without(4 << 20, || RemoteFile::open(&url, &options(BLOCK)).unwrap_err());
    assert_eq!(error.code(), ErrorCode::OutOfMemory, "{error}");
    read(&open(&server, "bytes/16000000?ranges=off"), 15_000_000, 1000).unwrap();
}
