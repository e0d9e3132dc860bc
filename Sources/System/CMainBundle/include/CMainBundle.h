// SPDX-License-Identifier: Apache-2.0

// The information dictionary of the process's main bundle, which Foundation on Linux reads and does not let others
// write.
#ifndef CMAINBUNDLE_H
#define CMAINBUNDLE_H

#include <stdbool.h>

/// Sets an entry of the main bundle's information dictionary, both texts in UTF-8. Call it before another thread reads the
/// dictionary. Returns whether the entry is there.
bool cmainbundle_set(const char *key, const char *value);

#endif
