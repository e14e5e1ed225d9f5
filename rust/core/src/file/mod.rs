//! A remote file as its user holds it: where the rooms come together.

pub(crate) mod piece;
mod probe;
mod renewal;
mod session;
pub(crate) mod stats;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::file::piece::ReadPiece;
use crate::file::renewal::{RefreshUrl, Renewal};
use crate::file::session::Session;
use crate::file::stats::Stats;
use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::fork::PerProcess;
use crate::floor::options::Options;
use crate::floor::range::ByteRange;
use crate::hints::Kind;
use crate::reader::Counters;
use crate::store::Geometry;
use crate::transport::{HttpFetch, Origin};

/// One open remote file.
///
/// All methods may be called from several threads at once. After `fork` the file is usable on both
/// sides; the child begins with an empty cache and connections of its own.
pub struct RemoteFile {
    origin: Arc<Origin>,
    geometry: Geometry,
    counters: Arc<Counters>,
    /// Locks, threads and sockets, of which every process needs its own.
    session: PerProcess<Result<Session>>,
    renewal: Option<Renewal>,
}

impl RemoteFile {
    /// Opens `url` (`http://`, `https://` or `s3://bucket/key`) with one range request, which brings the
    /// size and the first blocks.
    ///
    /// # Errors
    /// Whatever [`ErrorCode`] says but `OutOfBounds`; a web page in place of the file is `NotHdf5`.
    pub fn open(url: &str, options: &Options) -> Result<Self> {
        Self::open_through(url, options, None)
    }

    /// The same for a URL that expires: `refresh` supplies a fresh one for the same file.
    ///
    /// It is called when the file is refused as expired URLs are (HTTP 401, 403, 410, or a 400 that says
    /// so), once for all requests and threads that are refused together, on a thread that opens or reads
    /// the file; others that read it wait. It may open and read other files, but must not use this one.
    /// What it returns is compared with the file that was opened: another size or entity tag is
    /// [`ErrorCode::Changed`]. Its error or panic is the read's error. What is cached stays of use.
    ///
    /// # Errors
    /// As [`RemoteFile::open`].
    pub fn open_with_refresh(
        url: &str,
        options: &Options,
        refresh: impl Fn() -> std::result::Result<String, Box<dyn std::error::Error + Send + Sync>>
        + Send
        + Sync
        + 'static,
    ) -> Result<Self> {
        Self::open_through(url, options, Some(Box::new(refresh)))
    }

    fn open_through(url: &str, options: &Options, refresh: Option<Box<RefreshUrl>>) -> Result<Self> {
        let renewal = refresh.map(Renewal::new);
        let origin = Arc::new(Origin::new(url, options)?);
        let fetch = HttpFetch::new(Arc::clone(&origin))?;
        let wanted =
            options.head_size.div_ceil(options.min_chunk_size).saturating_mul(options.min_chunk_size);
        let head = renewing(renewal.as_ref(), &origin, || probe::probe(&fetch, wanted, &origin))?;
        let geometry = Geometry { block_size: options.block_size(), file_size: head.total };
        let counters = Arc::new(Counters::default());
        counters.round_trips.store(1, Ordering::Relaxed);
        let file = Self { origin, geometry, counters, session: PerProcess::new(), renewal };
        let landing = file.session_over(Some(fetch))?.reader().land_head(head.length);
        head.pass_on(Box::new(landing));
        Ok(file)
    }

    fn session(&self) -> Result<&Session> {
        self.session_over(None)
    }

    /// This process's session. A new one takes `fetch` where there is one already.
    fn session_over(&self, fetch: Option<HttpFetch>) -> Result<&Session> {
        let fetch = Cell::new(fetch);
        let session = self.session.get_or_init(|| {
            let fetch = fetch.take().map_or_else(|| HttpFetch::new(Arc::clone(&self.origin)), Ok)?;
            Ok(Session::new(self.geometry, &self.origin.options, fetch, Arc::clone(&self.counters)))
        });
        session.as_ref().map_err(Clone::clone)
    }

    /// Size of the file in bytes, as it was when opened.
    pub fn size(&self) -> u64 {
        self.geometry.file_size
    }

    /// What the file is known by: its URL without user and signature, its size, and its entity tag or else
    /// its date. Equal for two files of one process exactly if they are the same object, as far as the
    /// server lets anybody tell. Not meant to be stored.
    pub fn identity(&self) -> String {
        let known = self.origin.identity.get().map(|identity| format!(" {identity}"));
        format!("{}{}", self.origin.url.object(), known.unwrap_or_default())
    }

