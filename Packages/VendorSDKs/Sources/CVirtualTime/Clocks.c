// Replaces the C library's clocks and sleeps. The dynamic linker looks a symbol up in the program before the libraries,
// so the calls of Foundation, libdispatch and Swift's concurrency come here too. Each function first checks whether
// virtual time is active on the calling thread, and otherwise calls the original.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "CVirtualTime.h"
#include "Internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ull
// Far more than sane code reads the clock within one job, and few enough to be quick.
#define BUSY_READS 20000u

static __thread bool active = false;
static uint64_t wall_now, monotonic_now;
static uint32_t reads;
static void (*sleep_hook)(uint64_t);
static void (*busy_hook)(void);

void vt_set_time(uint64_t wall, uint64_t monotonic) {
    wall_now = wall;
    monotonic_now = monotonic;
}

void vt_set_active(bool value) { active = value; }
bool vt_is_active(void) { return active; }
void vt_set_sleep_hook(void (*hook)(uint64_t)) { sleep_hook = hook; }
void vt_set_busy_hook(void (*hook)(void)) { busy_hook = hook; }
void vt_begin_job(void) { reads = 0; }

#if defined(__linux__)

#include <sys/syscall.h>

typedef int clock_gettime_function(clockid_t, struct timespec *);
typedef int clock_nanosleep_function(clockid_t, int, const struct timespec *, struct timespec *);

static clock_gettime_function *real_clock_gettime;
static clock_nanosleep_function *real_clock_nanosleep;

void vt_find_real_functions(void) {
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

// The virtual time of a clock in nanoseconds. The processor time clocks stay real.
static bool virtual_time(clockid_t clock, uint64_t *result) {
    if (!active) return false;
    bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
    bool is_monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW
        || clock == CLOCK_BOOTTIME;
    if (!is_wall && !is_monotonic) return false;
    if (++reads > BUSY_READS && busy_hook) busy_hook();
    *result = is_wall ? wall_now : monotonic_now;
    return true;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *result) {
    uint64_t now;
    if (!virtual_time(clock, &now)) return real_clock(clock, result);
    result->tv_sec = (time_t)(now / SECOND);
    result->tv_nsec = (long)(now % SECOND);
    return 0;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int outcome = clock_gettime(CLOCK_REALTIME, &now);
    if (outcome == 0) {
        result->tv_sec = now.tv_sec;
        result->tv_usec = now.tv_nsec / 1000;
    }
    return outcome;
}

__attribute__((visibility("default"))) time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return (time_t)-1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

static uint64_t nanoseconds(const struct timespec *time) {
    return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

__attribute__((visibility("default"))) int clock_nanosleep(
    clockid_t clock, int flags, const struct timespec *request, struct timespec *rest) {
    if (!active || !sleep_hook) return real_sleep(clock, flags, request, rest);
    uint64_t length = nanoseconds(request);
    if (flags & TIMER_ABSTIME) {
        uint64_t now = clock == CLOCK_REALTIME ? wall_now : monotonic_now;
        length = length > now ? length - now : 0;
    }
    sleep_hook(length);
    return 0;
}

__attribute__((visibility("default"))) int nanosleep(const struct timespec *request, struct timespec *rest) {
    int outcome = clock_nanosleep(CLOCK_REALTIME, 0, request, rest);
    if (outcome == 0) return 0;
    errno = outcome;
    return -1;
}

__attribute__((visibility("default"))) int usleep(useconds_t length) {
    struct timespec request = {.tv_sec = length / 1000000, .tv_nsec = (long)(length % 1000000) * 1000};
    return nanosleep(&request, NULL);
}

__attribute__((visibility("default"))) unsigned sleep(unsigned seconds) {
    struct timespec request = {.tv_sec = seconds, .tv_nsec = 0}, rest = {0, 0};
    return nanosleep(&request, &rest) == 0 ? 0 : (unsigned)rest.tv_sec;
}

#else

// On Apple's systems a program cannot replace the system's functions: clocks stay real there.
static int real_clock(clockid_t clock, struct timespec *result) { return clock_gettime(clock, result); }
void vt_find_real_functions(void) {}

#endif

void vt_real_wall(struct timespec *result) { real_clock(CLOCK_REALTIME, result); }

uint64_t vt_real_monotonic(void) {
    struct timespec now;
    real_clock(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}
