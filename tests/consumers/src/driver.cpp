// A program that reads with remfile::Driver alone.
#include "driver_check.hpp"

int main() { return driver_works() ? 0 : 1; }
