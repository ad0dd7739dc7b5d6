// The pipe through which another thread or a signal wakes the reader.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <unistd.h>

/// Empties the pipe.
void cel_drain_wake(cel_editor *editor) {
    char bytes[256];
    while (read(editor->wake[0], bytes, sizeof bytes) > 0) {
    }
}
