// Opens the editor, reads a line, closes the editor.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// More lines than a user recalls with the arrow keys.
enum { history_lines_max = 10000 };

static atomic_bool open_already;

static char *prompt_text(EditLine *el) {
    // libedit only reads it, but declares char *.
    return (char *)cel_shown_prompt(cel_of(el));
}

static char *right_text(EditLine *el) {
    cel_editor *editor = cel_of(el);
    return editor->mode_prompt == NULL && editor->right != NULL ? editor->right : (char *)"";
}

static bool make_wake_pipe(int wake[2]) {
    if (pipe(wake) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        // Non-blocking, so that a full pipe (which also wakes the reader) never blocks the posting thread.
        fcntl(wake[i], F_SETFL, fcntl(wake[i], F_GETFL) | O_NONBLOCK);
        fcntl(wake[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

/// Removes libedit's capabilities to insert and delete characters, because it uses them wrongly in wrapped lines.
static void forget_insertion(EditLine *el) {
    static const char *const capabilities[] = {"im", "ic", "IC", "ei", "dm", "dc", "DC", "ed", "ip"};
    for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++) {
        el_set(el, EL_SETTC, capabilities[i], "", NULL);
    }
}

static void set_up(cel_editor *editor, EditLine *el) {
    HistEvent event;
    history(editor->history, &event, H_SETSIZE, history_lines_max);
    history(editor->history, &event, H_SETUNIQUE, 1);
    el_set(el, EL_CLIENTDATA, editor);
    el_set(el, EL_SIGNAL, 0);
    el_set(el, EL_PROMPT_ESC, prompt_text, '\1');
    el_set(el, EL_RPROMPT_ESC, right_text, '\1');
    el_set(el, EL_HIST, history, editor->history);
    cel_bind_defaults(el);
    el_source(el, NULL);
    cel_bind_keys(el);
    forget_insertion(el);
    // ^C and ^Z are keys while a line is edited, and signals at all other times.
    el_set(el, EL_SETTY, "-d", "-isig", NULL);
    el_wset(el, EL_GETCFN, cel_read_char);
}

static void release(cel_editor *editor) {
    if (editor->el != NULL) {
        // Otherwise el_end drops the typed-ahead text.
        el_set(editor->el, EL_EDITMODE, 0);
        el_end(editor->el);
    }
    if (editor->history != NULL) {
        history_end(editor->history);
    }
    if (editor->wake[0] >= 0) {
        close(editor->wake[0]);
        close(editor->wake[1]);
    }
    free(editor->prompt);
    free(editor->right);
    free(editor->mode_prompt);
    free(editor->hint);
    free(editor);
    atomic_store(&open_already, false);
}

cel_editor *cel_open(const char *program, cel_callbacks callbacks, bool colour, cel_open_result *why) {
    if (!cel_terminal_usable()) {
        *why = cel_open_no_terminal;
        return NULL;
    }
    if (atomic_exchange(&open_already, true)) {
        *why = cel_open_busy;
        return NULL;
    }
    *why = cel_open_failed;
    cel_editor *editor = calloc(1, sizeof *editor);
    if (editor == NULL) {
        atomic_store(&open_already, false);
        return NULL;
    }
    editor->callbacks = callbacks;
    editor->colour = colour;
    editor->wake[0] = editor->wake[1] = -1;
    cel_use_utf8();
    cel_terminal_save();
    editor->history = history_init();
    if (editor->history != NULL && make_wake_pipe(editor->wake)) {
        editor->el = el_init(program, stdin, stdout, stderr);
    }
    if (editor->el == NULL) {
        release(editor);
        return NULL;
    }
    set_up(editor, editor->el);
    int editing = 0;
    el_get(editor->el, EL_EDITMODE, &editing);
    if (!editing) {
        *why = cel_open_edit_off;
        release(editor);
        return NULL;
    }
    cel_signals_open(editor->wake[1]);
    *why = cel_open_ok;
    return editor;
}

void cel_close(cel_editor *editor) {
    cel_signals_close();
    release(editor);
    cel_restore_terminal();
}

void cel_set_prompt(cel_editor *editor, const char *prompt, const char *right) {
    free(editor->prompt);
    free(editor->right);
    editor->prompt = strdup(prompt);
    editor->right = right != NULL && *right != '\0' ? strdup(right) : NULL;
}

void cel_add_history(cel_editor *editor, const char *line) {
    HistEvent event;
    history(editor->history, &event, H_ENTER, line);
}

cel_result cel_read_line(cel_editor *editor, char **line) {
    *line = NULL;
    editor->interrupted = editor->pasted = editor->touched = false;
    editor->hint_columns = 0;
    free(editor->hint);
    editor->hint = NULL;
    cel_set_mode_prompt(editor, NULL);
    if (cel_take_resized()) {
        el_resize(editor->el);
    }
    cel_take_continued();
    cel_terminal_editing(true);
    int count = 0;
    const char *text = el_gets(editor->el, &count);
    if (text != NULL && !editor->interrupted && !editor->pasted) {
        *line = strndup(text, strcspn(text, "\r\n"));
    }
    cel_terminal_editing(false);
    cel_set_mode_prompt(editor, NULL);
    if (*line != NULL) {
        cel_keep_typed(editor);
    }
    if (editor->interrupted) {
        return cel_result_interrupted;
    }
    if (editor->pasted) {
        return cel_result_pasted;
    }
    if (*line == NULL) {
        // The next output starts on a new row.
        cel_write("\n");
        return cel_result_end_of_file;
    }
    return cel_result_line;
}

void cel_wake(cel_editor *editor) {
    ssize_t ignored = write(editor->wake[1], "e", 1);
    (void)ignored;
}

void cel_stop(cel_editor *editor) {
    atomic_store(&editor->stopping, true);
    cel_wake(editor);
}
