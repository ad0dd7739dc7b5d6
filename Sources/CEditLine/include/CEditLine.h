// A line editor based on libedit, with output of other threads above the line.
//
// This is C and not Swift for two reasons: el_set and history are variadic, which Swift cannot call, and on Apple arm64
// a variadic call has its own convention, so that no cast helps. The reader loop is here too, next to the row
// computations that it needs.
//
// Threads: cel_wake and cel_write may be called from any thread, everything else by one thread at a time.
#ifndef CEDITLINE_H
#define CEDITLINE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__clang__)
#define CEL_CLOSED_ENUM __attribute__((enum_extensibility(closed)))
#else
#define CEL_CLOSED_ENUM
#endif

typedef struct cel_editor cel_editor;

/// The result of reading a line.
typedef enum CEL_CLOSED_ENUM {
    cel_result_line,
    cel_result_interrupted,
    cel_result_end_of_file,
    /// Several lines were pasted and confirmed; the caller of cel_read_line already has them.
    cel_result_pasted,
} cel_result;

/// The result of opening an editor.
typedef enum CEL_CLOSED_ENUM {
    cel_open_ok,
    /// stdin or stdout is no terminal, or TERM names one that cannot move its cursor.
    cel_open_no_terminal,
    /// The user's .editrc contains `edit off`.
    cel_open_edit_off,
    /// An editor is already open: libedit keeps state outside the EditLine.
    cel_open_busy,
    cel_open_failed,
} cel_open_result;

/// The effect of TAB on the line. The strings are from malloc; the editor takes ownership.
typedef struct {
    /// The number of scalars to delete before the cursor.
    size_t delete_count;
    /// Text to insert at the cursor, or NULL.
    char *insert;
    /// Lines to show above the line being edited, each ending with a newline, or NULL.
    char *listing;
} cel_completion;

/// The effect of a paste. The strings are from malloc; the editor takes ownership.
typedef struct {
    /// One line was pasted: the text to insert. NULL if there are several.
    char *insert;
    /// Several lines: the preview to show above, each line ending with a newline.
    char *preview;
    /// Several lines: the question; Enter means yes, ^C no.
    char *question;
} cel_paste;

/// The callbacks of the editor, all on the reading thread inside cel_read_line. Returned strings are from malloc; the
/// editor takes ownership.
typedef struct {
    void *context;
    /// Returns the lines to print above, each ending with a newline, or NULL if there are none (any more).
    char *(*take_events)(void *context);
    /// Called when events have been printed and before the line is redrawn: the time for cel_set_prompt, because events
    /// may change the prompt.
    void (*events_shown)(void *context);
    /// Returns the grey text to show after the line, or NULL.
    char *(*hint)(void *context, const char *line);
    /// `cursor` is an offset in UTF-8 bytes.
    cel_completion (*complete)(void *context, const char *line, size_t cursor);
    /// Returns the next history line that contains `query`, from `*position` on (0 is the newest line), in direction
    /// `step` (1 older, -1 newer), and sets `*position` to its number. NULL if there is none.
    char *(*search)(void *context, const char *query, long *position, int step);
    /// Text was pasted between `before` and `after`.
    cel_paste (*paste)(void *context, const char *before, const char *text, const char *after);
} cel_callbacks;

// MARK: Editor

/// Opens the process's only editor on stdin and stdout. NULL if it fails, with the reason in `why`.
cel_editor *cel_open(const char *program, cel_callbacks callbacks, bool colour, cel_open_result *why);

/// Frees all resources and restores the terminal.
void cel_close(cel_editor *editor);

/// Sets the prompt, with libedit's literals enclosed in \1, and the right prompt (may be NULL).
void cel_set_prompt(cel_editor *editor, const char *prompt, const char *right);

/// Adds one line to the history of the arrow keys.
void cel_add_history(cel_editor *editor, const char *line);

/// Reads one line. `*line` is set only for cel_result_line, without the newline, from malloc: free it.
cel_result cel_read_line(cel_editor *editor, char **line);

/// Any thread: makes the reader request events, or check cel_stop.
void cel_wake(cel_editor *editor);

/// Any thread: ends the read in progress as at the end of the file.
void cel_stop(cel_editor *editor);

/// Reads a line without echo. Returns 1 with `*secret` (free it with cel_free_secret), or 0 if the user cancelled (^C,
/// ^D). Without an editor (NULL) it shows no events.
int cel_read_secret(cel_editor *editor, const char *prompt, char **secret);
void cel_free_secret(char *secret);

// MARK: Terminal

/// True if stdin and stdout are terminals and TERM names one that can move its cursor.
bool cel_terminal_usable(void);

/// Uses the character encoding of the environment, or UTF-8 if the environment names none. False if the system has no
/// UTF-8 locale.
bool cel_use_utf8(void);

/// Writes to stdout and flushes. Any thread.
void cel_write(const char *text);

/// Restores the terminal's modes. Safe in a signal handler and after a crash.
void cel_restore_terminal(void);

// MARK: Geometry (for the editor and its tests)

/// A position in the edit area: row 0 is the row of the prompt.
typedef struct {
    int row;
    int column;
} cel_place;

/// The position of the terminal's cursor after libedit drew `prompt` (with its \1 literals) and `line` (UTF-8) with its
/// cursor on the scalar `cursor`, on a screen of `columns` by `rows`.
cel_place cel_cursor_place(const char *prompt, const char *line, size_t cursor, int columns, int rows);

/// The number of terminal columns of the text, without escape sequences and \1 literals.
int cel_text_width(const char *text);

/// Columns and rows of the terminal on stdout; 80 by 24 if there is none.
void cel_screen_size(int *columns, int *rows);

#endif
