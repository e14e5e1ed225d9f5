//! What a process must not share with its parent.
//!
//! `fork` copies one thread. Locks that another thread held stay locked in the child for ever, the
//! worker thread is gone, and sockets are shared with the parent. So nothing of that kind may be
//! touched in the child: [`PerProcess`] gives it a fresh value and leaves the parent's alone, without
//! even dropping it.

use std::mem::ManuallyDrop;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many forks lie between the process that first loaded this library and this one.
static GENERATION: AtomicU64 = AtomicU64::new(0);

#[cfg(unix)]
fn watch() {
    static WATCHING: OnceLock<()> = OnceLock::new();

    extern "C" fn in_child() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }

    WATCHING.get_or_init(|| {
        // SAFETY: the handler only adds to an atomic, which is allowed after fork. It fails only
        // for want of memory; then a forked child is as unprotected as in any other library.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

#[cfg(not(unix))]
fn watch() {}

fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// A value of which every process has its own.
pub(crate) struct PerProcess<T> {
    first: OnceLock<Box<Node<T>>>,
}

struct Node<T> {
    generation: u64,
    value: ManuallyDrop<T>,
    /// The value of a child of the process that `value` belongs to.
    next: OnceLock<Box<Node<T>>>,
}

impl<T> PerProcess<T> {
    /// No value yet.
    pub(crate) const fn new() -> Self {
        Self { first: OnceLock::new() }
    }

    /// This process's value, made on first use.
    pub(crate) fn get_or_init(&self, make: impl Fn() -> T) -> &T {
        watch();
        let generation = generation();
        let mut cell = &self.first;
        loop {
            let node = cell.get_or_init(|| {
                Box::new(Node { generation, value: ManuallyDrop::new(make()), next: OnceLock::new() })
            });
            if node.generation == generation {
                return &node.value;
            }
            cell = &node.next;
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let generation = generation();
        let mut node = self.first.take();
        while let Some(mut inner) = node {
            if inner.generation == generation {
                // SAFETY: the value is not used again; the node is dropped right after.
                unsafe { ManuallyDrop::drop(&mut inner.value) };
            }
            node = inner.next.take();
        }
    }
}

#[cfg(test)]
mod tests;
