#ifndef C_VIRTUAL_TIME_H
#define C_VIRTUAL_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// True if the calling thread is the one that runs jobs (the main thread).
bool vt_is_job_thread(void);

/// Sets the clocks of the job thread while virtual time is active there, in nanoseconds.
void vt_set_time(uint64_t wall, uint64_t monotonic);

/// Makes the clocks and sleeps of the job thread virtual, or real again. Only the job thread calls it; the clocks of
/// other threads are never changed.
void vt_set_active(bool active);
bool vt_is_active(void);

/// True if the system's clocks show virtual time while it is active. False on other threads, and on Apple's systems if
/// the library of the clocks was not inserted at launch.
bool vt_clocks_are_virtual(void);

/// Sets a hook that is called instead of a sleep on the job thread while virtual time is active.
void vt_set_sleep_hook(void (*hook)(uint64_t nanoseconds));

/// Sets a hook that is called when one job has read the clock very often: it probably waits for time to pass.
void vt_set_busy_hook(void (*hook)(void));

/// Resets the count of clock reads; called before each job.
void vt_begin_job(void);

/// Seeds the random bytes that the system returns on the job thread while virtual time is active.
void vt_seed_random(uint64_t seed);

/// The machine's real clock, even while virtual time is active.
uint64_t vt_real_monotonic(void);

/// The lock of the inbox for other threads, and the job thread's wait for it. A negative `nanoseconds` waits for ever.
void vt_inbox_lock(void);
void vt_inbox_unlock(void);
void vt_inbox_signal(void);
void vt_inbox_wait(int64_t nanoseconds);

/// Passes all jobs of Swift's concurrency to `enqueue`, and the main thread of an asynchronous `main` to `run`, by the
/// hooks that runtimes before Swift 6.3 call. Returns false and changes nothing if a hook is missing.
bool vt_install_hooks(void (*enqueue)(void *job, bool is_main, uint64_t delay), void (*run)(void));

/// True if the job of Swift's concurrency belongs to a task. False for a job of the runtime itself.
bool vt_job_is_task(const void *job);

/// The memory of a global or static variable of an app's module, or of its initialization token.
typedef struct {
    void *address;
    size_t size;
} vt_global;

/// The variables that each simulated process has for itself. They have their initial values until `main` begins.
size_t vt_global_count(void);
vt_global vt_global_at(size_t index);

#endif
