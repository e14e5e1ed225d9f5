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

std::size_t length(const char *text) { return text ? std::strlen(text) + 1 : 0; }

} // namespace

Config copy_config(const H5FD_remfile_config_t &config) noexcept {
    const std::size_t size = sizeof config + length(config.user_agent) + length(config.ca_file) +
                             length(config.proxy) + length(config.origin);
    auto *block = static_cast<char *>(std::malloc(size));
    if (!block)
        return nullptr;
    auto *copy = new (block) H5FD_remfile_config_t(config);
    char *place = block + sizeof config;
    for (const char **text : {&copy->user_agent, &copy->ca_file, &copy->proxy, &copy->origin}) {
        if (!*text)
            continue;
        const std::size_t bytes = length(*text);
        std::memcpy(place, *text, bytes);
        *text = place;
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
    set_switch(options.local_links, "local_links", config.local_links);
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
    config.local_links = options.local_links ? 1 : -1;
    config.origin = origin.empty() ? nullptr : origin.c_str();
    Config owned = copy_config(config);
    if (!owned)
        throw std::bad_alloc();
    return owned;
}

} // namespace remfile_detail
