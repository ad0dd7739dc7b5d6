// The reader under libedit: waits for a key, an event to print, a new window size, or the end, whichever comes first.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Prints all pending events at once, with one redraw.
static void print_events(cel_editor *editor) {
    char *text = editor->callbacks.take_events(editor->callbacks.context);
    if (text != NULL) {
        cel_show_above(editor, text);
        free(text);
    }
}

static void handle_signals(cel_editor *editor) {
    if (cel_take_continued()) {
        // Another program owned the terminal in the meantime: take it again, and start on the cursor's present row.
        el_set(editor->el, EL_PREP_TERM, 1);
        cel_terminal_editing(true);
        editor->hint_columns = 0;
        el_resize(editor->el);
        cel_redraw(editor);
    }
    if (cel_take_resized()) {
        el_resize(editor->el);
        cel_erase(editor);
        cel_redraw(editor);
    }
}

/// Waits until a byte can be read. False at the end of the input, or if the read is stopped.
static bool wait_for_input(cel_editor *editor) {
    struct pollfd descriptors[2] = {{STDIN_FILENO, POLLIN, 0}, {editor->wake[0], POLLIN, 0}};
    for (;;) {
        if (atomic_load(&editor->stopping)) {
            return false;
        }
        if (editor->ahead_count > 0 || editor->typed_count > 0) {
            return true;
        }
        handle_signals(editor);
        int ready = poll(descriptors, 2, 0);
        if (ready == 0) {
            // Only when the user pauses, so that fast typing and pastes are never slowed down.
            if (!editor->collecting) {
                cel_heal(editor);
                cel_show_hint(editor);
            }
            ready = poll(descriptors, 2, -1);
        }
        if (ready < 0) {
            if (errno == EINTR || errno == EAGAIN) {
                continue;
            }
            return false;
        }
        if (descriptors[0].revents != 0) {
            return true;
        }
        if (descriptors[1].revents != 0) {
            cel_drain_wake(editor);
            print_events(editor);
        }
    }
}

/// One byte of input; 1, or 0 at the end.
int cel_next_byte(cel_editor *editor, unsigned char *byte) {
    for (;;) {
        if (!wait_for_input(editor)) {
            return 0;
        }
        if (editor->ahead_count > 0) {
            *byte = editor->ahead[0];
            memmove(editor->ahead, editor->ahead + 1, (size_t)--editor->ahead_count);
            return 1;
        }
        ssize_t count = cel_take_byte(editor, byte);
        if (count == 1) {
            return 1;
        }
        // EAGAIN: another program made the shared terminal non-blocking.
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        return 0;
    }
}

bool cel_input_within(cel_editor *editor, int milliseconds) {
    if (editor->typed_count > 0) {
        return true;
    }
    struct pollfd descriptor = {STDIN_FILENO, POLLIN, 0};
    return poll(&descriptor, 1, milliseconds) > 0;
}

/// After an Escape: true if `[200~` follows, which is then consumed; otherwise all bytes are kept. The bytes of one key
/// arrive together, or nearly so.
static bool take_paste_start(cel_editor *editor) {
    static const char rest[] = "[200~";
    while (editor->ahead_count < (int)sizeof rest - 1) {
        if (!cel_input_within(editor, 25) || cel_take_byte(editor, &editor->ahead[editor->ahead_count]) != 1) {
            return false;
        }
        editor->ahead_count++;
        if (editor->ahead[editor->ahead_count - 1] != (unsigned char)rest[editor->ahead_count - 1]) {
            return false;
        }
    }
    editor->ahead_count = 0;
    return true;
}

static int continuation_count(unsigned char lead) {
    if (lead < 0x80) return 0;
    if (lead >= 0xc2 && lead <= 0xdf) return 1;
    if (lead >= 0xe0 && lead <= 0xef) return 2;
    if (lead >= 0xf0 && lead <= 0xf4) return 3;
    return -1;
}

/// libedit's EL_GETCFN: reads one whole character. Invalid UTF-8 is dropped, because a line must never contain it.
int cel_read_char(EditLine *el, wchar_t *out) {
    cel_editor *editor = cel_of(el);
    for (;;) {
        unsigned char byte;
        if (cel_next_byte(editor, &byte) == 0) {
            return 0;
        }
        cel_clear_hint(editor);
        editor->touched = true;
        if (byte == 0x1b && editor->ahead_count == 0 && take_paste_start(editor)) {
            *out = cel_paste_key;
            return 1;
        }
        int more = continuation_count(byte);
        if (more < 0) {
            continue;
        }
        unsigned long scalar = more == 0 ? byte : (unsigned long)(byte & (0x3f >> more));
        int left = more;
        for (; left > 0; left--) {
            if (cel_next_byte(editor, &byte) == 0) {
                return 0;
            }
            if ((byte & 0xc0) != 0x80) {
                break;
            }
            scalar = scalar << 6 | (byte & 0x3f);
        }
        bool overlong = (more == 2 && scalar < 0x800) || (more == 3 && scalar < 0x10000);
        bool surrogate = scalar >= 0xd800 && scalar <= 0xdfff;
        bool typed_paste_key = scalar == cel_paste_key;
        if (left > 0 || overlong || surrogate || typed_paste_key || scalar > 0x10ffff) {
            continue;
        }
        *out = (wchar_t)scalar;
        return 1;
    }
}
