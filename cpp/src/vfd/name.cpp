#include "name.hpp"

#include <algorithm>

#include <remfile/error.hpp>

namespace remfile_detail {

namespace {

constexpr std::string_view schemes[] = {"http://", "https://"};

bool begins_with_scheme(std::string_view text) {
    const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); };
    return std::any_of(std::begin(schemes), std::end(schemes), [&](std::string_view scheme) {
        return text.size() >= scheme.size() && std::equal(scheme.begin(), scheme.end(), text.begin(), same);
    });
}

bool is_separator(char c) { return c == '/' || c == '\\'; }

// Where the last URL begins that follows a path's separator; npos if none does.
std::size_t nested_url(std::string_view name) {
    for (std::size_t at = name.rfind("://"); at != std::string_view::npos && at > 0;
         at = name.rfind("://", at - 1)) {
        std::size_t start = at;
        while (start > 0 && !is_separator(name[start - 1]))
            --start;
        if (start > 0 && begins_with_scheme(name.substr(start)))
            return start;
    }
    return std::string_view::npos;
}

} // namespace

std::string url_of(std::string_view name) {
    if (begins_with_scheme(name))
        return std::string(name);
    const std::size_t nested = nested_url(name.substr(0, name.find('?')));
    if (nested == std::string_view::npos)
        throw remfile::Error(remfile::ErrorCode::invalid_url,
                             "cannot read '" + shown(name) +
                                 "': it is not a URL, and remfile opens http:// and https:// URLs only");
    return std::string(name.substr(nested));
}

std::string shown(std::string_view url) {
    const std::size_t end = std::min(url.find_first_of("?#"), url.size());
    std::string text(url.substr(0, end));
    const std::size_t scheme = text.find("://");
    if (scheme != std::string::npos) {
        const std::size_t host = scheme + 3;
        const std::size_t slash = std::min(text.find('/', host), text.size());
        const std::size_t at = text.rfind('@', slash);
        if (at != std::string::npos && at >= host && at < slash)
            text.erase(host, at + 1 - host);
    }
    if (end < url.size() && url[end] == '?')
        text += "?...";
    return text;
}

} // namespace remfile_detail
