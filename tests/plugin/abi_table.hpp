// What the plugin takes for granted of libhdf5's binary interface, as numbers with names.
//
// Compiled twice: with our own header (cpp/src/plugin/abi) and with HDF5's. abi_test compares the two.
#ifndef REMFILE_TESTS_PLUGIN_ABI_TABLE_HPP
#define REMFILE_TESTS_PLUGIN_ABI_TABLE_HPP

#include <string>
#include <utility>
#include <vector>

using AbiTable = std::vector<std::pair<std::string, unsigned long long>>;

AbiTable our_abi();
AbiTable hdf5_abi();

#endif
