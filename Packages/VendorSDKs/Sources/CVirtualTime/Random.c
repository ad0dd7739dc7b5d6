// Swift's system generator gets its random bytes from the kernel. While virtual time is active on the calling thread
// they come from a seed, so an app's `Int.random` is the same in every run.
#if defined(__linux__)

#define _GNU_SOURCE
#include "CVirtualTime.h"
#include "Internal.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

typedef long syscall_function(long, ...);

static uint64_t state;
static syscall_function *real_syscall;

void vt_seed_random(uint64_t seed) { state = seed; }

// SplitMix64, the same as in VirtualTime.
static uint64_t draw(void) {
    uint64_t mixed = (state += 0x9E3779B97F4A7C15ull);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
    return mixed ^ (mixed >> 31);
}

static void fill(unsigned char *bytes, size_t count) {
    while (count > 0) {
        uint64_t drawn = draw();
        size_t part = count < sizeof drawn ? count : sizeof drawn;
        memcpy(bytes, &drawn, part);
        bytes += part;
        count -= part;
    }
}

__attribute__((visibility("default"))) ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    if (!vt_is_active()) return syscall(SYS_getrandom, bytes, count, flags);
    fill(bytes, count);
    return (ssize_t)count;
}

__attribute__((visibility("default"))) int getentropy(void *bytes, size_t count) {
    return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1;
}

__attribute__((visibility("default"))) void arc4random_buf(void *bytes, size_t count) {
    (void)getrandom(bytes, count, 0);
}

__attribute__((visibility("default"))) uint32_t arc4random(void) {
    uint32_t drawn = 0;
    arc4random_buf(&drawn, sizeof drawn);
    return drawn;
}

// The standard library makes this call directly, without a function of the C library for it.
__attribute__((visibility("default"))) long syscall(long number, ...) {
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index++) argument[index] = va_arg(list, long);
    va_end(list);
    if (number == SYS_getrandom && vt_is_active() && argument[0] != 0) {
        fill((unsigned char *)argument[0], (size_t)argument[1]);
        return argument[1];
    }
    if (!real_syscall) real_syscall = (syscall_function *)dlsym(RTLD_NEXT, "syscall");
    return real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

#else

#include "CVirtualTime.h"

void vt_seed_random(uint64_t seed) { (void)seed; }

#endif
