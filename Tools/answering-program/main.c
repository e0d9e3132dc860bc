// SPDX-License-Identifier: Apache-2.0

// The minimal process that is launched and answers: it echoes each byte.
#include <unistd.h>

int main(void) {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) == 1) {
        if (write(STDOUT_FILENO, &byte, 1) != 1) return 1;
    }
    return 0;
}
