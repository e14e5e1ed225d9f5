// A program that uses remfile and a Rust library with a C interface.
#include "../src/driver_check.hpp"

extern "C" int plain_c_catches_a_panic();

int main() { return driver_works() && plain_c_catches_a_panic() == 1 ? 0 : 1; }
