#include "CVirtualTime.h"
#include "Internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Defined in Swift, with the executors.
extern void vt_install_executors(void);

static __thread bool is_job_thread = false;

bool vt_is_job_thread(void) { return is_job_thread; }

// XCTest waits in its own run loop and not in Swift's main executor, so our executors would never run. So time stays
// real in the process that `swift test` starts for XCTest alone.
static bool is_for_xctest(int argc, char **argv) {
    if (argc < 1 || argv == NULL || argv[0] == NULL) return false;
    size_t length = strlen(argv[0]);
    if (length < 7 || strcmp(argv[0] + length - 7, ".xctest") != 0) return false;
    for (int index = 1; index < argc; index++) {
        if (strcmp(argv[index], "swift-testing") == 0) return false;
        if (strcmp(argv[index], "--testing-library=swift-testing") == 0) return false;
    }
    return true;
}

// The executors can be chosen only once and before the first job, so before `main`.
__attribute__((constructor)) static void install(int argc, char **argv) {
    is_job_thread = true;
    vt_find_real_functions();
    vt_find_globals();
    if (!is_for_xctest(argc, argv)) vt_install_executors();
}

static pthread_mutex_t inbox_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t inbox_condition = PTHREAD_COND_INITIALIZER;

void vt_inbox_lock(void) { pthread_mutex_lock(&inbox_mutex); }
void vt_inbox_unlock(void) { pthread_mutex_unlock(&inbox_mutex); }
void vt_inbox_signal(void) { pthread_cond_signal(&inbox_condition); }

void vt_inbox_wait(int64_t nanoseconds) {
    if (nanoseconds < 0) {
        pthread_cond_wait(&inbox_condition, &inbox_mutex);
        return;
    }
    struct timespec deadline;
    vt_real_wall(&deadline);
    deadline.tv_sec += nanoseconds / 1000000000;
    deadline.tv_nsec += nanoseconds % 1000000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec += 1;
        deadline.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&inbox_condition, &inbox_mutex, &deadline);
}
