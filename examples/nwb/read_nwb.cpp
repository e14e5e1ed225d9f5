// Reads a slice of the first ElectricalSeries of an NWB file: remote, and compared with a local copy.
//
//     read_nwb https://example.org/recording.nwb
//     read_nwb http://127.0.0.1:8000/files/recording.nwb --compare recording.nwb
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <remfile/hdf5.hpp>

namespace {

const char *const usage =
    "usage: read_nwb URL [--compare FILE] [--options KEY=VALUE,...]\n"
    "\n"
    "Opens an NWB file by URL, lists its first levels, reads 1000 samples from the middle of\n"
    "its first ElectricalSeries and prints what that cost.\n"
    "\n"
    "  --compare FILE   read the same from a local copy and compare\n"
    "  --options TEXT   remfile options, max_retries=20 for example (see README.md)\n";

// An HDF5 identifier that closes itself.
class Id {
  public:
    Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
        if (id < 0)
            throw std::runtime_error("HDF5 refused; the error stack above says why");
    }
    ~Id() { close_(id_); }
    Id(const Id &) = delete;
    Id &operator=(const Id &) = delete;
    operator hid_t() const { return id_; }

  private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

// A string attribute of an object, variable or fixed length; nothing where there is none.
std::optional<std::string> string_attribute(hid_t object, const char *name) {
    if (H5Aexists(object, name) <= 0)
        return std::nullopt;
    const Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Id type(H5Aget_type(attribute), H5Tclose);
    const Id space(H5Aget_space(attribute), H5Sclose);
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
        return std::nullopt;
    if (H5Tis_variable_str(type) > 0) {
        char *text = nullptr;
        if (H5Aread(attribute, type, &text) < 0 || text == nullptr)
            return std::nullopt;
        std::string copy(text);
        H5free_memory(text);
        return copy;
    }
    std::string text(H5Tget_size(type), '\0');
    if (H5Aread(attribute, type, text.data()) < 0)
        return std::nullopt;
    text.resize(std::strlen(text.c_str()));
    return text;
}

struct Listing {
    std::size_t objects = 0;
    std::string series; // path of the first ElectricalSeries
};

// Prints two levels and looks for an ElectricalSeries everywhere.
herr_t visit(hid_t root, const char *name, const H5O_info_t *info, void *data) {
    auto &listing = *static_cast<Listing *>(data);
    const std::string path(name);
    ++listing.objects;
    try {
        const auto depth = std::count(path.begin(), path.end(), '/');
        const bool group = info->type == H5O_TYPE_GROUP;
        std::optional<std::string> type;
        if (path != ".") {
            const Id object(H5Oopen(root, name, H5P_DEFAULT), H5Oclose);
            type = string_attribute(object, "neurodata_type");
        }
        if (path != "." && depth <= 1 && path.rfind("specifications", 0) != 0)
            std::cout << "  /" << path << (group ? "/" : "") << (type ? "  (" + *type + ")" : "") << '\n';
        if (listing.series.empty() && type && *type == "ElectricalSeries")
            listing.series = path;
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return -1;
    }
}

Listing list(hid_t file) {
    Listing listing;
#if H5_VERSION_GE(1, 12, 0)
    const herr_t status = H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &listing, H5O_INFO_BASIC);
#else
    const herr_t status = H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &listing);
#endif
    if (status < 0)
        throw std::runtime_error("the file could not be listed");
    return listing;
}

// `samples` samples of all channels from the middle of the recording, in volts.
std::vector<double> slice(hid_t file, const std::string &series, hsize_t samples, bool ahead) {
    const Id data(H5Dopen2(file, (series + "/data").c_str(), H5P_DEFAULT), H5Dclose);
    const Id space(H5Dget_space(data), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2)
        throw std::runtime_error("an ElectricalSeries has one or two dimensions");
    std::array<hsize_t, 2> shape{1, 1};
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    const std::array<hsize_t, 2> count{std::min(samples, shape[0]), shape[1]};
    const std::array<hsize_t, 2> start{(shape[0] - count[0]) / 2, 0};
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0)
        throw std::runtime_error("the slice could not be selected");
    if (ahead) // all chunks of the slice at once, in parallel
        remfile::prefetch(data, space);
    std::vector<double> values(count[0] * count[1]);
    const Id memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
    if (H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0)
        throw std::runtime_error("the slice could not be read");
    double conversion = 1;
    if (H5Aexists(data, "conversion") > 0) {
        const Id attribute(H5Aopen(data, "conversion", H5P_DEFAULT), H5Aclose);
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &conversion);
    }
    for (double &value : values)
        value *= conversion;
    std::cout << "  /" << series << "/data: " << shape[0] << " samples of " << shape[1] << " channels, read "
              << count[0] << " x " << count[1] << '\n';
    return values;
}

void print_cost(const remfile::Stats &now, const remfile::Stats &before) {
    std::cout << "  took " << now.requests - before.requests << " requests, "
              << now.fetched_bytes - before.fetched_bytes << " bytes, "
              << now.round_trips - before.round_trips << " round trips\n";
}

int run(const std::string &url, const std::string &local, const std::string &options) {
    std::cout << "opening " << url << '\n';
    const Id file(remfile::open_hdf5(url, remfile::Options::parse(options)), H5Fclose);
    hsize_t size = 0;
    H5Fget_filesize(file, &size);
    std::cout << "  " << size << " bytes\n";
    const auto opened = remfile::stats(file);
    print_cost(opened, {});

    std::cout << "listing\n";
    const Listing listing = list(file);
    std::cout << "  " << listing.objects << " objects\n";
    const auto listed = remfile::stats(file);
    print_cost(listed, opened);
    if (listing.series.empty())
        throw std::runtime_error("there is no ElectricalSeries in this file");

    std::cout << "reading a slice\n";
    const auto values = slice(file, listing.series, 1000, true);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    std::cout << "  from " << *least << " to " << *most << " V\n";
    print_cost(remfile::stats(file), listed);
    if (local.empty())
        return 0;

    std::cout << "comparing with " << local << '\n';
    const Id other(H5Fopen(local.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const bool same = slice(other, listing.series, 1000, false) == values;
    std::cout << (same ? "  the values are equal\n" : "  THE VALUES DIFFER\n");
    return same ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
    std::string url, local, options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--help" || word == "-h") {
            std::cout << usage;
            return 0;
        }
        if (word == "--compare" && i + 1 < argc)
            local = argv[++i];
        else if (word == "--options" && i + 1 < argc)
            options = argv[++i];
        else if (url.empty() && word.rfind("-", 0) != 0)
            url = word;
        else {
            std::cerr << usage;
            return 2;
        }
    }
    if (url.empty()) {
        std::cerr << usage;
        return 2;
    }
    try {
        return run(url, local, options);
    } catch (const remfile::Error &error) {
        std::cerr << "error [" << remfile::to_string(error.code()) << "]: " << error.what() << '\n';
    } catch (const std::exception &error) {
        std::cerr << "error: " << error.what() << '\n';
    }
    return 1;
}
