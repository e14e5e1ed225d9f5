// A program that uses remfile and a Rust library that speaks cxx.
#include "../src/driver_check.hpp"
#include "rust/cxx.h"
#include "with_cxx_bridge/lib.h"

static bool with_cxx_works() {
    rust::Vec<bool> flags;
    flags.push_back(true);
    try {
        with_cxx::greet("");
    } catch (const rust::Error &) {
        return with_cxx::greet("you") == "hello you" && with_cxx::count(flags) == 1;
    }
    return false;
}

int main() { return driver_works() && with_cxx_works() ? 0 : 1; }
