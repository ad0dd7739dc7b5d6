// The virtual clocks and random numbers of the job thread. The files in System put them in front of the C library's
// functions, each of which first checks whether virtual time is active on the calling thread.
#include "CVirtualTime.h"
#include "Internal.h"

#include <string.h>

// Far more than sane code reads the clock within one job, and few enough to be quick.
#define BUSY_READS 20000u

// Exported by its name, so that several copies of this code find one of them.
vt_state vt_process_state;
vt_state *vt_current = &vt_process_state;

void vt_set_time(uint64_t wall, uint64_t monotonic) {
    vt_current->wall = wall;
    vt_current->monotonic = monotonic;
}

void vt_set_active(bool value) { vt_current->is_active = value; }
// Checks the thread first, because other threads must not read what the job thread writes.
bool vt_is_active(void) { return vt_is_job_thread() && vt_current->is_active; }
void vt_set_sleep_hook(void (*hook)(uint64_t)) { vt_current->sleep_hook = hook; }
void vt_set_busy_hook(void (*hook)(void)) { vt_current->busy_hook = hook; }
void vt_begin_job(void) { vt_current->reads = 0; }
void vt_seed_random(uint64_t seed) { vt_current->random = seed; }

bool vt_read_clock(bool is_wall, uint64_t *result) {
    if (!vt_is_active()) return false;
    if (++vt_current->reads > BUSY_READS && vt_current->busy_hook) vt_current->busy_hook();
    *result = is_wall ? vt_current->wall : vt_current->monotonic;
    return true;
}

bool vt_sleep(uint64_t nanoseconds) {
    if (!vt_is_active() || !vt_current->sleep_hook) return false;
    vt_current->sleep_hook(nanoseconds);
    return true;
}

// SplitMix64, the same as in VirtualTime.
static uint64_t draw(void) {
    uint64_t mixed = (vt_current->random += 0x9E3779B97F4A7C15ull);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
    return mixed ^ (mixed >> 31);
}

bool vt_fill_random(void *buffer, size_t count) {
    if (!vt_is_active()) return false;
    unsigned char *bytes = buffer;
    while (count > 0) {
        uint64_t drawn = draw();
        size_t part = count < sizeof drawn ? count : sizeof drawn;
        memcpy(bytes, &drawn, part);
        bytes += part;
        count -= part;
    }
    return true;
}

// The C library's function may call another one that is replaced, so virtual time is off meanwhile.
static struct timespec real_time(clockid_t clock) {
    bool was_active = vt_is_active();
    if (was_active) vt_set_active(false);
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    if (was_active) vt_set_active(true);
    return now;
}

struct timespec vt_real_wall(void) { return real_time(CLOCK_REALTIME); }

uint64_t vt_real_monotonic(void) {
    struct timespec now = real_time(CLOCK_MONOTONIC);
    return vt_nanoseconds(&now);
}

bool vt_clocks_are_virtual(void) {
    if (!vt_is_job_thread()) return false;
    vt_state before = *vt_current;
    vt_set_time(VT_SECOND, 2 * VT_SECOND);
    vt_set_active(true);
    struct timespec monotonic = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    bool result = time(NULL) == 1 && vt_nanoseconds(&monotonic) == 2 * VT_SECOND;
    *vt_current = before;
    return result;
}
