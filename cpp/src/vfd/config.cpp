#include "config.hpp"

#include <cstring>
#include <limits>
#include <new>
#include <string>

#include <remfile/error.hpp>

namespace remfile_detail {

namespace {

[[noreturn]] void refuse(const char *name, const char *allowed, long long value) {
    throw remfile::Error(remfile::ErrorCode::invalid_option, std::string("the option ") + name + " must be " +
                                                                 allowed + ", not " + std::to_string(value));
}

// Options know no "unset": a field that is 0 leaves the default alone.
template <class Number> void set_size(Number &option, std::size_t field) {
    if (field != 0)
        option = static_cast<Number>(field);
}

template <class Number> void set_number(Number &option, const char *name, long field) {
    if (field < 0)
        refuse(name, "positive, or 0 for the default", field);
    if (static_cast<unsigned long>(field) > std::numeric_limits<Number>::max())
        refuse(name, "smaller", field);
    if (field != 0)
        option = static_cast<Number>(field);
}

// -1 stands for a 0 that is a value of its own.
template <class Number> void set_number_or_none(Number &option, const char *name, long field) {
    if (field == -1)
        option = 0;
    else if (field < 0)
        refuse(name, "positive, 0 for the default or -1 for none", field);
    else
        set_number(option, name, field);
}

void set_switch(bool &option, const char *name, int field) {
    if (field < -1 || field > 1)
        refuse(name, "1 for on, -1 for off or 0 for the default", field);
    if (field != 0)
        option = field > 0;
}

void set_text(std::string &option, const char *field) {
    if (field)
        option = field;
}

// Bounds stand in the core's table of options; its parser applies them.
void check(const remfile::Options &options) { remfile::Options::parse(options.to_string()); }

// The fields are narrower than the options on some platforms; what is lost there is beyond reason.
template <class Field> Field narrowed(std::uint64_t value) {
    const auto most = static_cast<std::uint64_t>(std::numeric_limits<Field>::max());
    return static_cast<Field>(value < most ? value : most);
}

// Every text of the structure.
constexpr const char *H5FD_remfile_config_t::*texts[] = {
    &H5FD_remfile_config_t::user_agent,
    &H5FD_remfile_config_t::ca_file,
    &H5FD_remfile_config_t::proxy,
    &H5FD_remfile_config_t::origin,
    &H5FD_remfile_config_t::authorization,
    &H5FD_remfile_config_t::username,
    &H5FD_remfile_config_t::password,
    &H5FD_remfile_config_t::headers,
    &H5FD_remfile_config_t::cookies,
    &H5FD_remfile_config_t::cookie_file,
    &H5FD_remfile_config_t::credentials_host,
    &H5FD_remfile_config_t::s3_region,
    &H5FD_remfile_config_t::s3_endpoint,
};

std::size_t length(const char *text) { return text ? std::strlen(text) + 1 : 0; }

} // namespace

Config copy_config(const H5FD_remfile_config_t &config) noexcept {
    std::size_t size = sizeof config;
    for (const auto text : texts)
        size += length(config.*text);
    auto *block = static_cast<char *>(std::malloc(size));
    if (!block)
        return nullptr;
    auto *copy = new (block) H5FD_remfile_config_t(config);
    char *place = block + sizeof config;
    for (const auto text : texts) {
        const std::size_t bytes = length(config.*text);
        if (bytes == 0)
            continue;
        std::memcpy(place, config.*text, bytes);
        copy->*text = place;
        place += bytes;
    }
    return Config(copy);
}

remfile::Options to_options(const H5FD_remfile_config_t &config) {
    remfile::Options options;
    set_size(options.min_chunk_size, config.min_chunk_size);
    set_size(options.max_cache_size, config.max_cache_size);
    set_size(options.max_chunk_size, config.max_chunk_size);
    if (config.verbose < 0)
        refuse("verbose", "0 or 1", config.verbose);
    options.verbose = config.verbose != 0; // older programs may say yes with any number
    set_size(options.head_size, config.head_size);
    set_switch(options.read_ahead, "read_ahead", config.read_ahead);
    set_switch(options.hints, "hints", config.hints);
    set_switch(options.complete_small_files, "complete_small_files", config.complete_small_files);
    set_number(options.max_connections, "max_connections", config.max_connections);
    set_number(options.connect_timeout_ms, "connect_timeout_ms", config.connect_timeout_ms);
    set_number(options.stall_timeout_ms, "stall_timeout_ms", config.stall_timeout_ms);
    set_number_or_none(options.read_timeout_ms, "read_timeout_ms", config.read_timeout_ms);
    set_number_or_none(options.max_retries, "max_retries", config.max_retries);
    set_text(options.user_agent, config.user_agent);
    set_text(options.ca_file, config.ca_file);
    set_switch(options.verify_tls, "verify_tls", config.verify_tls);
    set_text(options.proxy, config.proxy);
    set_switch(options.http2, "http2", config.http2);
    set_switch(options.local_links, "local_links", config.local_links);
    set_text(options.authorization, config.authorization);
    set_text(options.username, config.username);
    set_text(options.password, config.password);
    set_text(options.headers, config.headers);
    set_text(options.cookies, config.cookies);
    set_text(options.cookie_file, config.cookie_file);
    set_switch(options.netrc, "netrc", config.netrc);
    set_text(options.credentials_host, config.credentials_host);
    set_number_or_none(options.max_whole_file, "max_whole_file", config.max_whole_file);
    set_text(options.s3_region, config.s3_region);
    set_text(options.s3_endpoint, config.s3_endpoint);
    set_switch(options.s3_path_style, "s3_path_style", config.s3_path_style);
    set_switch(options.s3_requester_pays, "s3_requester_pays", config.s3_requester_pays);
    set_switch(options.s3_anonymous, "s3_anonymous", config.s3_anonymous);
    check(options);
    return options;
}

Config to_config(const remfile::Options &options, const std::string &origin) {
    check(options);
    H5FD_remfile_config_t config{};
    config.min_chunk_size = narrowed<std::size_t>(options.min_chunk_size);
    // No cache at all is not on offer: one block is kept with any bound, so 1 says the same as 0.
    config.max_cache_size = options.max_cache_size ? narrowed<std::size_t>(options.max_cache_size) : 1;
    config.max_chunk_size = narrowed<std::size_t>(options.max_chunk_size);
    config.verbose = options.verbose ? 1 : 0;
    config.head_size = narrowed<std::size_t>(options.head_size);
    config.read_ahead = options.read_ahead ? 1 : -1;
    config.hints = options.hints ? 1 : -1;
    config.complete_small_files = options.complete_small_files ? 1 : -1;
    config.max_connections = narrowed<int>(options.max_connections);
    config.connect_timeout_ms = narrowed<long>(options.connect_timeout_ms);
    config.stall_timeout_ms = narrowed<long>(options.stall_timeout_ms);
    config.read_timeout_ms = options.read_timeout_ms ? narrowed<long>(options.read_timeout_ms) : -1;
    config.max_retries = options.max_retries ? narrowed<int>(options.max_retries) : -1;
    config.user_agent = options.user_agent.c_str();
    config.ca_file = options.ca_file.c_str();
    config.verify_tls = options.verify_tls ? 1 : -1;
    config.proxy = options.proxy.c_str();
    config.http2 = options.http2 ? 1 : -1;
    config.local_links = options.local_links ? 1 : -1;
    config.authorization = options.authorization.c_str();
    config.username = options.username.c_str();
    config.password = options.password.c_str();
    config.headers = options.headers.c_str();
    config.cookies = options.cookies.c_str();
    config.cookie_file = options.cookie_file.c_str();
    config.netrc = options.netrc ? 1 : -1;
    config.credentials_host = options.credentials_host.c_str();
    config.max_whole_file = options.max_whole_file ? narrowed<long>(options.max_whole_file) : -1;
    config.s3_region = options.s3_region.c_str();
    config.s3_endpoint = options.s3_endpoint.c_str();
    config.s3_path_style = options.s3_path_style ? 1 : -1;
    config.s3_requester_pays = options.s3_requester_pays ? 1 : -1;
    config.s3_anonymous = options.s3_anonymous ? 1 : -1;
    config.origin = origin.empty() ? nullptr : origin.c_str();
    Config owned = copy_config(config);
    if (!owned)
        throw std::bad_alloc();
    return owned;
}

} // namespace remfile_detail
