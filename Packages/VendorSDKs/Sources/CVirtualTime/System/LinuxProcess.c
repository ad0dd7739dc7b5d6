// Linux: the kinds of test processes.
#if defined(__linux__)

#include "../Internal.h"

#include <string.h>

// The process that `swift test` starts for XCTest alone.
bool vt_is_for_xctest(int argc, char **argv) {
    if (argc < 1 || argv == NULL || argv[0] == NULL) return false;
    size_t length = strlen(argv[0]);
    if (length < 7 || strcmp(argv[0] + length - 7, ".xctest") != 0) return false;
    for (int index = 1; index < argc; index++) {
        if (strcmp(argv[index], "swift-testing") == 0) return false;
        if (strcmp(argv[index], "--testing-library=swift-testing") == 0) return false;
    }
    return true;
}

#endif
