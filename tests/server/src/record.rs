use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use hyper::Request;
use hyper::header::RANGE;

use crate::Entry;
use crate::log::Log;

/// A request that is being answered. All that has to do with the answer shares
/// it; when the last of it is gone, the answer has ended and is logged.
pub(crate) struct Record {
    log: Arc<Log>,
    /// Which reset the request came after.
    generation: u64,
    /// How many requests of this path and query there have been, with this one.
    turn: u64,
    /// How many requests were in flight when this one arrived, with it.
    in_flight: u64,
    entry: Entry,
    range: OnceLock<(u64, u64)>,
    status: AtomicU16,
    sent: AtomicU64,
    last_write: AtomicU64,
    finishing: AtomicBool,
}

impl Record {
    pub(crate) fn new<B>(log: &Arc<Log>, request: &Request<B>, connection: u64) -> Arc<Self> {
        let text =
            |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = request.headers();
        let uri = request.uri();
        let admission = log.admit(uri.path_and_query().map_or("/", |target| target.as_str()));
        Arc::new(Self {
            log: Arc::clone(log),
            generation: admission.generation,
            turn: admission.turn,
            in_flight: admission.in_flight,
            entry: Entry {
                sequence: admission.sequence,
                connection,
                method: request.method().as_str().into(),
                path: uri.path().into(),
                query: uri.query().unwrap_or_default().into(),
                range: None,
                range_header: headers.get(RANGE).map(|value| text(value).into()),
                status: 0,
                bytes_sent: 0,
                started: log.now(),
                ended: 0,
                headers: headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
            },
            range: OnceLock::new(),
            status: AtomicU16::new(0),
            sent: AtomicU64::new(0),
            last_write: AtomicU64::new(0),
            finishing: AtomicBool::new(false),
        })
    }

    pub(crate) fn turn(&self) -> u64 {
        self.turn
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    pub(crate) fn range_header(&self) -> Option<&str> {
        self.entry.range_header.as_deref()
    }

    pub(crate) fn set_range(&self, range: (u64, u64)) {
        let _ = self.range.set(range);
    }

    pub(crate) fn set_status(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    /// A write of some of the body is about to be tried.
    pub(crate) fn writing(&self) {
        self.last_write.store(self.log.now(), Ordering::Relaxed);
    }

    /// The socket has taken `count` more bytes of the body.
    pub(crate) fn wrote(&self, count: usize) {
        self.sent.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// The last of the body is about to be written, so the client may know of
    /// the end of the answer before the log does.
    pub(crate) fn finishing(&self) {
        if !self.finishing.swap(true, Ordering::Relaxed) {
            self.log.finishing();
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let finishing = *self.finishing.get_mut();
        let last_write = *self.last_write.get_mut();
        let mut entry = self.entry.clone();
        entry.range = self.range.get().copied();
        entry.status = *self.status.get_mut();
        entry.bytes_sent = *self.sent.get_mut();
        entry.ended = match finishing && last_write > 0 {
            true => last_write,
            false => self.log.now(),
        };
        self.log.finish(entry, self.generation, finishing);
    }
}
