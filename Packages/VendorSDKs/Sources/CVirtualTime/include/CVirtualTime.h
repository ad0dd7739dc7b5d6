#ifndef C_VIRTUAL_TIME_H
#define C_VIRTUAL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the calling thread is the one that runs jobs (the main thread).
bool vt_is_job_thread(void);

/// Sets what the clocks show on the job thread while virtual time is active there, in nanoseconds.
void vt_set_time(uint64_t wall, uint64_t monotonic);

/// From here on the clocks and sleeps of the job thread are virtual, or real again. Others' are never touched.
void vt_set_active(bool active);
bool vt_is_active(void);

/// Called in the place of a sleep on the job thread while virtual time is active.
void vt_set_sleep_hook(void (*hook)(uint64_t nanoseconds));

/// Called when one job has read the clock very often: it probably waits for time to pass.
void vt_set_busy_hook(void (*hook)(void));

/// Forgets how often the clock was read; called before each job.
void vt_begin_job(void);

/// Begins the row of what the system's random generator gives on the job thread while virtual time is active.
void vt_seed_random(uint64_t seed);

/// The machine's own clock, whatever is active.
uint64_t vt_real_monotonic(void);

/// The lock of what other threads hand in, and the job thread's waiting for it. A negative `nanoseconds` waits for ever.
void vt_inbox_lock(void);
void vt_inbox_unlock(void);
void vt_inbox_signal(void);
void vt_inbox_wait(int64_t nanoseconds);

/// The memory of a global or static variable of an app's module, or of its initialization token.
typedef struct {
    void *address;
    size_t size;
} vt_global;

/// The variables that each simulated process has for itself. They have their first values until `main` begins.
size_t vt_global_count(void);
vt_global vt_global_at(size_t index);

#endif
