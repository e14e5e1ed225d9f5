//! Memory straight from the system, handed out zeroed and given back whole.

use std::ptr::NonNull;

/// From this size on a slab asks for huge pages: a page fault for each 4 KiB costs more than filling them.
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Zeroed memory that lives as long as this.
pub(crate) struct Slab {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a slab is plain memory that any thread may use and give back.
unsafe impl Send for Slab {}

impl Slab {
    /// `None` where there is no memory.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let start = NonNull::new(map(bytes)?)?;
        Some(Self { start, bytes })
    }

    /// All of it, in pieces of `each` bytes; what is left at the end is not used.
    ///
    /// # Safety
    ///
    /// May be called once, and no piece may be used after the slab is gone.
    pub(crate) unsafe fn cut(&self, each: usize) -> impl DoubleEndedIterator<Item = &'static mut [u8]> {
        // SAFETY: the memory is this slab's alone, initialised with zeros; the caller sees to the rest.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }.chunks_exact_mut(each)
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        unmap(self.start, self.bytes);
    }
}

#[cfg(unix)]
fn map(bytes: usize) -> Option<*mut u8> {
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping of nothing, anywhere.
    let start =
        unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    #[cfg(target_os = "linux")]
    if bytes >= HUGE_PAGE_BYTES {
        // SAFETY: the range is the mapping made above. Where huge pages are off this fails, and nothing is lost.
        unsafe { libc::madvise(start, bytes, libc::MADV_HUGEPAGE) };
    }
    Some(start.cast())
}

#[cfg(unix)]
fn unmap(start: NonNull<u8>, bytes: usize) {
    // SAFETY: exactly the mapping of `map`.
    unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
}

#[cfg(not(unix))]
fn layout(bytes: usize) -> Option<std::alloc::Layout> {
    std::alloc::Layout::array::<u8>(bytes).ok().filter(|layout| layout.size() > 0)
}

#[cfg(not(unix))]
fn map(bytes: usize) -> Option<*mut u8> {
    // SAFETY: the layout is not empty.
    Some(unsafe { std::alloc::alloc_zeroed(layout(bytes)?) })
}

#[cfg(not(unix))]
fn unmap(start: NonNull<u8>, bytes: usize) {
    if let Some(layout) = layout(bytes) {
        // SAFETY: allocated by `map` with the same layout.
        unsafe { std::alloc::dealloc(start.as_ptr(), layout) };
    }
}
