// libedit's line being edited.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

cel_editor *cel_of(EditLine *el) {
    void *editor = NULL;
    el_get(el, EL_CLIENTDATA, &editor);
    return editor;
}

/// A copy of the line, and the cursor's offset in bytes.
char *cel_line_text(EditLine *el, size_t *cursor) {
    const LineInfo *line = el_line(el);
    if (cursor != NULL) {
        *cursor = (size_t)(line->cursor - line->buffer);
    }
    return strndup(line->buffer, (size_t)(line->lastchar - line->buffer));
}

/// Replaces the whole line and sets the cursor after it.
void cel_replace_line(EditLine *el, const char *text) {
    const LineInfoW *line = el_wline(el);
    el_cursor(el, (int)(line->lastchar - line->cursor));
    line = el_wline(el);
    el_deletestr(el, (int)(line->lastchar - line->buffer));
    if (text != NULL && *text != '\0') {
        el_insertstr(el, text);
    }
}

/// Makes a key the next one that libedit reads.
void cel_push_key(EditLine *el, wchar_t key) {
    char bytes[MB_LEN_MAX + 1];
    mbstate_t state = {0};
    size_t count = wcrtomb(bytes, key, &state);
    if (count != (size_t)-1) {
        bytes[count] = '\0';
        el_push(el, bytes);
    }
}
