//! What a remote file has cost so far.

/// Counters of one open file since it was opened. They only grow, but for `cached_bytes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Calls of read.
    pub reads: u64,
    /// Bytes that these asked for.
    pub read_bytes: u64,
    /// HTTP requests sent, retries included. (What libcurl repeats by itself because a kept-alive connection
    /// had died counts once.)
    pub requests: u64,
    /// Body bytes received.
    pub fetched_bytes: u64,
    /// Times that opening or a read had to send requests and wait for them.
    pub round_trips: u64,
    /// Requests that were repeated after a failure.
    pub retries: u64,
    /// Milliseconds waited before these.
    pub backoff_ms: u64,
    /// Connections opened.
    pub connections: u64,
    /// Blocks that reads found in the cache or on their way.
    pub hit_blocks: u64,
    /// Blocks that reads had to ask for.
    pub missed_blocks: u64,
    /// Bytes fetched, in whole blocks, before any read wanted them: the head, read-ahead and prefetches.
    pub guessed_bytes: u64,
    /// Of these, bytes that a read has wanted since.
    pub proved_bytes: u64,
    /// Of these, bytes that were dropped from the cache before any read wanted them.
    pub wasted_bytes: u64,
    /// Blocks dropped to stay under `max_cache_size`.
    pub evicted_blocks: u64,
    /// Bytes held now.
    pub cached_bytes: u64,
}
