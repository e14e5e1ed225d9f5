#include "trust.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <remfile/error.hpp>

#include "name.hpp"

namespace remfile_detail {

namespace {

bool has_credentials(const remfile::Options &options) {
    return !options.authorization.empty() || !options.username.empty() || !options.password.empty() ||
           !options.headers.empty() || !options.cookies.empty();
}

// The longest URL that a callback may give.
constexpr std::size_t url_bytes = 64 * 1024;

} // namespace

void confine_credentials(remfile::Options &options, const Source &source, const Origin *parent) {
    const std::string site = site_of(source.origin.url);
    const bool is_foreign = parent && site_of(parent->url) != site;
    if (is_foreign)
        options.s3_anonymous = true; // what the environment has is not for whom a link names
    if (!options.credentials_host.empty() || !has_credentials(options)) // they know where to go
        return;
    const bool is_pointer = !parent && !source.origin.folder.empty();
    if (is_pointer)
        throw remfile::Error(remfile::ErrorCode::invalid_option,
                             "cannot read " + shown(source.origin.url) +
                                 ": a pointer file may name any host, so credentials need the option "
                                 "credentials_host beside them");
    if (!is_foreign)
        return;
    for (std::string *secret :
         {&options.authorization, &options.username, &options.password, &options.headers, &options.cookies})
        secret->clear();
}

remfile::RefreshUrl refresh_of(const H5FD_remfile_config_t *config, const Source &source,
                               const Origin *parent) {
    if (!config || !config->refresh_url || (parent && parent->url != source.origin.url))
        return {};
    return [function = config->refresh_url, user = config->refresh_user] {
        std::vector<char> text(url_bytes, '\0');
        const int outcome = function(user, text.data(), text.size() - 1);
        if (outcome != 0)
            throw std::runtime_error(text.front() ? text.data() : "its callback returned a failure");
        return std::string(text.data());
    };
}

} // namespace remfile_detail
