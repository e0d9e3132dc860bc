// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLabSystem.h"

#include <locale.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <wchar.h>

int csystem_terminal_columns(int descriptor) {
    struct winsize size = {0};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static locale_t unicode;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_unicode(void) { unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

int csystem_character_columns(uint32_t character) {
    pthread_once(&once, make_unicode);
    // Without the locale, which every C library has had for years, all characters count as narrow.
    if (unicode == (locale_t)0) return 1;
    // `wcwidth` asks the calling thread's locale, which the user's environment decides otherwise.
    locale_t before = uselocale(unicode);
    int columns = wcwidth((wchar_t)character);
    uselocale(before);
    return columns;
}
