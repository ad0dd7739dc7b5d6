// ^R. libedit's own search reads the low byte of a character as a command, so that 不 ends it; hence this one.
//
// The query is in the prompt and the found line in the edit area, so that events, resizes and redraws need no code for
// a search.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { query_bytes_max = 1024, control_r = 0x12, control_s = 0x13, control_g = 0x07, control_c = 0x03, escape = 0x1b };

typedef struct {
    char query[query_bytes_max];
    size_t length;
    long position;
    bool failed;
} search;

static void show(cel_editor *editor, const search *state, const char *found) {
    char prompt[query_bytes_max + 64];
    snprintf(prompt, sizeof prompt, "(%s '%s') ", state->failed ? "nothing older holds" : "history", state->query);
    cel_erase(editor);
    cel_set_mode_prompt(editor, prompt);
    if (found != NULL) {
        cel_replace_line(editor->el, found);
    }
    cel_redraw(editor);
}

static void look(cel_editor *editor, search *state, long from, int step) {
    if (state->length == 0) {
        state->failed = false;
        show(editor, state, "");
        return;
    }
    long position = from;
    char *found = editor->callbacks.search(editor->callbacks.context, state->query, &position, step);
    state->failed = found == NULL;
    if (found != NULL) {
        state->position = position;
    }
    show(editor, state, found);
    free(found);
}

static void append(search *state, wchar_t c) {
    char bytes[MB_LEN_MAX + 16];
    mbstate_t conversion = {0};
    size_t count = wcrtomb(bytes, c, &conversion);
    if (count == (size_t)-1 || state->length + count + 1 > query_bytes_max) {
        return;
    }
    memcpy(state->query + state->length, bytes, count);
    state->length += count;
    state->query[state->length] = '\0';
}

static void remove_last(search *state) {
    while (state->length > 0 && (state->query[--state->length] & 0xc0) == 0x80) {
    }
    state->query[state->length] = '\0';
}

static void finish(cel_editor *editor, const char *line) {
    cel_erase(editor);
    cel_set_mode_prompt(editor, NULL);
    if (line != NULL) {
        cel_replace_line(editor->el, line);
    }
    cel_redraw(editor);
}

unsigned char cel_key_search(EditLine *el, int key) {
    (void)key;
    cel_editor *editor = cel_of(el);
    char *before = cel_line_text(el, NULL);
    if (editor->callbacks.search == NULL || before == NULL) {
        free(before);
        return CC_REFRESH_BEEP;
    }
    search state = {0};
    unsigned char result = CC_NORM;
    show(editor, &state, "");
    for (;;) {
        wchar_t c;
        if (el_wgetc(el, &c) != 1) {
            finish(editor, before);
            result = CC_EOF;
            break;
        }
        if (c == control_r) {
            look(editor, &state, state.position + 1, 1);
        } else if (c == control_s) {
            look(editor, &state, state.position - 1, -1);
        } else if (c == 0x7f || c == 0x08) {
            remove_last(&state);
            look(editor, &state, 0, 1);
        } else if (c == control_g || c == control_c) {
            finish(editor, before);
            break;
        } else if (c < 0x20 || c == cel_paste_key) {
            finish(editor, NULL);
            // A lone Escape only leaves the search; with more bytes after it (an arrow) it is a normal key. A key that
            // ends a search then acts on the found line.
            if (c != escape || editor->ahead_count > 0 || cel_input_within(editor, 25)) {
                cel_push_key(el, c);
            }
            break;
        } else {
            append(&state, c);
            look(editor, &state, state.failed ? state.position : 0, 1);
        }
    }
    free(before);
    return result;
}
