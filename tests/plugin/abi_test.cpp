// Our own declarations of libhdf5's binary interface against the headers of an HDF5 from 1.14 on.
#include <cstdio>

#include "abi_table.hpp"

int main() {
    const AbiTable ours = our_abi();
    const AbiTable theirs = hdf5_abi();
    int differences = ours.size() == theirs.size() ? 0 : 1;
    for (std::size_t i = 0; i < ours.size() && i < theirs.size(); ++i) {
        if (ours[i] == theirs[i])
            continue;
        ++differences;
        std::printf("%s: %llu, and in HDF5 %llu\n", ours[i].first.c_str(), ours[i].second, theirs[i].second);
    }
    std::printf("%zu numbers, %d differences\n", ours.size(), differences);
    return differences == 0 ? 0 : 1;
}
