// The screen: libedit's cursor position, and how to erase and redraw the edit area.
//
// libedit's EL_REFRESH draws as if the cursor were at the start of an empty row, and erases nothing. So the row of the
// cursor within the edit area must be known. It is computed here as libedit's refresh.c lays out a line.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wctype.h>

// MARK: Geometry

/// The number of columns that libedit uses for one character: itself, ^X for a control character, \U+XXXX for an
/// unprintable one.
static int drawn_width(wchar_t c) {
    if (c < 0x100 && iswcntrl((wint_t)c)) {
        return 2;
    }
    if (iswprint((wint_t)c)) {
        int width = wcwidth(c);
        return width < 0 ? 0 : width;
    }
    return c > 0xffff ? 8 : 7;
}

static void next_row(cel_place *place, int rows) {
    place->column = 0;
    // libedit's model of the edit area is as high as the screen: beyond that, its first row is dropped.
    if (place->row + 1 < rows) {
        place->row++;
    }
}

static void put(cel_place *place, int width, int columns, int rows) {
    if (place->column + width > columns) {
        next_row(place, rows);
    }
    place->column += width;
    if (place->column >= columns) {
        next_row(place, rows);
    }
}

static void advance(cel_place *place, wchar_t c, int columns, int rows) {
    if (c == L'\t') {
        do {
            put(place, 1, columns, rows);
        } while (place->column & 7);
        return;
    }
    if (c == L'\n') {
        next_row(place, rows);
        return;
    }
    if (iswprint((wint_t)c)) {
        put(place, drawn_width(c), columns, rows);
        return;
    }
    // ^X and \U+XXXX are drawn as single characters, and may break across rows.
    for (int left = drawn_width(c); left > 0; left--) {
        put(place, 1, columns, rows);
    }
}

/// The next character of `*text`, which is advanced; an invalid byte counts as one invisible character.
static wchar_t next_character(const char **text, mbstate_t *state) {
    wchar_t c = 0;
    size_t length = mbrtowc(&c, *text, strlen(*text), state);
    if (length == (size_t)-1 || length == (size_t)-2 || length == 0) {
        memset(state, 0, sizeof *state);
        (*text)++;
        return 0;
    }
    *text += length;
    return c;
}

static cel_place after_prompt(const char *prompt, int columns, int rows) {
    cel_place place = {0, 0};
    mbstate_t state = {0};
    bool literal = false;
    while (prompt != NULL && *prompt != '\0') {
        wchar_t c = next_character(&prompt, &state);
        if (c == 1) {
            literal = !literal;
        } else if (!literal && c != 0) {
            advance(&place, c, columns, rows);
        }
    }
    return place;
}

/// libedit moves a cursor on a wide character to the next row if the character does not fit its row.
static cel_place on_character(cel_place place, wchar_t c, int columns) {
    int width = wcwidth(c);
    if (width > 1 && place.column + width > columns) {
        place.column = 0;
        place.row++;
    }
    return place;
}

cel_place cel_cursor_place(const char *prompt, const char *line, size_t cursor, int columns, int rows) {
    cel_place place = after_prompt(prompt, columns, rows);
    mbstate_t state = {0};
    for (size_t index = 0; *line != '\0'; index++) {
        wchar_t c = next_character(&line, &state);
        if (index == cursor) {
            return on_character(place, c, columns);
        }
        advance(&place, c, columns, rows);
    }
    return place;
}

int cel_text_width(const char *text) {
    int width = 0;
    mbstate_t state = {0};
    bool literal = false;
    while (*text != '\0') {
        if (*text == '\033' && text[1] == '[') {
            text += 2;
            while (*text != '\0' && (*text < '@' || *text > '~')) {
                text++;
            }
            text += *text != '\0';
            continue;
        }
        wchar_t c = next_character(&text, &state);
        if (c == 1) {
            literal = !literal;
        } else if (!literal && c != 0) {
            int own = wcwidth(c);
            width += own < 0 ? 0 : own;
        }
    }
    return width;
}

void cel_screen_size(int *columns, int *rows) {
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    *columns = known && size.ws_col > 0 ? size.ws_col : 80;
    *rows = known && size.ws_row > 0 ? size.ws_row : 24;
}

/// The size that libedit uses for its layout: the last one that it was given, not the window's present one.
static void layout_size(cel_editor *editor, int *columns, int *rows) {
    cel_screen_size(columns, rows);
    int value = 0;
    if (el_get(editor->el, EL_GETTC, "co", &value, NULL) == 0 && value > 0) {
        *columns = value;
    }
    if (el_get(editor->el, EL_GETTC, "li", &value, NULL) == 0 && value > 0) {
        *rows = value;
    }
}

static cel_place place_at(cel_editor *editor, const wchar_t *target) {
    int columns, rows;
    layout_size(editor, &columns, &rows);
    const LineInfoW *line = el_wline(editor->el);
    cel_place place = after_prompt(cel_shown_prompt(editor), columns, rows);
    for (const wchar_t *c = line->buffer; c < target; c++) {
        advance(&place, *c, columns, rows);
    }
    return target < line->lastchar ? on_character(place, *target, columns) : place;
}

cel_place cel_current_place(cel_editor *editor) {
    return place_at(editor, el_wline(editor->el)->cursor);
}

// MARK: Prompt

const char *cel_shown_prompt(const cel_editor *editor) {
    if (editor->mode_prompt != NULL) {
        return editor->mode_prompt;
    }
    return editor->prompt != NULL ? editor->prompt : "";
}

void cel_set_mode_prompt(cel_editor *editor, const char *prompt) {
    free(editor->mode_prompt);
    editor->mode_prompt = prompt != NULL ? strdup(prompt) : NULL;
}

// MARK: Drawing

