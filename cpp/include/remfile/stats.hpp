// What a remote file has cost so far.
#ifndef REMFILE_STATS_HPP
#define REMFILE_STATS_HPP

#include <cstdint>

namespace remfile {

// Counters of one open file since it was opened. They only grow, but for cached_bytes.
struct Stats {
    std::uint64_t reads = 0;          // calls of read
    std::uint64_t read_bytes = 0;     // bytes that these asked for
    std::uint64_t requests = 0;       // HTTP requests sent, retries included
    std::uint64_t fetched_bytes = 0;  // body bytes received
    std::uint64_t round_trips = 0;    // times that opening or a read had to send requests and wait for them
    std::uint64_t retries = 0;        // requests that were repeated after a failure
    std::uint64_t backoff_ms = 0;     // milliseconds waited before these
    std::uint64_t connections = 0;    // connections opened
    std::uint64_t hit_blocks = 0;     // blocks that reads found in the cache or on their way
    std::uint64_t missed_blocks = 0;  // blocks that reads had to ask for
    std::uint64_t guessed_bytes = 0;  // bytes fetched before any read wanted them: head, read-ahead, prefetch
    std::uint64_t proved_bytes = 0;   // of these, bytes that a read has wanted since
    std::uint64_t wasted_bytes = 0;   // of these, bytes dropped before any read wanted them
    std::uint64_t evicted_blocks = 0; // blocks dropped to stay under max_cache_size
    std::uint64_t cached_bytes = 0;   // bytes held now
};

} // namespace remfile

#endif
