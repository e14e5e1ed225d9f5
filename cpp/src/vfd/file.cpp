#include "file.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include <remfile/error.hpp>

#include "error_stack.hpp"
#include "name.hpp"
#include "source.hpp"
#include "trust.hpp"

namespace remfile_detail {

namespace {

// A bare pointer, for the same reason as in error_stack.cpp.
thread_local ReadRecorder *recorder = nullptr;

File &file_of(H5FD_t *base) { return *static_cast<File *>(base); }
const File &file_of(const H5FD_t *base) { return *static_cast<const File *>(base); }

remfile::Error refusal(const std::string &sentence) {
    return remfile::Error(remfile::ErrorCode::read_only, sentence + ": remote files are read-only");
}

void refuse_writing(const char *name, unsigned flags) {
    // Without RDWR, H5F_ACC_CREAT and the like may stand beside it, so the strongest comes first.
    if (flags & (H5F_ACC_CREAT | H5F_ACC_TRUNC | H5F_ACC_EXCL))
        throw refusal("cannot create " + shown(name));
    if (flags & H5F_ACC_SWMR_WRITE)
        throw refusal("cannot open " + shown(name) + " as a SWMR writer");
    if (flags & H5F_ACC_RDWR)
        throw refusal("cannot open " + shown(name) + " for writing");
}

std::string config_string(const Libhdf5 &lib, hid_t fapl) {
    const ssize_t length = lib.driver_config ? lib.driver_config(fapl, nullptr, 0) : 0;
    if (length <= 0)
        return {};
    std::string text(static_cast<std::size_t>(length) + 1, '\0'); // libhdf5 writes the NUL too
    lib.driver_config(fapl, text.data(), text.size());
    text.pop_back();
    return text;
}

// What the property list says. Driver information comes first: it is what the targets of links get, and a
// program that set it meant it. A string may come from the environment.
struct Settings {
    Config config; // null for none
    std::string text;
};

Settings settings_of(const Libhdf5 &lib, hid_t fapl) {
    // Where there is no information, libhdf5 makes that an error, and it would be the deepest one.
    const Silence silence(lib);
    Settings settings;
    if (const void *information = lib.driver_info(fapl)) {
        settings.config = copy_config(*static_cast<const H5FD_remfile_config_t *>(information));
        if (!settings.config)
            throw std::bad_alloc();
    } else {
        settings.text = config_string(lib, fapl);
    }
    lib.clear_errors(H5E_DEFAULT);
    return settings;
}

// What a pointer file says holds where the program says nothing else.
remfile::Options options_of(const Settings &settings, const std::string &pointer) {
    if (settings.config)
        return to_options(*settings.config);
    return remfile::Options::parse(pointer + "\n" + settings.text);
}

std::optional<Origin> parent_of(const Settings &settings) {
    if (!settings.config || !settings.config->origin)
        return std::nullopt;
    return Origin::from_text(settings.config->origin);
}

// True where the raw data of a file are not read but noted.
bool is_recorded(const File &file) { return recorder && file.remote() && recorder->watches(*file.remote()); }

// Where libhdf5's address space is larger than the file, the rest of it has never been written. It reads as
// zeros, as in the local drivers; nothing else ever does. How many of the bytes come before that.
std::size_t fill_unwritten(const File &file, haddr_t address, std::size_t size, void *buffer) {
    const std::uint64_t file_size = file.size();
    const std::uint64_t left = address < file_size ? file_size - address : 0;
    if (size <= left || address > file.end_of_address || size > file.end_of_address - address)
        return size;
    const auto inside = static_cast<std::size_t>(left);
    std::memset(static_cast<char *>(buffer) + inside, 0, size - inside);
    return inside;
}

} // namespace

std::uint64_t File::size() const {
    return std::visit([](const auto &source) { return source.size(); }, bytes);
}

void File::read(std::uint64_t offset, void *buffer, std::size_t count, H5FD_mem_t type) const {
    if (const remfile::Driver *driver = remote())
        driver->read(offset, {buffer, count}, static_cast<remfile::Content>(type));
    else
        std::get<LocalFile>(bytes).read(offset, buffer, count);
}

void File::read_vector(const std::vector<remfile::ReadPiece> &pieces) const {
    const remfile::Driver *driver = remote();
    if (driver && pieces.size() != 1)
        return driver->read_vector(pieces);
    for (const remfile::ReadPiece &piece : pieces) // of a single one the driver makes less
        read(piece.offset, piece.buffer.data(), piece.buffer.size(), static_cast<H5FD_mem_t>(piece.content));
}

H5FD_t *open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr) noexcept {
    const Libhdf5 lib = libhdf5_of(REMFILE_CALLER);
    return guarded(lib, Doing::opening, "remfile_open", static_cast<H5FD_t *>(nullptr), [&]() -> H5FD_t * {
        if (lib.missing)
            throw remfile::Error(remfile::ErrorCode::hdf5,
                                 std::string("the libhdf5 of this program has no ") + lib.missing +
                                     " that a plugin could call");
        if (!name || !*name)
            throw remfile::Error(remfile::ErrorCode::invalid_url, "cannot open a file without a name");
        refuse_writing(name, flags);
        const Settings settings = settings_of(lib, fapl);
        const std::optional<Origin> parent = parent_of(settings);
        const Origin *origin = parent ? &*parent : nullptr;
        const LinksTo allowed =
            parent && options_of(settings, {}).local_links ? LinksTo::any_file : LinksTo::remote_files;
        const Source source = source_of(name, origin, allowed);
        remfile::Options options = options_of(settings, source.options);
        confine_credentials(options, source, origin);
        auto refresh = refresh_of(settings.config.get(), source, origin);
        Config config = to_config(options, source.origin.to_text());
        if (refresh) {
            config->refresh_url = settings.config->refresh_url;
            config->refresh_user = settings.config->refresh_user;
        }
        auto file =
            source.local.empty()
                ? std::make_unique<File>(
                      lib, source.origin.url,
                      remfile::Driver::open(source.origin.url, options, std::move(refresh)),
                      std::move(config))
                : std::make_unique<File>(lib, source.local, LocalFile(source.local), std::move(config));
        if (const LocalFile *local = std::get_if<LocalFile>(&file->bytes))
            file->name = file->identity = local->path();
        if (file->size() > std::min(maxaddr, largest_address))
            throw remfile::Error(remfile::ErrorCode::out_of_bounds,
                                 "cannot read " + shown(file->name) + ": its " +
                                     std::to_string(file->size()) + " bytes are more than can be addressed");
        return file.release();
    });
}

