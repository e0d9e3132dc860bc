// SPDX-License-Identifier: Apache-2.0

#pragma once
#include <stddef.h>

/// The parts of the page that `lab run` writes about a run, as UTF-8 text.
typedef struct {
    const unsigned char *_Nonnull bytes;
    size_t count;
} report_page_text;

/// The page around everything, with places for the style sheet, the data and the script.
report_page_text report_page_html(void);
/// The style sheet.
report_page_text report_page_css(void);
/// The script: all files of `front`, in the order in which they need each other.
report_page_text report_page_script(void);
