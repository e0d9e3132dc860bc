// SPDX-License-Identifier: Apache-2.0

#include "CCurl.h"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t size) {
    struct curl_blob blob = { (void *)bytes, size, CURL_BLOB_COPY };
    return curl_easy_setopt(handle, option, &blob);
}

CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t size) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}

CURLcode ccurl_set_write_function(CURL *handle, ccurl_receive function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

CURLcode ccurl_set_before_request(CURL *handle, ccurl_before_request function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

CURLcode ccurl_set_header_function(CURL *handle, ccurl_receive function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

CURLcode ccurl_set_progress(CURL *handle, ccurl_progress function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
    int remaining;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &remaining)) != NULL;) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

static int names_host(X509 *certificate, const char *host) {
    // A host that is an address must be certified as one (RFC 2818, section 3.1).
    int result = X509_check_ip_asc(certificate, host, 0);
    return result == -2 ? X509_check_host(certificate, host, 0, 0, NULL) : result;
}

/// Calls the judge with the chain as bytes.
static ccurl_judgement judge_chain(
    const ccurl_verification *verification, long verified, const STACK_OF(X509) *chain) {
    int count = chain == NULL ? 0 : sk_X509_num(chain);
    ccurl_certificate *certificates = calloc(count > 0 ? count : 1, sizeof *certificates);
    if (certificates == NULL) return CCURL_REFUSED;
    ccurl_judgement judgement = CCURL_REFUSED;
    int encoded = 0;
    for (; encoded < count; encoded++) {
        unsigned char *bytes = NULL;
        int size = i2d_X509(sk_X509_value(chain, encoded), &bytes);
        if (size < 0) break;
        certificates[encoded] = (ccurl_certificate){ bytes, (size_t)size };
    }
    if (encoded == count) judgement = verification->judge(verification->context, verified, certificates, count);
    for (int i = 0; i < encoded; i++) OPENSSL_free((void *)certificates[i].bytes);
    free(certificates);
    return judgement;
}

/// OpenSSL's verification of a server, with a judge behind it.
static int verify_and_judge(X509_STORE_CTX *store, void *argument) {
    const ccurl_verification *verification = argument;
    int is_valid = X509_verify_cert(store) > 0;
    long verified = X509_STORE_CTX_get_error(store);
    if (!is_valid && verified == X509_V_OK) verified = X509_V_ERR_UNSPECIFIED;
    X509 *leaf = X509_STORE_CTX_get0_cert(store);
    if (is_valid && (leaf == NULL || names_host(leaf, verification->host) <= 0)) {
        verified = X509_V_ERR_HOSTNAME_MISMATCH;
    }
    const STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(store);
    if (chain == NULL || sk_X509_num(chain) == 0) chain = X509_STORE_CTX_get0_untrusted(store);
    switch (judge_chain(verification, verified, chain)) {
    case CCURL_ACCEPTED:
        X509_STORE_CTX_set_error(store, X509_V_OK);
        return 1;
    case CCURL_AS_VERIFIED:
        X509_STORE_CTX_set_error(store, (int)verified);
        return verified == X509_V_OK;
    default:
        X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
        return 0;
    }
}

static CURLcode prepare_context(CURL *handle, void *context, void *argument) {
    (void)handle;
    const ccurl_verification *verification = argument;
    if (verification->time != 0) X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context), (time_t)verification->time);
    if (verification->judge != NULL) SSL_CTX_set_cert_verify_callback(context, verify_and_judge, argument);
    return CURLE_OK;
}

CURLcode ccurl_set_verification(CURL *handle, const ccurl_verification *verification) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, prepare_context);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, (void *)verification);
}

const char *ccurl_verification_text(long verified) { return X509_verify_cert_error_string(verified); }
