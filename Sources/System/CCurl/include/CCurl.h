// SPDX-License-Identifier: Apache-2.0

// Plain functions around libcurl's variadic calls, which Swift cannot make. Each covers the options of one value type.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

/// Sets an option whose value is a number or a flag.
CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);

/// Sets an option whose value is text; libcurl copies it, except for `CURLOPT_POSTFIELDS`. `NULL` clears the option.
CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value);

/// Sets an option whose value is a pointer the caller keeps alive.
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);

/// Sets an option whose value is bytes, which libcurl copies.
CURLcode ccurl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t size);

/// Copies `size` bytes as the body of the request.
CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t size);

/// Shape of libcurl's callbacks for received bytes: bytes, size of an item, number of items, context; returns the number
/// of bytes taken.
typedef size_t (*ccurl_receive)(char *bytes, size_t size, size_t count, void *context);

/// Sets the function that gets the bytes of the response's body, with its context.
CURLcode ccurl_set_write_function(CURL *handle, ccurl_receive function, void *context);

/// Called each time before a request is sent on a connection; 0 allows it.
typedef int (*ccurl_before_request)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

/// Sets the function that is called before a request is sent, with its context.
CURLcode ccurl_set_before_request(CURL *handle, ccurl_before_request function, void *context);

/// Sets the function that gets the lines of the response's header, with its context.
CURLcode ccurl_set_header_function(CURL *handle, ccurl_receive function, void *context);

/// Receives the progress of a transfer, in bytes of both bodies; the expected count is 0 while unknown. 0 continues.
typedef int (*ccurl_progress)(
    void *context, curl_off_t expected, curl_off_t received, curl_off_t to_send, curl_off_t sent);

/// Sets the function that receives the progress of a transfer, with its context.
CURLcode ccurl_set_progress(CURL *handle, ccurl_progress function, void *context);

/// Reads a numeric fact about a finished transfer.
CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value);

/// Sets an option of a multi handle whose value is a number.
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

/// Takes the next message of a multi handle that reports a finished transfer. Returns its easy handle and stores its
/// result, or returns `NULL` without one.
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result);

/// One certificate of a server in DER form.
typedef struct {
    const uint8_t *bytes;
    size_t size;
} ccurl_certificate;

/// The decision of a judge about a server's certificates.
typedef enum {
    /// The connection is refused.
    CCURL_REFUSED,
    /// The connection is accepted, regardless of the verification.
    CCURL_ACCEPTED,
    /// The result of the verification counts.
    CCURL_AS_VERIFIED,
} ccurl_judgement;

/// Is asked about a server during the handshake: context, result of the verification (an `X509_V_…` number, 0 when the
/// certificates are in order and name the host), the chain from the server's own certificate upwards. The certificates
/// live until the function returns. Called on the thread that drives the transfer, which blocks meanwhile.
typedef ccurl_judgement (*ccurl_judge)(
    void *context, long verified, const ccurl_certificate *chain, size_t count);

/// How the certificates of a transfer's server are verified.
typedef struct {
    /// Seconds since 1970 at which the certificates must be valid; 0 stands for now.
    int64_t time;
    /// `NULL` leaves the decision to the verification.
    ccurl_judge judge;
    void *context;
    /// Name or address that the certificate must have; used with a judge only, libcurl checks it otherwise.
    const char *host;
} ccurl_verification;

/// Sets how the server is verified. The structure and what it points to must live as long as a connection that the
/// transfer has made: a transfer with a judge must neither take over nor leave behind a connection.
CURLcode ccurl_set_verification(CURL *handle, const ccurl_verification *verification);

/// The sentence for a result of a verification.
const char *ccurl_verification_text(long verified);

#endif
