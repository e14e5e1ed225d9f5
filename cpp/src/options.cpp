// Options cross the bridge field by field; their names, bounds and defaults stand in Rust.
#include <remfile/options.hpp>

#include "status.hpp"

namespace remfile_detail {

namespace {

rust::Vec<std::uint8_t> to_vec(const std::string &text) {
    rust::Vec<std::uint8_t> vec;
    vec.reserve(text.size());
    for (char c : text)
        vec.push_back(static_cast<std::uint8_t>(c));
    return vec;
}

std::string to_text(const rust::Vec<std::uint8_t> &vec) { return std::string(vec.begin(), vec.end()); }

} // namespace

remfile_bridge::Options to_bridge(const remfile::Options &o) {
    remfile_bridge::Options b{};
    b.min_chunk_size = o.min_chunk_size;
    b.max_cache_size = o.max_cache_size;
    b.max_chunk_size = o.max_chunk_size;
    b.verbose = o.verbose;
    b.head_size = o.head_size;
    b.read_ahead = o.read_ahead;
    b.hints = o.hints;
    b.complete_small_files = o.complete_small_files;
    b.max_connections = o.max_connections;
    b.connect_timeout_ms = o.connect_timeout_ms;
    b.stall_timeout_ms = o.stall_timeout_ms;
    b.read_timeout_ms = o.read_timeout_ms;
    b.max_retries = o.max_retries;
    b.user_agent = to_vec(o.user_agent);
    b.ca_file = to_vec(o.ca_file);
    b.verify_tls = o.verify_tls;
    b.proxy = to_vec(o.proxy);
    b.local_links = o.local_links;
    return b;
}

} // namespace remfile_detail

namespace remfile {

Options Options::parse(std::string_view text) {
    auto status = remfile_detail::no_status();
    const auto b = remfile_bridge::parse_options(remfile_detail::bytes_of(text), status);
    remfile_detail::throw_if_failed(status);
    Options o;
    o.min_chunk_size = b.min_chunk_size;
    o.max_cache_size = b.max_cache_size;
    o.max_chunk_size = b.max_chunk_size;
    o.verbose = b.verbose;
    o.head_size = b.head_size;
    o.read_ahead = b.read_ahead;
    o.hints = b.hints;
    o.complete_small_files = b.complete_small_files;
    o.max_connections = b.max_connections;
    o.connect_timeout_ms = b.connect_timeout_ms;
    o.stall_timeout_ms = b.stall_timeout_ms;
    o.read_timeout_ms = b.read_timeout_ms;
    o.max_retries = b.max_retries;
    o.user_agent = remfile_detail::to_text(b.user_agent);
    o.ca_file = remfile_detail::to_text(b.ca_file);
    o.verify_tls = b.verify_tls;
    o.proxy = remfile_detail::to_text(b.proxy);
    o.local_links = b.local_links;
    return o;
}

std::string Options::to_string() const {
    auto status = remfile_detail::no_status();
    const auto text = remfile_bridge::print_options(remfile_detail::to_bridge(*this), status);
    remfile_detail::throw_if_failed(status);
    return std::string(text);
}

} // namespace remfile
