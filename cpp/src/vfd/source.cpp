#include "source.hpp"

#include <algorithm>
#include <utility>

#include <remfile/error.hpp>

#include "name.hpp"
#include "pointer.hpp"

namespace remfile_detail {

namespace {

// libhdf5 looks for a relative target first in the folder of the file with the link, which for a file
// behind a pointer is the pointer's: then what follows the folder is the target as it was written.
Source target_of(const std::string &name, const Origin &parent, LinksTo allowed) {
    const std::string &folder = parent.folder;
    if (!folder.empty() && name.size() > folder.size() && name.compare(0, folder.size(), folder) == 0)
        return {{neighbour_of(parent.url, name.substr(folder.size())), folder_of(name)}, {}, {}};
    if (allowed == LinksTo::any_file)
        return {parent, {}, name};
    throw remfile::Error(remfile::ErrorCode::invalid_url,
                         "cannot read '" + name + "', to which a link leads from " + shown(parent.url) +
                             ": it was not found beside that, and links to local paths are followed with the "
                             "option local_links only");
}

} // namespace

std::string Origin::to_text() const { return folder + "\n" + url; }

Origin Origin::from_text(const std::string &text) {
    const std::size_t end = std::min(text.rfind('\n'), text.size());
    return {text.substr(std::min(end + 1, text.size())), text.substr(0, end)};
}

Source source_of(const std::string &name, const Origin *parent, LinksTo allowed) {
    if (auto url = url_in(name))
        return {{std::move(*url), {}}, {}, {}};
    if (parent)
        return target_of(name, *parent, allowed);
    Pointer pointer = read_pointer(name);
    return {{std::move(pointer.url), folder_of(name)}, std::move(pointer.options), {}};
}

} // namespace remfile_detail
