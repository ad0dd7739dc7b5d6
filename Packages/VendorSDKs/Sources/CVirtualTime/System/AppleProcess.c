// Apple's systems: the kinds of test processes, and an app's variables. Not tried on a Mac.
#if defined(__APPLE__)

#include "../Internal.h"

#include <stdlib.h>
#include <string.h>

// Xcode and the tool xctest run tests in the main run loop. `swift test` runs those of Swift Testing in a helper whose
// main thread runs the bundle's `main`.
bool vt_is_for_xctest(int argc, char **argv) {
    if (getenv("XCTestConfigurationFilePath")) return true;
    if (argc < 1 || argv == NULL || argv[0] == NULL) return false;
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash ? slash + 1 : argv[0];
    return strcmp(name, "xctest") == 0 || strcmp(name, "swiftpm-xctest-helper") == 0;
}

// The symbol table of a Mach-O file has no sizes, so it does not say where a variable ends: all variables keep their
// values in a new process.
void vt_find_globals(void) {}

#endif
