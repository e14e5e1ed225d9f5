// An HDF5 identifier that closes itself.
#ifndef REMFILE_BENCH_ID_HPP
#define REMFILE_BENCH_ID_HPP

#include <stdexcept>
#include <string>

#include <hdf5.h>

namespace bench {

template <class Result> Result checked(Result result, const char *what) {
    if (result < 0)
        throw std::runtime_error(std::string(what) + " failed; the HDF5 error stack above says why");
    return result;
}

class Id {
  public:
    Id(hid_t id, herr_t (*close)(hid_t), const char *what) : id_(checked(id, what)), close_(close) {}
    ~Id() {
        if (id_ >= 0)
            close_(id_);
    }
    Id(const Id &) = delete;
    Id &operator=(const Id &) = delete;

    operator hid_t() const { return id_; }

    // Closes now what the destructor would close later.
    void close(const char *what) {
        const hid_t id = id_;
        id_ = H5I_INVALID_HID;
        checked(close_(id), what);
    }

  private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

} // namespace bench

#endif
