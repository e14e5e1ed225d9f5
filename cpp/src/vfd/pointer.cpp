#include "pointer.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <remfile/error.hpp>

#include "name.hpp"
#include "pointer_format.hpp"

namespace remfile_detail {

namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &why) {
    throw remfile::Error(remfile::ErrorCode::invalid_url, "cannot read '" + shown(path) + "': " + why);
}

[[noreturn]] void refuse_line(const std::string &path, std::string_view line) {
    std::string known;
    for (const std::string_view name : pointer_options)
        known.append(known.empty() ? "" : ", ").append(name);
    throw remfile::Error(remfile::ErrorCode::invalid_option,
                         "the pointer file '" + path + "' has the line '" + std::string(line.substr(0, 80)) +
                             "', and it may have only url and the options " + known);
}

// The beginning of the file; empty where that is not a plain file that can be read.
std::string head_of(const std::string &path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) // a pipe would keep us waiting
        return {};
    std::ifstream file(path, std::ios::binary);
    std::string text(pointer_max_size + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

bool begins_with(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

// "key=value" with a key from the list, and nothing in the value that could begin another pair.
bool is_option(std::string_view line) {
    const std::size_t equals = line.find('=');
    const bool is_known =
        equals != std::string_view::npos && std::find(std::begin(pointer_options), std::end(pointer_options),
                                                      line.substr(0, equals)) != std::end(pointer_options);
    return is_known && line.find_first_of(",;\r\"", equals) == std::string_view::npos;
}

} // namespace

Pointer read_pointer(const std::string &path) {
    const std::string text = head_of(path);
    if (!begins_with(text, pointer_signature)) {
        std::error_code error;
        const bool exists = std::filesystem::exists(path, error);
        refuse(path, std::string("it is not a URL") + (exists ? "" : " and there is no such file") +
                         ", and remfile opens http://, https:// and s3:// URLs and pointer files only");
    }
    std::string_view rest = std::string_view(text).substr(pointer_signature.size());
    if (!begins_with(rest, pointer_version))
        refuse(path, "it is a pointer file of a version that this remfile does not know");
    if (text.size() > pointer_max_size)
        refuse(path, "it is too long for a pointer file");
    rest.remove_prefix(pointer_version.size());

    Pointer pointer;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty())
            continue;
        if (pointer.url.empty() && begins_with(line, pointer_url))
            pointer.url = line.substr(pointer_url.size());
        else if (is_option(line))
            pointer.options.append(line).append("\n");
        else
            refuse_line(path, line);
    }
    // Not s3://, for which we would sign who we are.
    if (!is_url(pointer.url) || pointer.url.front() == 's' || pointer.url.front() == 'S')
        refuse(path, "it is a pointer file without an http:// or https:// URL");
    return pointer;
}

} // namespace remfile_detail
