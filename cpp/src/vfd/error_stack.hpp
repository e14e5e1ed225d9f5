// Between our exceptions and the HDF5 error stack.
#ifndef REMFILE_SRC_VFD_ERROR_STACK_HPP
#define REMFILE_SRC_VFD_ERROR_STACK_HPP

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <remfile/error.hpp>

#include "libhdf5.hpp"

namespace remfile_detail {

// What was being done when an error came up; it decides libhdf5's error numbers.
enum class Doing { opening, reading, writing, configuring };

// Pushes one sentence, "remfile: MESSAGE [CODE]", on the error stack. It becomes the deepest record, the
// one that h5py and others show.
void push(const Libhdf5 &lib, Doing doing, const char *function, const remfile::Error &error) noexcept;

// The same where there is no Error, maybe for want of memory.
void push(const Libhdf5 &lib, Doing doing, const char *function, remfile::ErrorCode code,
          const char *message) noexcept;

// Runs the body of a callback. Nothing may unwind through a frame of libhdf5, which is C: whatever is
// thrown goes on the error stack, and `failure` is returned.
template <class Result, class Body>
Result guarded(const Libhdf5 &lib, Doing doing, const char *function, Result failure, Body &&body) noexcept {
    try {
        return std::forward<Body>(body)();
    } catch (const remfile::Error &error) {
        push(lib, doing, function, error);
    } catch (const std::bad_alloc &) {
        push(lib, doing, function, remfile::ErrorCode::out_of_memory, "there is no memory left");
    } catch (const std::exception &error) {
        push(lib, doing, function, remfile::ErrorCode::internal, error.what());
    } catch (...) {
        push(lib, doing, function, remfile::ErrorCode::internal, "an unknown exception");
    }
    return failure;
}

// While it lives, the first error that a callback meets on this thread is kept here as well, with what
// the error stack cannot hold.
class ErrorCatcher {
  public:
    ErrorCatcher() noexcept;
    ~ErrorCatcher();
    ErrorCatcher(const ErrorCatcher &) = delete;
    ErrorCatcher &operator=(const ErrorCatcher &) = delete;

    const std::optional<remfile::Error> &first() const noexcept { return first_; }
    void note(const remfile::Error &error) noexcept;

  private:
    std::optional<remfile::Error> first_;
    ErrorCatcher *outer_;
};

// While it lives, libhdf5 does not print or report errors by itself on this thread, whatever kind of
// handler is set.
class Silence {
  public:
    explicit Silence(const Libhdf5 &lib) noexcept;
    ~Silence();
    Silence(const Silence &) = delete;
    Silence &operator=(const Silence &) = delete;

  private:
    const Libhdf5 &lib_;
    bool is_v2_ = false;
    bool is_v1_ = false;
    H5E_auto2_t function2_ = nullptr;
    herr_t (*function1_)(void *) = nullptr;
    void *data_ = nullptr;
};

} // namespace remfile_detail

#endif
