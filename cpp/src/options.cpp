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
    b.http2 = o.http2;
    b.local_links = o.local_links;
    b.authorization = to_vec(o.authorization);
    b.username = to_vec(o.username);
    b.password = to_vec(o.password);
    b.headers = to_vec(o.headers);
    b.cookies = to_vec(o.cookies);
    b.cookie_file = to_vec(o.cookie_file);
    b.netrc = o.netrc;
    b.credentials_host = to_vec(o.credentials_host);
    b.max_whole_file = o.max_whole_file;
    b.s3_region = to_vec(o.s3_region);
    b.s3_endpoint = to_vec(o.s3_endpoint);
    b.s3_path_style = o.s3_path_style;
    b.s3_requester_pays = o.s3_requester_pays;
    b.s3_anonymous = o.s3_anonymous;
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
    o.http2 = b.http2;
    o.local_links = b.local_links;
    o.authorization = remfile_detail::to_text(b.authorization);
    o.username = remfile_detail::to_text(b.username);
    o.password = remfile_detail::to_text(b.password);
    o.headers = remfile_detail::to_text(b.headers);
    o.cookies = remfile_detail::to_text(b.cookies);
    o.cookie_file = remfile_detail::to_text(b.cookie_file);
    o.netrc = b.netrc;
    o.credentials_host = remfile_detail::to_text(b.credentials_host);
    o.max_whole_file = b.max_whole_file;
    o.s3_region = remfile_detail::to_text(b.s3_region);
    o.s3_endpoint = remfile_detail::to_text(b.s3_endpoint);
    o.s3_path_style = b.s3_path_style;
    o.s3_requester_pays = b.s3_requester_pays;
    o.s3_anonymous = b.s3_anonymous;
    return o;
}

std::string Options::to_string() const {
    auto status = remfile_detail::no_status();
    const auto text = remfile_bridge::print_options(remfile_detail::to_bridge(*this), status);
    remfile_detail::throw_if_failed(status);
    return std::string(text);
}

} // namespace remfile
