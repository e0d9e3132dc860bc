#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "CCurl.h"

static struct ccurl_library library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *find(void *handle, const char *name) {
    void *symbol = handle ? dlsym(handle, name) : NULL;
    if (!symbol) {
        fprintf(stderr, "The network needs libcurl.so.4 with %s: %s. Install the package libcurl4.\n", name, dlerror());
        exit(3);
    }
    return symbol;
}

static void load(void) {
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    *(void **)&library.easy_setopt = find(handle, "curl_easy_setopt");
    *(void **)&library.easy_getinfo = find(handle, "curl_easy_getinfo");
    *(void **)&library.easy_init = find(handle, "curl_easy_init");
    *(void **)&library.easy_cleanup = find(handle, "curl_easy_cleanup");
    *(void **)&library.easy_strerror = find(handle, "curl_easy_strerror");
    *(void **)&library.global_init = find(handle, "curl_global_init");
    *(void **)&library.slist_append = find(handle, "curl_slist_append");
    *(void **)&library.slist_free_all = find(handle, "curl_slist_free_all");
    *(void **)&library.multi_init = find(handle, "curl_multi_init");
    *(void **)&library.multi_setopt = find(handle, "curl_multi_setopt");
    *(void **)&library.multi_add_handle = find(handle, "curl_multi_add_handle");
    *(void **)&library.multi_remove_handle = find(handle, "curl_multi_remove_handle");
    *(void **)&library.multi_perform = find(handle, "curl_multi_perform");
    *(void **)&library.multi_poll = find(handle, "curl_multi_poll");
    *(void **)&library.multi_wakeup = find(handle, "curl_multi_wakeup");
    *(void **)&library.multi_info_read = find(handle, "curl_multi_info_read");
}

const struct ccurl_library *ccurl_library(void) {
    pthread_once(&once, load);
    return &library;
}

// The functions without variadic arguments, under their own names: callers read as if libcurl were linked.
CURL *curl_easy_init(void) { return ccurl_library()->easy_init(); }
void curl_easy_cleanup(CURL *handle) { ccurl_library()->easy_cleanup(handle); }
const char *curl_easy_strerror(CURLcode code) { return ccurl_library()->easy_strerror(code); }
CURLcode curl_global_init(long flags) { return ccurl_library()->global_init(flags); }
struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
    return ccurl_library()->slist_append(list, text);
}
void curl_slist_free_all(struct curl_slist *list) { ccurl_library()->slist_free_all(list); }
CURLM *curl_multi_init(void) { return ccurl_library()->multi_init(); }
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *handle) { return ccurl_library()->multi_add_handle(multi, handle); }
CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *handle) {
    return ccurl_library()->multi_remove_handle(multi, handle);
}
CURLMcode curl_multi_perform(CURLM *multi, int *running) { return ccurl_library()->multi_perform(multi, running); }
CURLMcode curl_multi_poll(CURLM *multi, struct curl_waitfd extra[], unsigned int count, int timeout, int *ready) {
    return ccurl_library()->multi_poll(multi, extra, count, timeout, ready);
}
CURLMcode curl_multi_wakeup(CURLM *multi) { return ccurl_library()->multi_wakeup(multi); }
