// Plain functions around libcurl's variadic calls, which Swift cannot make. Each covers the options of one value type.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

/// Sets an option whose value is a number or a flag.
CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);

/// Sets an option whose value is text; libcurl copies it, except for `CURLOPT_POSTFIELDS`. `NULL` clears the option.
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value);

/// Sets an option whose value is a pointer the caller keeps alive.
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);

/// Copies `size` bytes as the body of the request.
CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t size);

/// Shape of libcurl's callbacks for received bytes: bytes, size of an item, number of items, context; returns the number
/// of bytes taken.
typedef size_t (*ccurl_receive)(char *bytes, size_t size, size_t count, void *context);

/// Sets the function that gets the bytes of the response's body, with its context.
CURLcode ccurl_set_write_function(CURL *handle, ccurl_receive function, void *context);

/// Sets the function that gets the lines of the response's header, with its context.
CURLcode ccurl_set_header_function(CURL *handle, ccurl_receive function, void *context);

/// Reads a numeric fact about a finished transfer.
CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value);

/// Sets an option of a multi handle whose value is a number.
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

/// Takes the next message of a multi handle that reports a finished transfer.
/// Returns its easy handle and stores its result, or returns `NULL` when there is none.
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result);

#endif
