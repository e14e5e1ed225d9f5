//! The address given for a file, which may be replaced while the file is open.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::floor::fork::PerProcess;
use crate::floor::url::RemoteUrl;

/// One process's current address of a file; a forked child begins with the first one.
pub(crate) struct Address {
    first: Arc<RemoteUrl>,
    current: PerProcess<Mutex<(Arc<RemoteUrl>, u64)>>,
}

impl Address {
    pub(crate) fn new(first: Arc<RemoteUrl>) -> Self {
        Self { first, current: PerProcess::new() }
    }

    fn lock(&self) -> MutexGuard<'_, (Arc<RemoteUrl>, u64)> {
        let current = self.current.get_or_init(|| Mutex::new((Arc::clone(&self.first), 0)));
        current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address and how often it has been replaced.
    pub(crate) fn current(&self) -> (Arc<RemoteUrl>, u64) {
        self.lock().clone()
    }

    /// From now on the file is at `url`.
    pub(crate) fn replace(&self, url: RemoteUrl) {
        let mut current = self.lock();
        *current = (Arc::new(url), current.1 + 1);
    }
}
