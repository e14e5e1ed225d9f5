// remfile::Stats as a JSON object.
#ifndef REMFILE_BENCH_STATS_JSON_HPP
#define REMFILE_BENCH_STATS_JSON_HPP

#include <cstdint>
#include <string>
#include <utility>

#include <remfile/stats.hpp>

namespace bench {

inline std::string to_json(const remfile::Stats &stats) {
    const std::pair<const char *, std::uint64_t> fields[] = {
        {"reads", stats.reads},
        {"read_bytes", stats.read_bytes},
        {"requests", stats.requests},
        {"fetched_bytes", stats.fetched_bytes},
        {"round_trips", stats.round_trips},
        {"retries", stats.retries},
        {"connections", stats.connections},
        {"hit_blocks", stats.hit_blocks},
        {"missed_blocks", stats.missed_blocks},
        {"guessed_bytes", stats.guessed_bytes},
        {"proved_bytes", stats.proved_bytes},
        {"wasted_bytes", stats.wasted_bytes},
        {"evicted_blocks", stats.evicted_blocks},
        {"cached_bytes", stats.cached_bytes},
    };
    std::string text;
    for (const auto &[name, value] : fields)
        text += (text.empty() ? "{\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
    return text + "}";
}

} // namespace bench

#endif
