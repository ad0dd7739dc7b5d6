// A line editor on libedit that other threads may print above.
//
// This is C and not Swift for two reasons: el_set and history are variadic, which Swift cannot call, and on Apple
// arm64 a variadic call has its own convention, so that no cast helps. The reader loop lives here as well, next to the
// row arithmetic it needs.
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

/// What came of reading a line.
typedef enum CEL_CLOSED_ENUM {
    cel_result_line,
    cel_result_interrupted,
    cel_result_end_of_file,
    /// Several lines were pasted and the person said yes; the caller of cel_read_line has them already.
    cel_result_pasted,
} cel_result;

/// Why an editor could not be opened.
typedef enum CEL_CLOSED_ENUM {
    cel_open_ok,
    /// stdin or stdout is no terminal, or TERM says that it cannot move its cursor.
    cel_open_no_terminal,
    /// The person's .editrc says `edit off`.
    cel_open_edit_off,
    /// There is one already: libedit keeps state of its own outside the EditLine.
    cel_open_busy,
    cel_open_failed,
} cel_open_result;

/// What TAB does to the line. The strings are from malloc and become the editor's.
typedef struct {
    /// Scalars to delete before the cursor.
    size_t delete_count;
    /// Text to insert at the cursor, or NULL.
    char *insert;
    /// Lines to show above the line being edited, each ending in a newline, or NULL.
    char *listing;
} cel_completion;

/// What a paste does. The strings are from malloc and become the editor's.
typedef struct {
    /// One line was pasted: the text to insert. NULL when there are several.
    char *insert;
    /// Several lines: what to show above, each line ending in a newline.
    char *preview;
    /// Several lines: the question to ask; Enter says yes, ^C no.
    char *question;
} cel_paste;

/// What the editor asks of its owner; all are called on the thread that reads, inside cel_read_line.
/// Every string that is returned is from malloc and becomes the editor's.
typedef struct {
    void *context;
    /// The lines to print above, each ending in a newline, or NULL when there are none (any more).
    char *(*take_events)(void *context);
    /// Called when events have been printed and before the line is drawn anew: the time to cel_set_prompt, since events
    /// may change what the prompt says.
    void (*events_shown)(void *context);
    /// The grey text to show after the line, or NULL.
    char *(*hint)(void *context, const char *line);
    /// `cursor` is an offset in UTF-8 bytes.
    cel_completion (*complete)(void *context, const char *line, size_t cursor);
    /// The next history line that contains `query`, from `*position` on (0 is the newest line), going `step` (1 older,
    /// -1 newer); sets `*position` to where it was found. NULL when there is none.
    char *(*search)(void *context, const char *query, long *position, int step);
    /// Text was pasted between `before` and `after`.
    cel_paste (*paste)(void *context, const char *before, const char *text, const char *after);
} cel_callbacks;

// MARK: Editor

/// Opens the one editor of the process on stdin and stdout. NULL when it cannot, and `why` says so.
cel_editor *cel_open(const char *program, cel_callbacks callbacks, bool colour, cel_open_result *why);

/// Gives everything back and leaves the terminal as it was found.
void cel_close(cel_editor *editor);

/// The prompt, with libedit's literals between two \1, and the right prompt (may be NULL).
void cel_set_prompt(cel_editor *editor, const char *prompt, const char *right);

/// Adds one line to the history that the arrow keys walk.
void cel_add_history(cel_editor *editor, const char *line);

/// Reads one line. `*line` is set for cel_result_line only, without the newline, from malloc: free it.
cel_result cel_read_line(cel_editor *editor, char **line);

/// Any thread: makes the reader ask for events, or for cel_stop.
void cel_wake(cel_editor *editor);

/// Any thread: the read that is going on ends as at the end of the file.
void cel_stop(cel_editor *editor);

/// Reads a line without echo. 1 and `*secret` (free it with cel_free_secret), or 0 when the person gave up (^C, ^D).
/// Works without an editor too (NULL), then without events.
int cel_read_secret(cel_editor *editor, const char *prompt, char **secret);
void cel_free_secret(char *secret);

// MARK: Terminal

/// True when stdin and stdout are terminals and TERM names one that can move its cursor.
bool cel_terminal_usable(void);

/// Takes the character encoding from the environment, and UTF-8 when the environment names none. False when the system
/// has no UTF-8 locale at all.
bool cel_use_utf8(void);

/// Writes to stdout and flushes. Any thread.
void cel_write(const char *text);

/// Puts the terminal back as it was found. Safe in a signal handler and after a crash.
void cel_restore_terminal(void);

// MARK: Geometry (for the editor and its tests)

/// A place in the edit area: row 0 is the row of the prompt.
typedef struct {
    int row;
    int column;
} cel_place;

/// Where the terminal's cursor stands after libedit drew `prompt` (with its \1 literals) and `line` (UTF-8), with its
/// cursor on the scalar `cursor`, on a screen of `columns` by `rows`.
cel_place cel_cursor_place(const char *prompt, const char *line, size_t cursor, int columns, int rows);

/// Columns that the text takes on a terminal; escape sequences and \1 literals count nothing.
int cel_text_width(const char *text);

/// Columns and rows of the terminal on stdout; 80 by 24 when there is none.
void cel_screen_size(int *columns, int *rows);

#endif
