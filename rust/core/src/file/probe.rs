//! The first request: one range GET that brings the head of the file and its size.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::range::ByteRange;
use crate::transport::{Fetch, Origin, Sink, Urgency};

/// With so many bytes one can tell a file from a page for people.
const LOOK_BYTES: usize = 512;

/// The head of the file. Its first bytes are here, the others may still be on their way.
pub(crate) struct FileHead {
    arrival: Arc<Arrival>,
    /// Size of the file in bytes.
    pub(crate) total: u64,
    /// How many bytes of it come.
    pub(crate) length: u64,
}

impl FileHead {
    /// Passes on to `sink` what is here and what is still to come.
    pub(crate) fn pass_on(self, mut sink: Box<dyn Sink>) {
        let mut state = self.arrival.lock();
        sink.bytes(&std::mem::take(&mut state.bytes));
        match state.end.take() {
            Some(result) => sink.end(result),
            None => state.sink = Some(sink),
        }
    }
}

/// What has come so far, filled by the fetching thread.
#[derive(Default)]
struct Arrival {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    total: u64,
    /// The answer is the whole file.
    whole: bool,
    bytes: Vec<u8>,
    /// Gets what comes from now on.
    sink: Option<Box<dyn Sink>>,
    end: Option<Result<()>>,
}

impl Arrival {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, result: Result<()>) {
        let mut state = self.lock();
        match state.sink.take() {
            Some(sink) => sink.end(result),
            None => {
                state.end.get_or_insert(result);
            }
        }
        self.changed.notify_all();
    }
}

impl State {
    /// Whether the file can be opened: its end is here, or the beginning of what is a file beyond doubt.
    fn is_enough(&self) -> bool {
        self.end.is_some() || !self.whole && self.bytes.len() >= LOOK_BYTES && !looks_like_markup(&self.bytes)
    }
}

/// Gives an [`Arrival`] what comes.
struct Collector(Arc<Arrival>);

impl Sink for Collector {
    fn begins(&mut self, total: u64, whole: bool) {
        let mut state = self.0.lock();
        state.total = total;
        // The rest of an answer that broke off may come by itself.
        state.whole |= whole;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let mut state = self.0.lock();
        if let Some(sink) = &mut state.sink {
            return sink.bytes(bytes);
        }
        // Nobody but the server says how much comes.
        if state.bytes.try_reserve(bytes.len()).is_ok() {
            state.bytes.extend_from_slice(bytes);
        } else {
            let why = "there is no memory for the head of the file";
            state.end.get_or_insert_with(|| Err(Error::new(ErrorCode::OutOfMemory, why)));
        }
        if state.is_enough() {
            self.0.changed.notify_all();
        }
    }

    fn end(self: Box<Self>, result: Result<()>) {
        self.0.end(result);
    }
}

impl Drop for Collector {
    /// Has no effect after the end.
    fn drop(&mut self) {
        self.0.end(Err(Error::new(ErrorCode::Internal, "the first request was given up")));
    }
}

/// Asks for the first `wanted` bytes and waits, as long as for a read, until it is clear that they come.
pub(crate) fn probe(fetch: &dyn Fetch, wanted: u64, origin: &Origin) -> Result<FileHead> {
    let arrival: Arc<Arrival> = Arc::default();
    let collector = Box::new(Collector(Arc::clone(&arrival)));
    fetch.start(ByteRange::new(0, wanted), Urgency::Demand, collector);
    let deadline = origin.options.read_timeout().and_then(|limit| Instant::now().checked_add(limit));
    let mut state = arrival.lock();
    while !state.is_enough() {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        state = match left {
            None => arrival.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(left) if left.is_zero() => {
                let limit = origin.options.read_timeout_ms;
                let message = format!("opening did not end within read_timeout_ms ({limit} ms)");
                return Err(origin.explain(Error::new(ErrorCode::TimedOut, message)));
            }
            Some(left) => {
                let waited = arrival.changed.wait_timeout(state, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
    if let Some(Err(error)) = &state.end {
        return Err(origin.explain(error.clone()));
    }
    if is_web_page(&state.bytes) {
        let error = Error::new(ErrorCode::NotHdf5, "the server sent a web page, not an HDF5 file");
        return Err(origin.explain(error));
    }
    let total = state.total;
    let length = if state.whole { total } else { wanted.min(total) };
    drop(state);
    Ok(FileHead { arrival, total, length })
}

/// Does the file begin like a page for people instead of data?
///
/// An HDF5 file may begin with a user block of anything, so a page that has the HDF5 signature where
/// one may stand (HDF5 File Format Specification, section II.A) is none.
fn is_web_page(head: &[u8]) -> bool {
    const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
    let places = std::iter::once(0).chain((9..63).map(|power| 1_usize << power));
    looks_like_markup(head)
        && !places.take_while(|place| *place < head.len()).any(|place| head[place..].starts_with(SIGNATURE))
}

fn looks_like_markup(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(256)]).to_ascii_lowercase();
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    ["<!doctype html", "<html", "<head", "<?xml", "<error"].iter().any(|tag| text.starts_with(tag))
}

#[cfg(test)]
mod tests;
