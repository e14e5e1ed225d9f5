//! Ranges of a remote file, fetched over HTTP(S) through libcurl.
//!
//! [`Fetch`] is the seam: a range goes in, its bytes come out through a [`Sink`], all of them and
//! checked, or an error after every retry that was worth it. Knows no blocks.
//!
//! Deciding is apart from acting: `response` judges the head of an answer, `retry` says what to do
//! about a failure, both without network, clock or threads. [`Origin`](origin::Origin) is the file's
//! address and what is known of it; [`network`] is the process's one worker thread, which alone
//! touches libcurl.

mod address;
mod answer;
mod aws;
mod credentials;
mod failure;
pub(crate) mod network;
pub(crate) mod origin;
mod pace;
mod placement;
mod queue;
mod request;
mod response;
mod retry;
mod route;
mod s3;
mod spares;
mod throttle;
mod trust;
mod words;
mod worker;

pub(crate) use network::HttpFetch;
pub(crate) use origin::Origin;
pub(crate) use pace::Pace;

use crate::floor::error::Result;
use crate::floor::range::ByteRange;

/// How soon the bytes are wanted, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Somebody waits.
    Demand,
    /// They are likely to be read next.
    Guess,
    /// They will be of use some time.
    Idle,
}

/// Receives the bytes of one fetch, on the fetching thread. Must not block.
pub(crate) trait Sink: Send {
    /// An answer has begun: the total size of the remote file, and whether all of it comes though a part was asked
    /// for. Before any byte, and again where the rest comes with another answer.
    fn begins(&mut self, _total: u64, _whole: bool) {}

    /// The next bytes, in order from the start of the range.
    fn bytes(&mut self, bytes: &[u8]);

    /// The last call: every byte of the range has been given, or why not.
    ///
    /// A range that reaches past the end of the file ends with it.
    fn end(self: Box<Self>, result: Result<()>);
}

/// A source of byte ranges.
pub(crate) trait Fetch: Send + Sync {
    /// Begins to fetch `range` and returns at once. Dropping the source gives up what is running.
    fn start(&self, range: ByteRange, urgency: Urgency, sink: Box<dyn Sink>);

    /// Somebody waits now for what was started as a guess: whatever reaches into `range` goes first.
    fn hurry(&self, range: ByteRange);

    /// Nobody wants any more what was started as a guess and lies in `range`: what can be spared of it is not fetched,
    /// and its sinks are dropped.
    fn cancel(&self, range: ByteRange);

    /// How fast answers have come so far.
    fn pace(&self) -> Pace;
}

/// Version of the libcurl in use, `7.88.1` for example.
pub fn libcurl_version() -> &'static str {
    static VERSION: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    VERSION.get_or_init(|| curl::Version::get().version().to_owned())
}
