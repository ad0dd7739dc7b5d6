// The pipe by which another thread, or a signal, wakes whoever waits for input.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <unistd.h>

/// Takes out what woke the reader.
void cel_drain_wake(cel_editor *editor) {
    char bytes[256];
    while (read(editor->wake[0], bytes, sizeof bytes) > 0) {
    }
}