void cel_erase(cel_editor *editor) {
    int row = cel_current_place(editor).row;
    if (row > 0) {
        fprintf(stdout, "\033[%dA", row);
    }
    // tmux keeps text that is cleared from the very top of the screen in its scrollback, as if it had been printed. So
    // the first row is cleared separately, and the rest from the second row.
    bool several = place_at(editor, el_wline(editor->el)->lastchar).row > 0;
    fputs(several ? "\r\033[K\033[B\033[J\033[A" : "\r\033[K\033[J", stdout);
    editor->hint_columns = 0;
}

/// Moves the terminal's cursor after the line, without libedit, whose cursor cannot be there in vi's command mode.
void cel_move_to_end(cel_editor *editor) {
    cel_place now = cel_current_place(editor);
    cel_place end = place_at(editor, el_wline(editor->el)->lastchar);
    if (end.row > now.row) {
        fprintf(stdout, "\033[%dB", end.row - now.row);
    }
    fprintf(stdout, "\033[%dG", end.column + 1);
}

static bool prompt_is_ascii(const cel_editor *editor) {
    for (const char *c = cel_shown_prompt(editor); *c != '\0'; c++) {
        if ((unsigned char)*c > 0x7e) {
            return false;
        }
    }
    return true;
}

/// libedit moves a little to the right by writing the characters on the way. If it starts on the second half of a wide
/// one, it writes them in the wrong column. The last such row, which stays wrong, is the cursor's. It is written again,
/// and the cursor is set to libedit's position.
static void repaint_cursor_row(cel_editor *editor) {
    int columns, rows;
    layout_size(editor, &columns, &rows);
    const LineInfoW *line = el_wline(editor->el);
    cel_place target = cel_current_place(editor);
    cel_place place = after_prompt(cel_shown_prompt(editor), columns, rows);
    bool wide = !prompt_is_ascii(editor);
    for (const wchar_t *c = line->buffer; c < line->lastchar; c++) {
        if (!iswprint((wint_t)*c)) {
            return;
        }
        wide = wide || wcwidth(*c) > 1;
    }
    if (!wide || place_at(editor, line->lastchar).row >= rows - 1) {
        return;
    }
    fputs("\r", stdout);
    if (place.row == target.row && place.column > 0) {
        fprintf(stdout, "\033[%dC", place.column);
    }
    for (const wchar_t *c = line->buffer; c < line->lastchar; c++) {
        if (on_character(place, *c, columns).row == target.row) {
            fprintf(stdout, "%lc", (wint_t)*c);
        }
        advance(&place, *c, columns, rows);
    }
    fputs("\r", stdout);
    if (target.column > 0) {
        fprintf(stdout, "\033[%dC", target.column);
    }
}

void cel_redraw(cel_editor *editor) {
    el_set(editor->el, EL_REFRESH);
    repaint_cursor_row(editor);
    fflush(stdout);
    editor->touched = false;
}

void cel_show_above(cel_editor *editor, const char *text) {
    cel_erase(editor);
    fputs(text, stdout);
    editor->callbacks.events_shown(editor->callbacks.context);
    cel_redraw(editor);
}

/// libedit loses characters on the screen (not in the line) if text is inserted in a line of several rows, or next to
/// wide characters. Such a line is redrawn whenever the user pauses.
void cel_heal(cel_editor *editor) {
    if (!editor->touched) {
        return;
    }
    editor->touched = false;
    const LineInfoW *line = el_wline(editor->el);
    bool needed = place_at(editor, line->lastchar).row > 0 || !prompt_is_ascii(editor);
    for (const wchar_t *c = line->buffer; c < line->lastchar && !needed; c++) {
        needed = *c > 0x7e || *c < 0x20;
    }
    if (needed) {
        cel_erase(editor);
        cel_redraw(editor);
    }
}

// MARK: Hint

/// Prints the part of the hint that fits and returns its columns.
static int print_within(const char *text, int columns) {
    int used = 0;
    mbstate_t state = {0};
    while (*text != '\0') {
        const char *start = text;
        wchar_t c = next_character(&text, &state);
        int width = c == 0 ? -1 : wcwidth(c);
        if (width < 0 || used + width > columns) {
            break;
        }
        fwrite(start, 1, (size_t)(text - start), stdout);
        used += width;
    }
    return used;
}

void cel_show_hint(cel_editor *editor) {
    if (!editor->colour || editor->callbacks.hint == NULL || editor->mode_prompt != NULL || editor->hint_columns > 0) {
        return;
    }
    free(editor->hint);
    editor->hint = NULL;
    const LineInfoW *line = el_wline(editor->el);
    if (line->cursor != line->lastchar || line->cursor == line->buffer) {
        return;
    }
    char *text = cel_line_text(editor->el, NULL);
    if (text != NULL) {
        editor->hint = editor->callbacks.hint(editor->callbacks.context, text);
        free(text);
    }
    if (editor->hint == NULL) {
        return;
    }
    int columns, rows;
    layout_size(editor, &columns, &rows);
    cel_place place = cel_current_place(editor);
    // One column stays free, because a character in the last one would make the terminal wrap. The right prompt keeps
    // its columns too.
    int room = columns - place.column - 1;
    if (place.row == 0 && editor->right != NULL) {
        room -= cel_text_width(editor->right) + 1;
    }
    fputs("\0337\033[2m", stdout);
    editor->hint_columns = print_within(editor->hint, room);
    fputs("\033[0m\0338", stdout);
    fflush(stdout);
}

void cel_clear_hint(cel_editor *editor) {
    if (editor->hint_columns > 0) {
        fprintf(stdout, "\0337%*s\0338", editor->hint_columns, "");
        fflush(stdout);
        editor->hint_columns = 0;
    }
}
