// Writes pointer files. The driver reads them: vfd/pointer.cpp.
#include <remfile/pointer.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <remfile/error.hpp>

#include "pointer_format.hpp"

namespace remfile {

namespace {

using namespace remfile_detail;

[[noreturn]] void refuse(ErrorCode code, const std::string &why) {
    throw Error(code, "cannot write a pointer file: " + why);
}

bool begins_with(std::string_view text, std::string_view beginning) {
    const auto same = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); };
    return text.size() > beginning.size() &&
           std::equal(beginning.begin(), beginning.end(), text.begin(), same);
}

void check(std::string_view url, UrlSecrets secrets) {
    if (!begins_with(url, "http://") && !begins_with(url, "https://"))
        refuse(ErrorCode::invalid_url, "its target must be an http:// or https:// URL");
    const auto is_bad = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; };
    if (std::any_of(url.begin(), url.end(), is_bad))
        refuse(ErrorCode::invalid_url, "the URL has spaces or control characters in it; percent-encode them");
    const std::size_t host = url.find("://") + 3;
    const std::string_view authority = url.substr(host, url.find_first_of("/?#", host) - host);
    const bool is_secretive =
        authority.find('@') != std::string_view::npos || url.find('?') != std::string_view::npos;
    if (is_secretive && secrets == UrlSecrets::refuse)
        refuse(ErrorCode::invalid_url,
               "the URL has a user name or a query in it, which may be a secret; it is written only if "
               "that is asked for");
}

// The lines of the options that are not as ever.
class Lines {
  public:
    explicit Lines(const Options &options) : options_(options) {
        number(&Options::min_chunk_size);
        number(&Options::max_chunk_size);
        number(&Options::head_size);
        number(&Options::read_ahead);
        number(&Options::connect_timeout_ms);
        number(&Options::stall_timeout_ms);
        number(&Options::read_timeout_ms);
        number(&Options::max_retries);
        if (carried_.to_string() != options.to_string()) {
            std::string names;
            for (const std::string_view name : pointer_options)
                names.append(names.empty() ? "" : ", ").append(name);
            refuse(ErrorCode::invalid_option, "of the options it can carry only " + names);
        }
        Options::parse(text_); // for the bounds
    }

    const std::string &text() const noexcept { return text_; }

  private:
    template <class Number> void number(Number Options::*option) {
        const std::string_view name = pointer_options[next_++];
        if (options_.*option != carried_.*option)
            text_.append(name).append("=").append(std::to_string(options_.*option)).append("\n");
        carried_.*option = options_.*option;
    }

    const Options &options_;
    Options carried_;
    std::string text_;
    std::size_t next_ = 0;
};

} // namespace

void write_pointer_file(const std::string &path, std::string_view url, const Options &options,
                        UrlSecrets secrets) {
    check(url, secrets);
    const Lines lines(options);
    std::string text;
    text.append(pointer_signature).append(pointer_version);
    text.append(pointer_url).append(url).append("\n").append(lines.text());
    if (text.size() > pointer_max_size)
        refuse(ErrorCode::invalid_url, "the URL is too long");
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file)
        throw std::system_error(errno ? errno : EIO, std::generic_category(), "cannot write " + path);
}

} // namespace remfile
