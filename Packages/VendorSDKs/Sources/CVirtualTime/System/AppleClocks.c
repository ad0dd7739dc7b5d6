// Apple's systems: replaces the C library's clocks, sleeps and random bytes. Not tried on a Mac.
//
// A program's own functions do not come before the system's there. dyld has a table of replacements instead, the section
// `__DATA,__interpose` of the libraries that are loaded at launch. So the replacements have an effect only in the library
// VirtualClocks, if DYLD_INSERT_LIBRARIES names it; in a test bundle, which is opened later, the same section has none.
// dyld leaves the calls of the library itself alone, so they are the system's functions.
#if defined(__APPLE__)

#include "../Internal.h"

#include <dlfcn.h>
#include <mach/mach_time.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <unistd.h>

#include "CVirtualTime.h"

#define INTERPOSE(function) \
    __attribute__((used, section("__DATA,__interpose"))) static struct { \
        const void *replacement, *original; \
    } interpose_##function = {(const void *)replace_##function, (const void *)function}

// No thread-local variable: the first access to one on a thread allocates, which may read a clock and come here again.
bool vt_is_job_thread(void) { return pthread_main_np() != 0; }

// The inserted library comes first, so it and the test bundle find the same state.
void vt_prepare_system(void) {
    vt_state *first = dlsym(RTLD_DEFAULT, "vt_process_state");
    if (first) vt_current = first;
}

// The processor time clocks stay real.
static bool virtual_time(clockid_t clock, uint64_t *result) {
    switch (clock) {
    case CLOCK_REALTIME: return vt_read_clock(true, result);
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_RAW_APPROX:
    case CLOCK_UPTIME_RAW:
    case CLOCK_UPTIME_RAW_APPROX: return vt_read_clock(false, result);
    default: return false;
    }
}

static int replace_clock_gettime(clockid_t clock, struct timespec *result) {
    uint64_t now;
    if (!virtual_time(clock, &now)) return clock_gettime(clock, result);
    *result = vt_timespec(now);
    return 0;
}
INTERPOSE(clock_gettime);

static uint64_t replace_clock_gettime_nsec_np(clockid_t clock) {
    uint64_t now;
    return virtual_time(clock, &now) ? now : clock_gettime_nsec_np(clock);
}
INTERPOSE(clock_gettime_nsec_np);

static int replace_gettimeofday(struct timeval *restrict result, void *restrict zone) {
    uint64_t now;
    if (!result || !vt_read_clock(true, &now)) return gettimeofday(result, zone);
    result->tv_sec = (time_t)(now / VT_SECOND);
    result->tv_usec = (suseconds_t)(now % VT_SECOND / 1000);
    return 0;
}
INTERPOSE(gettimeofday);

static time_t replace_time(time_t *result) {
    uint64_t now;
    if (!vt_read_clock(true, &now)) return time(result);
    if (result) *result = (time_t)(now / VT_SECOND);
    return (time_t)(now / VT_SECOND);
}
INTERPOSE(time);

// Ticks are 41 and two thirds nanoseconds on Apple's processors and 1 on Intel's.
static uint64_t ticks(uint64_t nanoseconds, uint64_t (*original)(void)) {
    mach_timebase_info_data_t base = {1, 1};
    if (mach_timebase_info(&base) != 0 || base.numer == 0) return original();
    return (uint64_t)((__uint128_t)nanoseconds * base.denom / base.numer);
}

#define REPLACE_TICKS(function) \
    static uint64_t replace_##function(void) { \
        uint64_t now; \
        return vt_read_clock(false, &now) ? ticks(now, function) : function(); \
    } \
    INTERPOSE(function)

REPLACE_TICKS(mach_absolute_time);
REPLACE_TICKS(mach_approximate_time);
REPLACE_TICKS(mach_continuous_time);
REPLACE_TICKS(mach_continuous_approximate_time);

static int replace_nanosleep(const struct timespec *request, struct timespec *rest) {
    if (request && vt_sleep(vt_nanoseconds(request))) return 0;
    return nanosleep(request, rest);
}
INTERPOSE(nanosleep);

static int replace_usleep(useconds_t length) { return vt_sleep((uint64_t)length * 1000) ? 0 : usleep(length); }
INTERPOSE(usleep);

static unsigned replace_sleep(unsigned seconds) { return vt_sleep(seconds * VT_SECOND) ? 0 : sleep(seconds); }
INTERPOSE(sleep);

static int replace_mach_wait_until(uint64_t deadline) {
    mach_timebase_info_data_t base = {1, 1};
    if (!vt_is_active() || mach_timebase_info(&base) != 0 || base.denom == 0) return mach_wait_until(deadline);
    uint64_t until = (uint64_t)((__uint128_t)deadline * base.numer / base.denom), now = vt_current->monotonic;
    return vt_sleep(until > now ? until - now : 0) ? 0 : mach_wait_until(deadline);
}
INTERPOSE(mach_wait_until);

static void replace_arc4random_buf(void *bytes, size_t count) {
    if (!vt_fill_random(bytes, count)) arc4random_buf(bytes, count);
}
INTERPOSE(arc4random_buf);

static uint32_t replace_arc4random(void) {
    uint32_t drawn;
    return vt_fill_random(&drawn, sizeof drawn) ? drawn : arc4random();
}
INTERPOSE(arc4random);

static int replace_getentropy(void *bytes, size_t count) {
    return vt_fill_random(bytes, count) ? 0 : getentropy(bytes, count);
}
INTERPOSE(getentropy);

#endif
