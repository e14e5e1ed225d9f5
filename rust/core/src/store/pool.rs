//! Memory for the blocks of one file: cut from slabs, used again and again, given back with the file.
//!
//! One allocation a block would cost the system calls, page faults and locks of the general allocator, for a
//! block is filled by one thread and driven out by another.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::slab::Slab;

/// Slabs double from the first to the largest: little for small files, few system calls for large ones.
const FIRST_SLAB_BYTES: usize = 64 << 10;
const LARGEST_SLAB_BYTES: usize = 8 << 20;

/// Hands out [`Buffer`]s of one size.
pub(crate) struct Pool {
    buffer_bytes: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Before `slabs`, in which they lie: fields are dropped in this order.
    free: Vec<&'static mut [u8]>,
    slabs: Vec<Slab>,
    /// Of all slabs.
    bytes: usize,
}

/// Room for the bytes of one block, filled from its start on.
pub(crate) struct Buffer {
    /// As long as the pool lives, which `pool` sees to.
    room: &'static mut [u8],
    length: usize,
    pool: Arc<Pool>,
}

impl Pool {
    pub(crate) fn new(buffer_bytes: usize) -> Arc<Self> {
        Arc::new(Self { buffer_bytes: buffer_bytes.max(1), inner: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty buffer, or `None` where there is no memory.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Buffer> {
        let mut inner = self.lock();
        if inner.free.is_empty() {
            inner.grow(self.buffer_bytes)?;
        }
        let room = inner.free.pop()?;
        Some(Buffer { room, length: 0, pool: Arc::clone(self) })
    }
}

impl Inner {
    fn grow(&mut self, each: usize) -> Option<()> {
        let wished = self.bytes.clamp(FIRST_SLAB_BYTES, LARGEST_SLAB_BYTES).max(each);
        // Where memory is short, one more block may still find room.
        let (slab, bytes) = [wished, each].into_iter().find_map(|bytes| Some((Slab::new(bytes)?, bytes)))?;
        // SAFETY: called once for this slab, which lives as long as the pool. All pieces are in `free` or in
        // buffers, which keep the pool.
        self.free.extend(unsafe { slab.cut(each) }.rev());
        self.slabs.push(slab);
        self.bytes += bytes;
        Some(())
    }
}

impl Buffer {
    /// Takes in as many of `bytes` as there is room for before `end`; how many that were.
    pub(crate) fn append(&mut self, bytes: &[u8], end: usize) -> usize {
        let end = end.min(self.room.len());
        let taken = bytes.len().min(end.saturating_sub(self.length));
        self.room[self.length..self.length + taken].copy_from_slice(&bytes[..taken]);
        self.length += taken;
        taken
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.room[..self.length]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let room = std::mem::take(&mut self.room);
        self.pool.lock().free.push(room);
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_holds_what_was_appended_up_to_its_end() {
        let mut buffer = Pool::new(10).take().unwrap();
        assert_eq!(buffer.append(&[1, 2, 3], 5), 3);
        assert_eq!(buffer.append(&[4, 5, 6], 5), 2);
        assert_eq!(buffer.append(&[7], 5), 0);
        assert_eq!(*buffer, [1, 2, 3, 4, 5]);
        assert_eq!(buffer.append(&[0; 9], usize::MAX), 5);
    }

    #[test]
    fn buffers_do_not_overlap_and_are_used_again() {
        let pool = Pool::new(1000);
        let fill = |byte: u8| {
            let mut buffer = pool.take().unwrap();
            buffer.append(&[byte; 1000], 1000);
            buffer
        };
        for round in 0..3 {
            let buffers: Vec<Buffer> = (0..200).map(fill).collect();
            for (buffer, byte) in buffers.iter().zip(0..) {
                assert_eq!(**buffer, [byte; 1000], "round {round}");
            }
        }
        // 65 in the first slab and in the second, 131 in the third.
        assert_eq!(pool.lock().slabs.len(), 3);
        assert_eq!(pool.lock().free.len(), 65 + 65 + 131);
    }

    #[test]
    fn a_buffer_outlives_the_last_handle_of_its_pool() {
        let pool = Pool::new(8 << 20);
        let mut buffer = pool.take().unwrap();
        drop(pool);
        buffer.append(&[9; 100], 100);
        assert_eq!(*buffer, [9; 100]);
    }

    #[test]
    fn where_there_is_no_memory_there_is_no_buffer() {
        assert!(Pool::new(usize::MAX / 2).take().is_none());
    }
}
