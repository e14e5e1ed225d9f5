#include "name.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace remfile_detail {

namespace {

constexpr std::string_view schemes[] = {"http://", "https://", "s3://"};

bool is_separator(char c) { return c == '/' || c == '\\'; }

// Where the last URL begins that follows a path's separator; npos if none does.
std::size_t nested_url(std::string_view name) {
    for (std::size_t at = name.rfind("://"); at != std::string_view::npos && at > 0;
         at = name.rfind("://", at - 1)) {
        std::size_t start = at;
        while (start > 0 && !is_separator(name[start - 1]))
            --start;
        if (start > 0 && is_url(name.substr(start)))
            return start;
    }
    return std::string_view::npos;
}

} // namespace

bool is_url(std::string_view text) {
    const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); };
    return std::any_of(std::begin(schemes), std::end(schemes), [&](std::string_view scheme) {
        return text.size() >= scheme.size() && std::equal(scheme.begin(), scheme.end(), text.begin(), same);
    });
}

std::optional<std::string> url_in(std::string_view name) {
    if (is_url(name))
        return std::string(name);
    const std::size_t nested = nested_url(name.substr(0, name.find('?')));
    if (nested == std::string_view::npos)
        return std::nullopt;
    return std::string(name.substr(nested));
}

std::string folder_of(const std::string &path) {
    std::error_code error;
    std::string full = path;
    if (!std::filesystem::path(path).is_absolute())
        full = std::filesystem::current_path(error).string() + "/" + path;
    return full.substr(0, full.find_last_of("/\\") + 1);
}

std::string neighbour_of(std::string_view url, std::string_view target) {
    const std::string_view path = url.substr(0, url.find_first_of("?#"));
    const std::size_t slash = path.rfind('/');
    const bool has_path = slash != std::string_view::npos && slash > path.find("://") + 2;
    std::string neighbour(has_path ? path.substr(0, slash) : path);
    return neighbour.append("/").append(target);
}

std::string site_of(std::string_view url) {
    std::string site(url.substr(0, url.find("://") + 3));
    std::string_view authority = url.substr(site.size());
    authority = authority.substr(0, authority.find_first_of("/?#"));
    authority.remove_prefix(authority.rfind('@') + 1); // npos + 1 is 0
    site.append(authority);
    for (char &c : site)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::size_t colon = authority.rfind(':');
    const bool has_port =
        colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
    if (!has_port && site.rfind("http", 0) == 0)
        site.append(site.rfind("https", 0) == 0 ? ":443" : ":80");
    return site;
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
