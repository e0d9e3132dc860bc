// SPDX-License-Identifier: Apache-2.0

// A line typed on a terminal, with editing, history and completion: libedit behind functions that Swift can call.
#ifndef CLINEEDITOR_H
#define CLINEEDITOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct line_editor line_editor;

/// How asking for a line ended.
typedef enum { LINE_EDITOR_LINE = 0, LINE_EDITOR_END = 1, LINE_EDITOR_INTERRUPTED = 2 } line_editor_outcome;

/// Completes the line before the cursor, a text of `length` bytes.
///
/// Writes the text to insert at the cursor into `insertion`, and the candidates into `choices`, both of at most
/// `capacity` bytes with the closing zero; an empty text for nothing.
typedef void (*line_editor_completion)(
    void *context, const char *line, size_t length, char *insertion, char *choices, size_t capacity);

/// Takes over the terminal at standard input and output.
/// @param program the name for the user's `.editrc`
/// @return NULL for lack of memory
line_editor *line_editor_open(const char *program, line_editor_completion completion, void *context);

/// Asks for a line. The terminal is as before whenever this does not run.
/// @param line set to the text, without line end, valid until the next call
line_editor_outcome line_editor_read(line_editor *editor, const char *prompt, const char **line);

/// Ends the input: asking for a line ends at once, now and from now on. Any thread.
void line_editor_stop(line_editor *editor);

/// Lets the keys for history find a line.
void line_editor_remember(line_editor *editor, const char *line);

void line_editor_close(line_editor *editor);

#endif
