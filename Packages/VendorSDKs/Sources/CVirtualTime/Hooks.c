// The hooks of Swift's concurrency library: variables with a function that is called instead of its own. Runtimes before
// Swift 6.3, such as those of macOS before 26.4, have no other way to replace the executors. Swift 6.3 still passes new
// jobs to them, but not the sleeps of tasks.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CVirtualTime.h"
#include "Internal.h"

#include <dlfcn.h>

#define SWIFT_CALL __attribute__((swiftcall))

static void (*enqueue_job)(void *job, bool is_main, uint64_t delay);
static void (*run_loop)(void);
static SWIFT_CALL void (*get_time)(long long *seconds, long long *nanoseconds, int clock);

// The last arguments are the library's own functions, for hooks that call them.
static SWIFT_CALL void enqueue_global(void *job, void *original) {
    (void)original;
    enqueue_job(job, false, 0);
}

static SWIFT_CALL void enqueue_main(void *job, void *original) {
    (void)original;
    enqueue_job(job, true, 0);
}

static SWIFT_CALL void enqueue_with_delay(unsigned long long delay, void *job, void *original) {
    (void)original;
    enqueue_job(job, false, delay);
}

static SWIFT_CALL void enqueue_with_deadline(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock,
    void *job, void *original) {
    (void)tolerance_seconds, (void)tolerance_nanoseconds, (void)original;
    long long now_seconds = 0, now_nanoseconds = 0;
    get_time(&now_seconds, &now_nanoseconds, clock);
    long long delay = (seconds - now_seconds) * (long long)VT_SECOND + nanoseconds - now_nanoseconds;
    enqueue_job(job, false, delay > 0 ? (uint64_t)delay : 0);
}

// Must not return: it is called at the first suspension of an asynchronous `main`, whose end calls `exit`.
static SWIFT_CALL void drain_main_queue(void *original, void *override) {
    (void)original, (void)override;
    while (true) run_loop();
}

bool vt_install_hooks(void (*enqueue)(void *job, bool is_main, uint64_t delay), void (*run)(void)) {
    const struct {
        const char *name;
        void *hook;
    } hooks[] = {
        {"swift_task_enqueueGlobal_hook", (void *)enqueue_global},
        {"swift_task_enqueueMainExecutor_hook", (void *)enqueue_main},
        {"swift_task_enqueueGlobalWithDelay_hook", (void *)enqueue_with_delay},
        {"swift_task_enqueueGlobalWithDeadline_hook", (void *)enqueue_with_deadline},
        {"swift_task_asyncMainDrainQueue_hook", (void *)drain_main_queue},
    };
    enum { count = sizeof hooks / sizeof hooks[0] };
    void **variables[count];
    for (size_t index = 0; index < count; index++) {
        variables[index] = dlsym(RTLD_DEFAULT, hooks[index].name);
        if (variables[index] == NULL) return false;
    }
    get_time = (SWIFT_CALL void (*)(long long *, long long *, int))dlsym(RTLD_DEFAULT, "swift_get_time");
    if (get_time == NULL) return false;
    enqueue_job = enqueue;
    run_loop = run;
    for (size_t index = 0; index < count; index++) *variables[index] = hooks[index].hook;
    return true;
}

// The layout of a job, which is part of Swift's ABI: an object's head, two words of its executor's, then its flags, of
// which the lowest byte is its kind; 0 is a task.
bool vt_job_is_task(const void *job) {
    const struct {
        void *head[2], *executors[2];
        uint32_t flags;
    } *layout = job;
    return (layout->flags & 0xFF) == 0;
}
