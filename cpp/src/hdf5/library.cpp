#include "library.hpp"

#include <exception>

namespace remfile_detail {

namespace {

struct Deepest {
    bool seen = false;
    bool is_not_hdf5 = false;
    std::string message;
};

// Called with the deepest record first; the others only say who called whom.
herr_t look(unsigned, const H5E_error2_t *record, void *data) noexcept {
    auto &deepest = *static_cast<Deepest *>(data);
    if (deepest.seen)
        return 0;
    deepest.seen = true;
    deepest.is_not_hdf5 = record->min_num == H5E_NOTHDF5;
    try {
        deepest.message = record->desc ? record->desc : "";
    } catch (const std::exception &) { // without its words, then
    }
    return 0;
}

} // namespace

remfile::Error hdf5_error(const std::string &context) {
    Deepest deepest;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &deepest);
    const std::string message = deepest.message.empty() ? "libhdf5 gives no reason" : deepest.message;
    const auto code = deepest.is_not_hdf5 ? remfile::ErrorCode::not_hdf5 : remfile::ErrorCode::hdf5;
    return remfile::Error(code, context + ": " + message);
}

} // namespace remfile_detail
