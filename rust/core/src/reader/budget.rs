//! How many bytes may be on speculation. Pure.
//!
//! Over a file's life the bytes fetched stay within twice the bytes asked for (in whole blocks) plus
//! a constant: guesses that no read has touched yet may be as many as what reads have touched, plus
//! [`FREE_BYTES`]. A guess that proves right gives its bytes back.

/// Bytes that may be guessed before anything has been asked for: less starves a walk through metadata.
const FREE_BYTES: u64 = 16 << 20;

/// The account of one file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    /// Block bytes that reads have touched, each once.
    touched: u64,
    /// Block bytes guessed, and those of them that a read has touched since.
    guessed: u64,
    used: u64,
}

impl Budget {
    /// What may be guessed now. Guesses that no read has touched share `room` in the cache, but for
    /// the `wasted` ones that have been driven out of it. `lost` ones never came.
    pub(crate) fn allowance(&self, lost: u64, wasted: u64, room: u64) -> u64 {
        let unproven = self.guessed.saturating_sub(self.used).saturating_sub(lost);
        let earned = self.touched.saturating_add(FREE_BYTES).saturating_sub(unproven);
        earned.min(room.saturating_sub(unproven.saturating_sub(wasted)))
    }

    /// Block bytes that reads have touched so far.
    pub(crate) fn touched(&self) -> u64 {
        self.touched
    }

    /// A read has touched bytes that it had to ask for itself.
    pub(crate) fn asked(&mut self, bytes: u64) {
        self.touched = self.touched.saturating_add(bytes);
    }

    /// Bytes were asked for before any read wanted them.
    pub(crate) fn guessed(&mut self, bytes: u64) {
        self.guessed = self.guessed.saturating_add(bytes);
    }

    /// A read has touched guessed bytes for the first time.
    pub(crate) fn proved(&mut self, bytes: u64) {
        self.touched = self.touched.saturating_add(bytes);
        self.used = self.used.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests;
