#ifndef VT_INTERNAL_H
#define VT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define VT_SECOND 1000000000ull

/// The virtual clocks and random numbers of the process. Only the job thread uses them.
typedef struct {
    bool is_active;
    /// In nanoseconds.
    uint64_t wall, monotonic;
    /// The number of clock reads of the running job.
    uint32_t reads;
    uint64_t random;
    void (*sleep_hook)(uint64_t);
    void (*busy_hook)(void);
} vt_state;

/// The state in use. On Apple's systems several libraries of one process may contain this code; all use one state.
extern vt_state *vt_current;

/// Reads a virtual clock, in nanoseconds. Returns false if virtual time is not active on this thread.
bool vt_read_clock(bool is_wall, uint64_t *result);

/// Sleeps in virtual time. Returns false if virtual time is not active on this thread.
bool vt_sleep(uint64_t nanoseconds);

/// Fills a buffer with the bytes that follow from the seed. Returns false if virtual time is not active on this thread.
bool vt_fill_random(void *bytes, size_t count);

/// The real wall clock, even while virtual time is active.
struct timespec vt_real_wall(void);

static inline uint64_t vt_nanoseconds(const struct timespec *time) {
    return (uint64_t)time->tv_sec * VT_SECOND + (uint64_t)time->tv_nsec;
}

static inline struct timespec vt_timespec(uint64_t nanoseconds) {
    return (struct timespec){
        .tv_sec = (time_t)(nanoseconds / VT_SECOND), .tv_nsec = (long)(nanoseconds % VT_SECOND)};
}

// The folder System has these for each system.

/// Called before `main`, on the job thread.
void vt_prepare_system(void);

/// True in a process that XCTest runs in its own run loop, where our executors would never run.
bool vt_is_for_xctest(int argc, char **argv);

/// Finds the variables of an app's modules; called before `main`, when all of them have their initial values.
void vt_find_globals(void);
void vt_add_global(uintptr_t address, size_t size);

#endif
