// SPDX-License-Identifier: Apache-2.0

#include "CSimulatedDevice.h"

#include <stddef.h>
#include <stdint.h>

// CoreFoundation is a part of Foundation on Linux, without headers. A process that has no `Info.plist` gets an empty
// dictionary, which is a mutable one: `MainBundleTests` would notice another.
extern const void *CFBundleGetMainBundle(void);
extern const void *CFBundleGetInfoDictionary(const void *bundle);
extern const void *CFDictionaryGetValue(const void *dictionary, const void *key);
extern void CFDictionarySetValue(void *dictionary, const void *key, const void *value);
extern const void *CFStringCreateWithCString(const void *allocator, const char *text, uint32_t encoding);
extern void CFRelease(const void *object);

/// `kCFStringEncodingUTF8`.
static const uint32_t utf8 = 0x08000100;

bool main_bundle_set(const char *key, const char *value) {
    const void *bundle = CFBundleGetMainBundle();
    void *dictionary = bundle != NULL ? (void *)CFBundleGetInfoDictionary(bundle) : NULL;
    if (dictionary == NULL) return false;
    const void *name = CFStringCreateWithCString(NULL, key, utf8);
    const void *text = CFStringCreateWithCString(NULL, value, utf8);
    bool is_set = false;
    if (name != NULL && text != NULL) {
        CFDictionarySetValue(dictionary, name, text);
        is_set = CFDictionaryGetValue(dictionary, name) == text;
    }
    if (name != NULL) CFRelease(name);
    if (text != NULL) CFRelease(text);
    return is_set;
}
