// Bracketed paste, which libedit does not support: without it the first lines of a pasted text would run before the
// user has seen them.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { paste_bytes_max = 1 << 20, control_c = 0x03 };
static const char paste_end[] = "\033[201~";

/// The bytes up to the end of the paste, or NULL if the input ended. Bytes beyond the limit are read and dropped.
static char *collect_bytes(cel_editor *editor) {
    size_t length = 0, room = 4096;
    char *text = malloc(room);
    size_t end_length = sizeof paste_end - 1;
    char tail[sizeof paste_end] = {0};
    size_t tail_length = 0;
    while (text != NULL) {
        unsigned char byte;
        if (cel_next_byte(editor, &byte) == 0) {
            break;
        }
        if (tail_length == end_length) {
            memmove(tail, tail + 1, --tail_length);
        }
        tail[tail_length++] = (char)byte;
        if (length + 1 < paste_bytes_max) {
            if (length + 2 > room) {
                char *larger = realloc(text, room *= 2);
                if (larger == NULL) {
                    break;
                }
                text = larger;
            }
            text[length++] = byte == '\0' ? ' ' : (char)byte;
        }
        if (tail_length == end_length && memcmp(tail, paste_end, end_length) == 0) {
            if (length >= end_length && memcmp(text + length - end_length, paste_end, end_length) == 0) {
                length -= end_length;
            }
            text[length] = '\0';
            return text;
        }
    }
    free(text);
    return NULL;
}

static char *collect(cel_editor *editor) {
    editor->collecting = true;
    char *text = collect_bytes(editor);
    editor->collecting = false;
    return text;
}

static void skip_paste(cel_editor *editor) {
    free(collect(editor));
}

/// Waits for Enter or ^C. Any other key rings the bell.
static unsigned char ask(cel_editor *editor, const cel_paste *paste) {
    EditLine *el = editor->el;
    cel_erase(editor);
    cel_replace_line(el, NULL);
    if (paste->preview != NULL) {
        fputs(paste->preview, stdout);
    }
    cel_set_mode_prompt(editor, paste->question);
    cel_redraw(editor);
    for (;;) {
        wchar_t c;
        if (el_wgetc(el, &c) != 1) {
            return CC_EOF;
        }
        if (c == L'\r' || c == L'\n') {
            cel_erase(editor);
            fflush(stdout);
            editor->pasted = true;
            return CC_EOF;
        }
        if (c == control_c) {
            fputs("^C\n", stdout);
            fflush(stdout);
            editor->interrupted = true;
            return CC_EOF;
        }
        if (c == cel_paste_key) {
            skip_paste(editor);
        }
        el_beep(el);
    }
}

unsigned char cel_key_paste(EditLine *el, int key) {
    (void)key;
    cel_editor *editor = cel_of(el);
    char *text = collect(editor);
    size_t cursor;
    char *line = cel_line_text(el, &cursor);
    if (text == NULL || line == NULL) {
        free(text);
        free(line);
        return CC_EOF;
    }
    char *before = strndup(line, cursor);
    cel_paste paste = {0};
    if (before != NULL && editor->callbacks.paste != NULL) {
        paste = editor->callbacks.paste(editor->callbacks.context, before, text, line + cursor);
    }
    unsigned char result = CC_REFRESH;
    if (paste.insert != NULL) {
        el_insertstr(el, paste.insert);
    } else if (paste.question != NULL) {
        result = ask(editor, &paste);
    }
    free(paste.insert);
    free(paste.preview);
    free(paste.question);
    free(before);
    free(line);
    free(text);
    return result;
}
