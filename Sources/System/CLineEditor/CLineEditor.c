// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLineEditor.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY_SIZE = 1000, COMPLETION_SIZE = 16384 };

struct line_editor {
    EditLine *edit;
    History *history;
    line_editor_completion completion;
    void *context;
    const char *prompt;
    char *line;
    bool is_interrupted;
    // Readable when the input has been ended.
    int stop;
};

static line_editor *editor_of(EditLine *edit) {
    line_editor *editor = NULL;
    el_get(edit, EL_CLIENTDATA, &editor);
    return editor;
}

static char *prompt(EditLine *edit) { return (char *)editor_of(edit)->prompt; }

static unsigned char complete(EditLine *edit, int key) {
    (void)key;
    line_editor *editor = editor_of(edit);
    const LineInfo *line = el_line(edit);
    char insertion[COMPLETION_SIZE] = "", choices[COMPLETION_SIZE] = "";
    editor->completion(
        editor->context, line->buffer, (size_t)(line->cursor - line->buffer), insertion, choices, COMPLETION_SIZE);
    if (*insertion) return el_insertstr(edit, insertion) == 0 ? CC_REFRESH : CC_ERROR;
    if (!*choices) return CC_ERROR;
    printf("\n%s\n", choices);
    fflush(stdout);
    return CC_REDISPLAY;
}

static unsigned char interrupt(EditLine *edit, int key) {
    (void)key;
    editor_of(edit)->is_interrupted = true;
    return CC_EOF;
}

// Reads a character as libedit does, but does not wait for a key when the input has been ended.
static int read_character(EditLine *edit, wchar_t *character) {
    struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = editor_of(edit)->stop, .events = POLLIN}};
    mbstate_t state = {0};
    while (true) {
        if (poll(files, 2, -1) < 0 && errno != EINTR) return -1;
        if (files[1].revents) return 0;
        if (!files[0].revents) continue;
        char byte;
        ssize_t count = read(STDIN_FILENO, &byte, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return (int)count;
        size_t length = mbrtowc(character, &byte, 1, &state);
        if (length == 0 || length == 1) return 1;
        // A byte that belongs to no character is passed over; of a longer one the next byte follows.
        if (length == (size_t)-1) state = (mbstate_t){0};
    }
}

line_editor *line_editor_open(const char *program, line_editor_completion completion, void *context) {
    // Without it every byte beyond ASCII would be a character of its own.
    if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
    line_editor *editor = calloc(1, sizeof *editor);
    if (!editor) return NULL;
    editor->completion = completion;
    editor->context = context;
    editor->edit = el_init(program, stdin, stdout, stderr);
    editor->history = history_init();
    editor->stop = eventfd(0, EFD_CLOEXEC);
    if (!editor->edit || !editor->history || editor->stop < 0) {
        line_editor_close(editor);
        return NULL;
    }
    HistEvent event;
    history(editor->history, &event, H_SETSIZE, HISTORY_SIZE);
    history(editor->history, &event, H_SETUNIQUE, 1);
    el_set(editor->edit, EL_CLIENTDATA, editor);
    el_set(editor->edit, EL_PROMPT, prompt);
    el_set(editor->edit, EL_GETCFN, read_character);
    el_set(editor->edit, EL_EDITOR, "emacs");
    el_set(editor->edit, EL_HIST, history, editor->history);
    // While a line is typed Ctrl-C is a key, which takes the line away and nothing else.
    el_set(editor->edit, EL_SETTY, "-d", "-isig", NULL);
    el_set(editor->edit, EL_ADDFN, "lab-complete", "Completes the word before the cursor", complete);
    el_set(editor->edit, EL_ADDFN, "lab-interrupt", "Takes the line away", interrupt);
    el_source(editor->edit, NULL);
    el_set(editor->edit, EL_BIND, "\t", "lab-complete", NULL);
    el_set(editor->edit, EL_BIND, "^C", "lab-interrupt", NULL);
    el_set(editor->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    return editor;
}

line_editor_outcome line_editor_read(line_editor *editor, const char *text, const char **line) {
    editor->prompt = text;
    editor->is_interrupted = false;
    int count = 0;
    const char *read = el_gets(editor->edit, &count);
    if (editor->is_interrupted) {
        printf("^C\n");
        fflush(stdout);
        el_reset(editor->edit);
        return LINE_EDITOR_INTERRUPTED;
    }
    if (!read || count <= 0) {
        printf("\n");
        fflush(stdout);
        return LINE_EDITOR_END;
    }
    free(editor->line);
    editor->line = strdup(read);
    if (!editor->line) return LINE_EDITOR_END;
    editor->line[strcspn(editor->line, "\n")] = 0;
    *line = editor->line;
    return LINE_EDITOR_LINE;
}

void line_editor_stop(line_editor *editor) { eventfd_write(editor->stop, 1); }

void line_editor_remember(line_editor *editor, const char *line) {
    HistEvent event;
    history(editor->history, &event, H_ENTER, line);
}

void line_editor_close(line_editor *editor) {
    if (editor->history) history_end(editor->history);
    if (editor->edit) el_end(editor->edit);
    if (editor->stop >= 0) close(editor->stop);
    free(editor->line);
    free(editor);
}
