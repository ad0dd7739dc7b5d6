// Shared by the .c files of this folder.
#ifndef CEDITLINE_INTERNAL_H
#define CEDITLINE_INTERNAL_H

#include "CEditLine.h"

#include <histedit.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>
#include <wchar.h>

struct cel_editor {
    EditLine *el;
    History *history;
    cel_callbacks callbacks;
    bool colour;
    /// Any thread writes a byte here to wake the reader.
    int wake[2];
    atomic_bool stopping;

    char *prompt;
    char *right;
    /// Shown instead of the prompt during a search or a question.
    char *mode_prompt;

    /// The hint after the cursor, and the number of its columns on the screen (0: none is shown).
    char *hint;
    int hint_columns;

    /// libedit got a key after the last full redraw of the edit area.
    bool touched;
    bool interrupted;
    bool pasted;
    /// A paste is being collected: nothing is drawn before it is complete.
    bool collecting;
    /// Bytes that were read ahead, in order.
    unsigned char ahead[8];
    int ahead_count;
    /// Bytes typed between the end of a line and the end of raw mode, in order.
    unsigned char typed[4096];
    size_t typed_count;
};

/// The key for the start of a paste: a C1 control character, which no keyboard sends. It is one character and no
/// sequence that begins with Escape, so that Escape remains a separate key in vi's map.
enum { cel_paste_key = 0x9f };

// Each file uses only the functions of the files before it in this order.

// wake.c
void cel_drain_wake(cel_editor *editor);

// terminal.c
void cel_terminal_save(void);
void cel_terminal_editing(bool editing);
ssize_t cel_take_byte(cel_editor *editor, unsigned char *byte);
void cel_keep_typed(cel_editor *editor);

// signals.c
void cel_signals_open(int wake_descriptor);
void cel_signals_close(void);
bool cel_take_resized(void);
bool cel_take_continued(void);

// line.c
cel_editor *cel_of(EditLine *el);
char *cel_line_text(EditLine *el, size_t *cursor);
void cel_replace_line(EditLine *el, const char *text);
void cel_push_key(EditLine *el, wchar_t key);

// display.c
cel_place cel_current_place(cel_editor *editor);
void cel_erase(cel_editor *editor);
void cel_move_to_end(cel_editor *editor);
void cel_redraw(cel_editor *editor);
void cel_show_above(cel_editor *editor, const char *text);
void cel_heal(cel_editor *editor);
void cel_show_hint(cel_editor *editor);
void cel_clear_hint(cel_editor *editor);
const char *cel_shown_prompt(const cel_editor *editor);
void cel_set_mode_prompt(cel_editor *editor, const char *prompt);

// reader.c
int cel_read_char(EditLine *el, wchar_t *out);
int cel_next_byte(cel_editor *editor, unsigned char *byte);
bool cel_input_within(cel_editor *editor, int milliseconds);

// paste.c
unsigned char cel_key_paste(EditLine *el, int key);

// search.c
unsigned char cel_key_search(EditLine *el, int key);

// keys.c
void cel_bind_keys(EditLine *el);
void cel_bind_defaults(EditLine *el);

// editor.c: the declarations of CEditLine.h.

#endif
