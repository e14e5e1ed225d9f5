// libhdf5 for C++: identifiers that close themselves, and its errors as exceptions.
#ifndef REMFILE_SRC_HDF5_LIBRARY_HPP
#define REMFILE_SRC_HDF5_LIBRARY_HPP

#include <string>

#include <hdf5.h>

#include <remfile/error.hpp>

namespace remfile_detail {

// An Error for what is on the HDF5 error stack: "CONTEXT: what libhdf5 says deepest down". To be made
// before any further call of libhdf5, which would clear the stack.
remfile::Error hdf5_error(const std::string &context);

// An identifier that is closed at the end. Throws where there is none, for the reason on the stack.
class Id {
  public:
    Id(hid_t id, herr_t (*close)(hid_t), const char *context) : id_(id), close_(close) {
        if (id < 0)
            throw hdf5_error(context);
    }
    ~Id() { close_(id_); }
    Id(const Id &) = delete;
    Id &operator=(const Id &) = delete;

    operator hid_t() const noexcept { return id_; }

  private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

// Passes on what a call returned, unless that is its way of saying that it failed.
template <class Result> Result checked(Result result, const char *context) {
    if (result < 0)
        throw hdf5_error(context);
    return result;
}

} // namespace remfile_detail

#endif
