#include "CVirtualTime.h"
#include "Internal.h"

#include <pthread.h>

// Defined in Swift, with the executors. The library of the clocks alone (VirtualClocks) has no executors.
__attribute__((weak)) void vt_install_executors(void) {}

// The executors can be chosen only once and before the first job, so before `main`.
__attribute__((constructor)) static void install(int argc, char **argv) {
    vt_prepare_system();
    vt_find_globals();
    if (!vt_is_for_xctest(argc, argv)) vt_install_executors();
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
    struct timespec deadline = vt_real_wall();
    deadline.tv_sec += nanoseconds / 1000000000;
    deadline.tv_nsec += nanoseconds % 1000000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec += 1;
        deadline.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&inbox_condition, &inbox_mutex, &deadline);
}
