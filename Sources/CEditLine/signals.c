// The signals that affect a line being edited. A handler only stores the signal and wakes the reader, which may be
// another thread than the one that received the signal.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t resized;
static volatile sig_atomic_t continued;
static volatile sig_atomic_t wake_descriptor = -1;

static const int noted[] = {SIGWINCH, SIGCONT};
/// These signals end the process. The terminal is restored first; then the signal has its previous effect.
static const int fatal[] = {SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
enum { noted_count = sizeof noted / sizeof noted[0], fatal_count = sizeof fatal / sizeof fatal[0] };
static struct sigaction noted_before[noted_count];
static struct sigaction fatal_before[fatal_count];
static bool fatal_taken[fatal_count];

static void on_noted(int signal_number) {
    int saved = errno;
    if (signal_number == SIGWINCH) {
        resized = 1;
    } else {
        continued = 1;
    }
    if (wake_descriptor >= 0) {
        ssize_t ignored = write(wake_descriptor, "s", 1);
        (void)ignored;
    }
    errno = saved;
}

static void on_fatal(int signal_number) {
    cel_restore_terminal();
    for (int i = 0; i < fatal_count; i++) {
        if (fatal[i] == signal_number) {
            sigaction(signal_number, &fatal_before[i], NULL);
        }
    }
    // Blocked while this handler runs, so it is delivered on return, to the previous handler.
    raise(signal_number);
}

void cel_signals_open(int descriptor) {
    wake_descriptor = descriptor;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_flags = SA_RESTART;
    action.sa_handler = on_noted;
    for (int i = 0; i < noted_count; i++) {
        sigaction(noted[i], &action, &noted_before[i]);
    }
    // All signals are blocked meanwhile, SIGTTOU too, so that the terminal is restored even from the background.
    sigfillset(&action.sa_mask);
    action.sa_handler = on_fatal;
    action.sa_flags = SA_ONSTACK;
    for (int i = 0; i < fatal_count; i++) {
        sigaction(fatal[i], NULL, &fatal_before[i]);
        // An ignored signal stays ignored (nohup), and one with a handler keeps its handler. Only crash signals are
        // chained, because their handlers (a backtrace) come from the runtime and do not restore terminals.
        bool crash = fatal[i] != SIGTERM && fatal[i] != SIGHUP && fatal[i] != SIGQUIT;
        fatal_taken[i] = fatal_before[i].sa_handler == SIG_DFL || (crash && fatal_before[i].sa_handler != SIG_IGN);
        if (fatal_taken[i]) {
            sigaction(fatal[i], &action, NULL);
        }
    }
}

void cel_signals_close(void) {
    for (int i = 0; i < noted_count; i++) {
        sigaction(noted[i], &noted_before[i], NULL);
    }
    for (int i = 0; i < fatal_count; i++) {
        struct sigaction now;
        // Keeps a handler that was installed after ours.
        if (fatal_taken[i] && sigaction(fatal[i], NULL, &now) == 0 && now.sa_handler == on_fatal) {
            sigaction(fatal[i], &fatal_before[i], NULL);
        }
        fatal_taken[i] = false;
    }
    wake_descriptor = -1;
}

bool cel_take_resized(void) {
    bool was = resized;
    resized = 0;
    return was;
}

bool cel_take_continued(void) {
    bool was = continued;
    continued = 0;
    return was;
}