    /// The URL with credentials and query values removed: fit for logs.
    pub fn url(&self) -> &str {
        self.origin.url.shown()
    }

    /// Fills `buffer` with the bytes from `offset` on: all of them or an error.
    ///
    /// # Errors
    /// `OutOfBounds` where the range reaches past the end; what the network did otherwise. The
    /// buffer's contents are then unspecified.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        self.read_content(offset, buffer, Kind::Default)
    }

    /// The same for a reader that knows what the bytes are to HDF5, which guides what is fetched ahead.
    ///
    /// # Errors
    /// As [`RemoteFile::read`]. A wrong `content` costs speed at the most.
    pub fn read_content(&self, offset: u64, buffer: &mut [u8], content: Kind) -> Result<()> {
        self.check_bounds(offset, buffer.len())?;
        if buffer.is_empty() {
            return Ok(());
        }
        let session = self.session()?;
        renewing(self.renewal.as_ref(), &self.origin, || session.read(offset, buffer, content))
    }

    /// Fills the buffers of all `pieces`, or fails: a vector read.
    ///
    /// What is not in the cache is asked for at once, in parallel, each byte once and near pieces together, before
    /// any of it is waited for. (What is more than half of `max_cache_size` goes in parts.) Pieces may overlap, be
    /// empty, and come in any order; they are copied in the order given. `Stats` counts one read.
    ///
    /// # Errors
    /// As [`RemoteFile::read`]; where one piece reaches past the end, before anything is fetched. The contents of
    /// all buffers are then unspecified.
    pub fn read_vector(&self, pieces: &[ReadPiece<'_>]) -> Result<()> {
        for piece in pieces {
            self.check_bounds(piece.offset(), piece.length())?;
        }
        if pieces.iter().all(|piece| piece.length() == 0) {
            return Ok(());
        }
        let session = self.session()?;
        renewing(self.renewal.as_ref(), &self.origin, || session.read_vector(pieces))
    }

    fn check_bounds(&self, offset: u64, length: usize) -> Result<()> {
        if offset.checked_add(length as u64).is_some_and(|end| end <= self.size()) {
            return Ok(());
        }
        let message = format!("{length} bytes at {offset} reach past the end at {}", self.size());
        Err(self.origin.explain(Error::new(ErrorCode::OutOfBounds, message)))
    }

    /// Starts fetching what of `ranges` is not in the cache, in parallel, without waiting.
    ///
    /// Ranges are cut at the end of the file; what does not fit in half of `max_cache_size` is left
    /// out. Failures show when the bytes are read.
    ///
    /// # Errors
    /// Only where a forked child cannot start a thread.
    pub fn prefetch(&self, ranges: &[ByteRange]) -> Result<()> {
        self.session()?.reader().prefetch(ranges);
        Ok(())
    }

    /// What this file has cost so far.
    pub fn stats(&self) -> Stats {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (counters, traffic) = (&self.counters, &self.origin.traffic);
        let store = self.session().map(|session| session.reader().store()).ok();
        Stats {
            reads: of(&counters.reads),
            read_bytes: of(&counters.read_bytes),
            requests: of(&traffic.requests),
            fetched_bytes: of(&traffic.fetched_bytes),
            round_trips: of(&counters.round_trips),
            retries: of(&traffic.retries),
            backoff_ms: of(&traffic.backoff_ms),
            connections: of(&traffic.connections),
            hit_blocks: of(&counters.hit_blocks),
            missed_blocks: of(&counters.missed_blocks),
            guessed_bytes: of(&counters.guessed_bytes),
            proved_bytes: of(&counters.proved_bytes),
            wasted_bytes: store.map_or(0, |store| store.wasted() * self.geometry.block_size),
            evicted_blocks: store.map_or(0, |store| store.evicted()),
            cached_bytes: store.map_or(0, |store| store.cached_bytes()),
        }
    }
}

/// Makes `attempt`, with fresh URLs where there is somebody to supply them.
fn renewing<T>(
    renewal: Option<&Renewal>,
    origin: &Arc<Origin>,
    mut attempt: impl FnMut() -> Result<T>,
) -> Result<T> {
    match renewal {
        None => attempt(),
        Some(renewal) => renewal.attempt(origin, attempt),
    }
}

impl std::fmt::Debug for RemoteFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteFile")
            .field("url", &self.url())
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}
