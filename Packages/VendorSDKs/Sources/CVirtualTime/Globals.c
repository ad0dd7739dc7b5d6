// The variables of the app's modules, of which each simulated process has its own.
#include "CVirtualTime.h"
#include "Internal.h"

#include <stdlib.h>

static vt_global *globals = NULL;
static size_t global_count = 0;

size_t vt_global_count(void) { return global_count; }
vt_global vt_global_at(size_t index) { return globals[index]; }

void vt_add_global(uintptr_t address, size_t size) {
    // Most programs have few variables, so it starts small and doubles.
    static size_t capacity = 0;
    if (global_count == capacity) {
        capacity = capacity ? capacity * 2 : 64;
        globals = realloc(globals, capacity * sizeof *globals);
    }
    globals[global_count++] = (vt_global){.address = (void *)address, .size = size};
}
