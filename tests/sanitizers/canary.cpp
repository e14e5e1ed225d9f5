// A program with one defect of each kind that a sanitizer must find: if it lives, the sanitizer is not on.
//
// usage: canary overflow|use_after_free|leak|undefined|uninitialised
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace {

// The compiler must not know what is in it, lest it removes or reports the defect itself.
volatile std::size_t ten = 10;
volatile int sink;
volatile int largest = std::numeric_limits<int>::max();
void *volatile lost;

void overflow() {
    std::vector<int> numbers(ten);
    sink = numbers.data()[ten];
}

void use_after_free() {
    int *volatile number = new int(1);
    delete number;
    sink = *number;
}

void leak() {
    lost = std::malloc(ten);
    lost = nullptr;
}

void undefined() { sink = largest + 1; }

void uninitialised() {
    int *volatile number = static_cast<int *>(std::malloc(sizeof(int) * ten));
    if (number[3] == 7) {
        std::puts("seven");
    }
    std::free(number);
}

} // namespace

int main(int count, char **words) {
    const std::string defect = count == 2 ? words[1] : "";
    if (defect == "overflow") {
        overflow();
    } else if (defect == "use_after_free") {
        use_after_free();
    } else if (defect == "leak") {
        leak();
    } else if (defect == "undefined") {
        undefined();
    } else if (defect == "uninitialised") {
        uninitialised();
    } else {
        std::fputs("usage: canary overflow|use_after_free|leak|undefined|uninitialised\n", stderr);
        return 2;
    }
    return 0;
}
