// Linux: replaces the C library's clocks and sleeps. The dynamic linker looks a symbol up in the program before the
// libraries, so the calls of Foundation, libdispatch and Swift's concurrency come here too.
#if defined(__linux__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../Internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "CVirtualTime.h"

#define REPLACEMENT __attribute__((visibility("default")))

typedef int clock_gettime_function(clockid_t, struct timespec *);
typedef int clock_nanosleep_function(clockid_t, int, const struct timespec *, struct timespec *);

static __thread bool is_job_thread = false;
static clock_gettime_function *real_clock_gettime;
static clock_nanosleep_function *real_clock_nanosleep;

bool vt_is_job_thread(void) { return is_job_thread; }

void vt_prepare_system(void) {
    is_job_thread = true;
    real_clock_gettime = (clock_gettime_function *)dlsym(RTLD_NEXT, "clock_gettime");
    real_clock_nanosleep = (clock_nanosleep_function *)dlsym(RTLD_NEXT, "clock_nanosleep");
}

// Code before the constructor finds no function yet and calls the kernel.
static int real_clock(clockid_t clock, struct timespec *result) {
    if (real_clock_gettime) return real_clock_gettime(clock, result);
    return (int)syscall(SYS_clock_gettime, clock, result);
}

static int real_sleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *rest) {
    if (real_clock_nanosleep) return real_clock_nanosleep(clock, flags, request, rest);
    return syscall(SYS_clock_nanosleep, clock, flags, request, rest) == 0 ? 0 : errno;
}

// The processor time clocks stay real.
static bool virtual_time(clockid_t clock, uint64_t *result) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI: return vt_read_clock(true, result);
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME: return vt_read_clock(false, result);
    default: return false;
    }
}

REPLACEMENT int clock_gettime(clockid_t clock, struct timespec *result) {
    uint64_t now;
    if (!virtual_time(clock, &now)) return real_clock(clock, result);
    *result = vt_timespec(now);
    return 0;
}

REPLACEMENT int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int outcome = clock_gettime(CLOCK_REALTIME, &now);
    if (outcome == 0) {
        result->tv_sec = now.tv_sec;
        result->tv_usec = now.tv_nsec / 1000;
    }
    return outcome;
}

REPLACEMENT time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return (time_t)-1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

REPLACEMENT int clock_nanosleep(
    clockid_t clock, int flags, const struct timespec *request, struct timespec *rest) {
    if (vt_is_active()) {
        uint64_t length = vt_nanoseconds(request);
        if (flags & TIMER_ABSTIME) {
            uint64_t now = clock == CLOCK_REALTIME ? vt_current->wall : vt_current->monotonic;
            length = length > now ? length - now : 0;
        }
        if (vt_sleep(length)) return 0;
    }
    return real_sleep(clock, flags, request, rest);
}

REPLACEMENT int nanosleep(const struct timespec *request, struct timespec *rest) {
    int outcome = clock_nanosleep(CLOCK_REALTIME, 0, request, rest);
    if (outcome == 0) return 0;
    errno = outcome;
    return -1;
}

REPLACEMENT int usleep(useconds_t length) {
    struct timespec request = {.tv_sec = length / 1000000, .tv_nsec = (long)(length % 1000000) * 1000};
    return nanosleep(&request, NULL);
}

REPLACEMENT unsigned sleep(unsigned seconds) {
    struct timespec request = {.tv_sec = seconds, .tv_nsec = 0}, rest = {0, 0};
    return nanosleep(&request, &rest) == 0 ? 0 : (unsigned)rest.tv_sec;
}

#endif
