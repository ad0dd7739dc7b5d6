// The editor's own keys, and the usual ones of an emacs-like line.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

// MARK: Own keys

static unsigned char key_complete(EditLine *el, int key) {
    (void)key;
    cel_editor *editor = cel_of(el);
    size_t cursor;
    char *text = cel_line_text(el, &cursor);
    if (text == NULL || editor->callbacks.complete == NULL) {
        free(text);
        return CC_REFRESH_BEEP;
    }
    cel_completion completion = editor->callbacks.complete(editor->callbacks.context, text, cursor);
    free(text);
    bool idle = completion.delete_count == 0 && completion.insert == NULL && completion.listing == NULL;
    // The list first, because erasing the edit area needs the line as it is on the screen.
    if (completion.listing != NULL) {
        cel_show_above(editor, completion.listing);
    }
    if (completion.delete_count > 0 && completion.delete_count < INT_MAX) {
        el_deletestr(el, (int)completion.delete_count);
    }
    if (completion.insert != NULL) {
        el_insertstr(el, completion.insert);
    }
    free(completion.insert);
    free(completion.listing);
    return idle ? CC_REFRESH_BEEP : CC_REFRESH;
}

/// Leaves the line on the screen followed by ^C, and ends the read.
static unsigned char drop_line(cel_editor *editor) {
    EditLine *el = editor->el;
    cel_move_to_end(editor);
    fputs("^C\n", stdout);
    cel_replace_line(el, NULL);
    editor->interrupted = true;
    return CC_EOF;
}

static unsigned char key_interrupt(EditLine *el, int key) {
    (void)key;
    return drop_line(cel_of(el));
}

static unsigned char key_suspend(EditLine *el, int key) {
    (void)key;
    cel_editor *editor = cel_of(el);
    // The line stays on the screen; the shell that takes over starts on a new row.
    cel_move_to_end(editor);
    fputs("\n", stdout);
    fflush(stdout);
    el_set(el, EL_PREP_TERM, 0);
    cel_terminal_editing(false);
    cel_take_continued();
    kill(0, SIGTSTP);
    // Another thread may receive the signal, so this one can get here before the process stops. Without job control
    // nothing stops it, hence the limit; no time passes while the process is stopped.
    struct pollfd woken = {editor->wake[0], POLLIN, 0};
    for (int tries = 0; tries < 20 && !cel_take_continued(); tries++) {
        poll(&woken, 1, 10);
    }
    el_set(el, EL_PREP_TERM, 1);
    cel_terminal_editing(true);
    el_resize(el);
    cel_redraw(editor);
    return CC_NORM;
}

/// → and ^F: accepts the hint at the end of the line, otherwise moves.
static unsigned char key_forward(EditLine *el, int key) {
    (void)key;
    cel_editor *editor = cel_of(el);
    const LineInfoW *line = el_wline(el);
    if (line->cursor < line->lastchar) {
        el_cursor(el, 1);
        return CC_REFRESH;
    }
    if (editor->hint == NULL) {
        return CC_REFRESH_BEEP;
    }
    el_insertstr(el, editor->hint);
    free(editor->hint);
    editor->hint = NULL;
    return CC_REFRESH;
}

/// ^E: the same with a move to the end of the line.
static unsigned char key_end(EditLine *el, int key) {
    const LineInfoW *line = el_wline(el);
    if (line->cursor < line->lastchar) {
        el_cursor(el, (int)(line->lastchar - line->cursor));
        return CC_REFRESH;
    }
    return cel_of(el)->hint != NULL ? key_forward(el, key) : CC_REFRESH;
}

// MARK: Binding

static const struct {
    const char *name;
    const char *help;
    unsigned char (*function)(EditLine *, int);
} functions[] = {
    {"imrepl-complete", "Complete the word or list what fits", key_complete},
    {"imrepl-interrupt", "Drop the line", key_interrupt},
    {"imrepl-suspend", "Stop the process until fg", key_suspend},
    {"imrepl-forward", "Take the hint or move right", key_forward},
    {"imrepl-end", "Take the hint or move to the end", key_end},
    {"imrepl-search", "Search the history", cel_key_search},
    {"imrepl-paste", "Take pasted text", cel_key_paste},
};

/// Before the user's .editrc: the keys that it may change.
void cel_bind_defaults(EditLine *el) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        el_set(el, EL_ADDFN, functions[i].name, functions[i].help, functions[i].function);
    }
    // libedit starts as vi.
    el_set(el, EL_EDITOR, "emacs");
    static const char *const bindings[][2] = {
        {"^W", "ed-delete-prev-word"},
        {"\\e[1;5C", "em-next-word"},
        {"\\e[1;5D", "ed-prev-word"},
        {"\\e[3~", "ed-delete-next-char"},
        {"\\e[H", "ed-move-to-beg"},
        {"\\e[1~", "ed-move-to-beg"},
        {"\\eOH", "ed-move-to-beg"},
        {"\\e[F", "imrepl-end"},
        {"\\e[4~", "imrepl-end"},
        {"\\eOF", "imrepl-end"},
        {"\\e[C", "imrepl-forward"},
        {"\\eOC", "imrepl-forward"},
        {"^F", "imrepl-forward"},
        {"^E", "imrepl-end"},
        {"\\ep", "ed-search-prev-history"},
        {"\\en", "ed-search-next-history"},
    };
    for (size_t i = 0; i < sizeof bindings / sizeof bindings[0]; i++) {
        el_set(el, EL_BIND, bindings[i][0], bindings[i][1], NULL);
    }
}

/// After it: `bind -e` and `bind -v` reset the whole map, and the shell needs these keys.
void cel_bind_keys(EditLine *el) {
    static const char *const bindings[][2] = {
        {"^I", "imrepl-complete"}, {"^C", "imrepl-interrupt"}, {"^Z", "imrepl-suspend"},
        {"^R", "imrepl-search"},   {"\\237", "imrepl-paste"},
    };
    for (size_t i = 0; i < sizeof bindings / sizeof bindings[0]; i++) {
        el_set(el, EL_BIND, bindings[i][0], bindings[i][1], NULL);
        el_set(el, EL_BIND, "-a", bindings[i][0], bindings[i][1], NULL);
    }
}
