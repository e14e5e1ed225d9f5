//! A program with a data race, which ThreadSanitizer must find: if it says nothing, it is not on.

struct Shared(std::cell::UnsafeCell<u32>);

// SAFETY: there is none: that is the defect.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(std::cell::UnsafeCell::new(0));

fn increment() {
    // SAFETY: as above.
    unsafe { *SHARED.0.get() += 1 };
}

fn main() {
    let other = std::thread::spawn(increment);
    increment();
    let _ = other.join();
}
