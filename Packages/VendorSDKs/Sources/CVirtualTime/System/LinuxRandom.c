// Linux: Swift's system generator gets its random bytes from the kernel. While virtual time is active on the calling
// thread they come from a seed, so an app's `Int.random` is the same in every run.
#if defined(__linux__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../Internal.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define REPLACEMENT __attribute__((visibility("default")))

typedef long syscall_function(long, ...);

static syscall_function *real_syscall;

REPLACEMENT ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    if (vt_fill_random(bytes, count)) return (ssize_t)count;
    return syscall(SYS_getrandom, bytes, count, flags);
}

REPLACEMENT int getentropy(void *bytes, size_t count) {
    return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1;
}

REPLACEMENT void arc4random_buf(void *bytes, size_t count) { (void)getrandom(bytes, count, 0); }

REPLACEMENT uint32_t arc4random(void) {
    uint32_t drawn = 0;
    arc4random_buf(&drawn, sizeof drawn);
    return drawn;
}

// The standard library makes this call directly, without a function of the C library for it.
REPLACEMENT long syscall(long number, ...) {
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index++) argument[index] = va_arg(list, long);
    va_end(list);
    if (number == SYS_getrandom && argument[0] != 0 && vt_fill_random((void *)argument[0], (size_t)argument[1])) {
        return argument[1];
    }
    if (!real_syscall) real_syscall = (syscall_function *)dlsym(RTLD_NEXT, "syscall");
    return real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

#endif
