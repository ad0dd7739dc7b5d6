// The terminal: its abilities, its encoding, its modes, and reading without echo.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios found;
static volatile sig_atomic_t found_known;
/// The terminal is in an editor's modes and must be restored.
static volatile sig_atomic_t changed;

static const char paste_on[] = "\033[?2004h";
static const char paste_off[] = "\033[?2004l";

bool cel_terminal_usable(void) {
    const char *term = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
}

static bool is_utf8(void) {
    const char *codeset = nl_langinfo(CODESET);
    return strcmp(codeset, "UTF-8") == 0 || strcmp(codeset, "utf8") == 0;
}

bool cel_use_utf8(void) {
    // In any other encoding libedit silently drops characters outside ASCII.
    static const char *const names[] = {"", "C.UTF-8", "en_US.UTF-8", "UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_CTYPE, names[i]) != NULL && is_utf8()) {
            return true;
        }
    }
    return false;
}

void cel_write(const char *text) {
    fputs(text, stdout);
    fflush(stdout);
}

void cel_terminal_save(void) {
    static bool registered;
    found_known = tcgetattr(STDIN_FILENO, &found) == 0;
    if (!registered) {
        registered = true;
        atexit(cel_restore_terminal);
    }
}

void cel_terminal_editing(bool editing) {
    changed = editing;
    fputs(editing ? paste_on : paste_off, stdout);
    fflush(stdout);
}

void cel_restore_terminal(void) {
    if (!changed) {
        return;
    }
    changed = 0;
    int saved = errno;
    ssize_t ignored = write(STDOUT_FILENO, paste_off, sizeof paste_off - 1);
    (void)ignored;
    if (found_known) {
        tcsetattr(STDIN_FILENO, TCSANOW, &found);
    }
    errno = saved;
}

// MARK: Typed-ahead input

/// Returns a byte that was typed between reads, or the terminal's next one; the result is that of read().
ssize_t cel_take_byte(cel_editor *editor, unsigned char *byte) {
    if (editor == NULL || editor->typed_count == 0) {
        return read(STDIN_FILENO, byte, 1);
    }
    *byte = editor->typed[0];
    memmove(editor->typed, editor->typed + 1, --editor->typed_count);
    return 1;
}

/// Call it when a line has ended and the terminal generates signals again. A ^C typed before that came as a byte, which
/// would otherwise not be read before the command that it should stop has ended.
void cel_keep_typed(cel_editor *editor) {
    struct pollfd descriptor = {STDIN_FILENO, POLLIN, 0};
    while (editor->typed_count < sizeof editor->typed && poll(&descriptor, 1, 0) > 0) {
        unsigned char byte;
        if (read(STDIN_FILENO, &byte, 1) != 1) {
            return;
        }
        if (byte == 0x03) {
            // As if the terminal had generated the signal, the text typed before it is dropped.
            editor->typed_count = 0;
            kill(getpid(), SIGINT);
        } else {
            editor->typed[editor->typed_count++] = byte;
        }
    }
}

// MARK: Secrets

enum { secret_bytes_max = 64 * 1024 };

/// Overwrites before freeing; volatile, so that the compiler cannot leave it out.
void cel_free_secret(char *secret) {
    if (secret != NULL) {
        for (volatile char *c = secret; *c != '\0'; c++) {
            *c = 'x';
        }
        free(secret);
    }
}

/// The next byte. Prints the editor's events while it waits.
static bool secret_byte(cel_editor *editor, const char *prompt, unsigned char *byte) {
    struct pollfd descriptors[2] = {{STDIN_FILENO, POLLIN, 0}, {editor != NULL ? editor->wake[0] : -1, POLLIN, 0}};
    for (;;) {
        if (editor != NULL && atomic_load(&editor->stopping)) {
            return false;
        }
        if (editor != NULL && editor->typed_count > 0) {
            return cel_take_byte(editor, byte) == 1;
        }
        if (poll(descriptors, 2, -1) < 0) {
            if (errno == EINTR || errno == EAGAIN) {
                continue;
            }
            return false;
        }
        if (descriptors[0].revents != 0) {
            ssize_t count = read(STDIN_FILENO, byte, 1);
            if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
                continue;
            }
            return count == 1;
        }
        if (descriptors[1].revents != 0) {
            cel_drain_wake(editor);
            char *text = editor->callbacks.take_events(editor->callbacks.context);
            if (text != NULL) {
                fprintf(stdout, "\r\033[K%s%s", text, prompt);
                fflush(stdout);
                free(text);
            }
        }
    }
}

int cel_read_secret(cel_editor *editor, const char *prompt, char **secret) {
    *secret = NULL;
    // One allocation of the maximum size, because growing would leave copies behind.
    char *text = calloc(secret_bytes_max, 1);
    struct termios before, quiet;
    if (text == NULL || tcgetattr(STDIN_FILENO, &before) != 0) {
        free(text);
        return 0;
    }
    if (editor == NULL) {
        cel_terminal_save();
    }
    quiet = before;
    // No ISIG: ^C cancels the question, not the process. No ICANON: otherwise the kernel would keep the typed text.
    quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
    quiet.c_cc[VMIN] = 1;
    quiet.c_cc[VTIME] = 0;
    changed = 1;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
    fputs(prompt, stdout);
    fflush(stdout);
    size_t length = 0;
    bool given = false, going = true;
    while (going) {
        unsigned char byte;
        if (!secret_byte(editor, prompt, &byte)) {
            break;
        }
        switch (byte) {
        case '\r': case '\n': given = true; going = false; break;
        case 0x03: going = false; break;
        case 0x04: going = length > 0; break;
        case 0x15: length = 0; break;
        case 0x7f: case 0x08:
            while (length > 0 && (text[--length] & 0xc0) == 0x80) {
            }
            break;
        default:
            if (byte >= 0x20 && length + 1 < secret_bytes_max) {
                text[length++] = (char)byte;
            }
        }
        memset(text + length, 0, secret_bytes_max - length);
    }
    fputs("\n", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    changed = 0;
    if (!given) {
        cel_free_secret(text);
        return 0;
    }
    *secret = text;
    return 1;
}