herr_t close(H5FD_t *base) noexcept {
    delete static_cast<File *>(base);
    return 0;
}

// Files of one object are one file to libhdf5, which then opens it once and shares its caches, whatever
// signs their URLs. An object that was replaced since is another file.
int compare(const H5FD_t *left, const H5FD_t *right) noexcept {
    const int order = file_of(left).identity.compare(file_of(right).identity);
    return (order > 0) - (order < 0);
}

// `base` is null when libhdf5 asks about the driver rather than a file.
herr_t query(const H5FD_t *, unsigned long *flags) noexcept {
    if (flags)
        *flags = H5FD_FEAT_AGGREGATE_METADATA         // as every driver of plain files does
                 | H5FD_FEAT_ACCUMULATE_METADATA_READ // small metadata reads out of one buffer
                 | H5FD_FEAT_DATA_SIEVE               // raw data reads of a row or less out of one buffer
                 | H5FD_FEAT_AGGREGATE_SMALLDATA      // as every driver of plain files does
                 | H5FD_FEAT_SUPPORTS_SWMR_IO         // else H5F_ACC_SWMR_READ is refused
                 | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;  // the bytes are those of a plain local file
    return 0;
}

haddr_t get_eoa(const H5FD_t *base, H5FD_mem_t) noexcept { return file_of(base).end_of_address; }

herr_t set_eoa(H5FD_t *base, H5FD_mem_t, haddr_t address) noexcept {
    file_of(base).end_of_address = address;
    return 0;
}

haddr_t get_eof(const H5FD_t *base, H5FD_mem_t) noexcept { return file_of(base).size(); }

herr_t get_handle(H5FD_t *base, hid_t, void **handle) noexcept {
    auto *driver = std::get_if<remfile::Driver>(&file_of(base).bytes);
    if (!handle || !driver)
        return -1;
    *handle = driver;
    return 0;
}

herr_t read(H5FD_t *base, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size, void *buffer) noexcept {
    File &file = file_of(base);
    return guarded(file.libhdf5, Doing::reading, "remfile_read", -1, [&] {
        if (type == H5FD_MEM_DRAW && is_recorded(file)) {
            recorder->note({address, size});
            return 0;
        }
        const std::size_t inside = fill_unwritten(file, address, size, buffer);
        if (inside > 0)
            file.read(address, buffer, inside, type); // refuses what reaches past the file's end
        return 0;
    });
}

herr_t read_vector(H5FD_t *base, hid_t, std::uint32_t count, H5FD_mem_t *types, haddr_t *addresses,
                   std::size_t *sizes, void **buffers) noexcept {
    File &file = file_of(base);
    return guarded(file.libhdf5, Doing::reading, "remfile_read_vector", -1, [&] {
        const bool recorded = is_recorded(file);
        std::vector<remfile::ReadPiece> pieces;
        pieces.reserve(recorded ? 0 : count);
        std::uint32_t typed = 0, sized = 0; // the last that have a type, and a size, of their own
        for (std::uint32_t i = 0; i < count; ++i) {
            if (typed + 1 == i && types[i] != H5FD_MEM_NOLIST)
                typed = i;
            if (sized + 1 == i && sizes[i] != 0)
                sized = i;
            const H5FD_mem_t type = types[typed];
            const std::size_t size = sizes[sized];
            if (recorded && type == H5FD_MEM_DRAW) {
                recorder->note({addresses[i], size});
                continue;
            }
            const std::size_t inside = fill_unwritten(file, addresses[i], size, buffers[i]);
            if (inside > 0)
                pieces.push_back({addresses[i], {buffers[i], inside}, static_cast<remfile::Content>(type)});
        }
        file.read_vector(pieces);
        return 0;
    });
}

// libhdf5 insists that there be one. It does not come here with files opened for reading.
herr_t write(H5FD_t *base, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void *) noexcept {
    File &file = file_of(base);
    return guarded(file.libhdf5, Doing::writing, "remfile_write", -1,
                   [&]() -> int { throw refusal("cannot write to " + shown(file.name)); });
}

herr_t remove(const char *name, hid_t) noexcept {
    return guarded(libhdf5_of(REMFILE_CALLER), Doing::writing, "remfile_delete", -1,
                   [&]() -> int { throw refusal("cannot delete " + shown(name ? name : "")); });
}

void *fapl_get(H5FD_t *base) noexcept { return copy_config(*file_of(base).config).release(); }

void *fapl_copy(const void *config) noexcept {
    return config ? copy_config(*static_cast<const H5FD_remfile_config_t *>(config)).release() : nullptr;
}

herr_t fapl_free(void *config) noexcept {
    FreeConfig()(static_cast<H5FD_remfile_config_t *>(config));
    return 0;
}

ReadRecorder::ReadRecorder(const remfile::Driver &driver) noexcept : driver_(driver), outer_(recorder) {
    recorder = this;
}

ReadRecorder::~ReadRecorder() { recorder = outer_; }

} // namespace remfile_detail
