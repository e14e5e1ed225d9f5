//! The first request: one range GET that brings the head of the file and its size.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::range::ByteRange;
use crate::transport::{Fetch, Origin, Sink, Urgency};

/// What the first answer brought.
pub(crate) struct FileHead {
    /// Size of the file in bytes.
    pub(crate) total: u64,
    /// Its first bytes: as many as were wanted, or all there are.
    pub(crate) bytes: Vec<u8>,
}

struct Collector {
    head: FileHead,
    has_memory: bool,
    done: Sender<Result<FileHead>>,
}

impl Sink for Collector {
    fn total(&mut self, total: u64) {
        self.head.total = total;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        // Nobody but the server says how much comes.
        self.has_memory = self.has_memory && self.head.bytes.try_reserve(bytes.len()).is_ok();
        if self.has_memory {
            self.head.bytes.extend_from_slice(bytes);
        }
    }

    fn end(self: Box<Self>, result: Result<()>) {
        // The receiver is only gone where the opening thread panicked.
        let Self { head, has_memory, done } = *self;
        let _ = done.send(result.and_then(|()| {
            let why = "there is no memory for the head of the file";
            if has_memory { Ok(head) } else { Err(Error::new(ErrorCode::OutOfMemory, why)) }
        }));
    }
}

/// Fetches the first `wanted` bytes and waits for them, as long as for a read.
pub(crate) fn probe(fetch: &dyn Fetch, wanted: u64, origin: &Origin) -> Result<FileHead> {
    let (done, outcome) = channel();
    let head = FileHead { total: 0, bytes: Vec::new() };
    fetch.start(
        ByteRange::new(0, wanted),
        Urgency::Demand,
        Box::new(Collector { head, has_memory: true, done }),
    );
    let limit = origin.options.read_timeout();
    let outcome = match limit {
        Some(limit) => outcome.recv_timeout(limit),
        None => outcome.recv().map_err(RecvTimeoutError::from),
    };
    outcome.unwrap_or_else(|error| {
        let error = match error {
            RecvTimeoutError::Timeout => {
                let limit = limit.unwrap_or_default().as_millis();
                let message = format!("opening did not end within read_timeout_ms ({limit} ms)");
                Error::new(ErrorCode::TimedOut, message)
            }
            RecvTimeoutError::Disconnected => {
                Error::new(ErrorCode::Internal, "the first request was given up")
            }
        };
        Err(origin.explain(error))
    })
}

/// Does the file begin like a page for people instead of data?
///
/// An HDF5 file may begin with a user block of anything, so a page that has the HDF5 signature where
/// one may stand (HDF5 File Format Specification, section II.A) is none.
pub(crate) fn is_web_page(head: &[u8]) -> bool {
    const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
    let text = String::from_utf8_lossy(&head[..head.len().min(256)]).to_ascii_lowercase();
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let markup =
        ["<!doctype html", "<html", "<head", "<?xml", "<error"].iter().any(|tag| text.starts_with(tag));
    let places = std::iter::once(0).chain((9..63).map(|power| 1_usize << power));
    markup
        && !places.take_while(|place| *place < head.len()).any(|place| head[place..].starts_with(SIGNATURE))
}

#[cfg(test)]
mod tests;
