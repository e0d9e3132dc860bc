// SPDX-License-Identifier: Apache-2.0

#include "EVPBaseline.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) do { if (!(condition)) return __LINE__; } while (0)

static EVP_MAC_CTX *template;
static EVP_CIPHER *aes;
static EVP_MD *sha3;

static int prepare(void) {
    if (sha3) return 0;
    static const unsigned char key[32];
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "KMAC-256", NULL);
    CHECK(mac && (template = EVP_MAC_CTX_new(mac)) && EVP_MAC_init(template, key, 32, NULL));
    CHECK(aes = EVP_CIPHER_fetch(NULL, "AES-256-CTR", NULL));
    CHECK(sha3 = EVP_MD_fetch(NULL, "SHA3-256", NULL));
    return 0;
}

// The size of the output enters the result.
static int kmac(EVP_MAC_CTX *context, const unsigned char *key, const char *custom, const unsigned char *data,
                size_t length, unsigned char output[32]) {
    size_t size = 32, written = 0;
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string("custom", (void *)custom, strlen(custom)),
        OSSL_PARAM_construct_size_t("size", &size), OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_init(context, key, 32, parameters) && EVP_MAC_update(context, data, length)
        && EVP_MAC_final(context, output, &written, 32);
}

static int stream(const unsigned char *key, const unsigned char *nonce, const unsigned char *data, size_t length,
                  unsigned char *output) {
    unsigned char counter[16] = {0};
    memcpy(counter, nonce, 12);
    int written = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = context && EVP_CipherInit_ex2(context, aes, key, counter, 1, NULL)
        && EVP_CipherUpdate(context, output, &written, data, (int)length);
    EVP_CIPHER_CTX_free(context);
    return done;
}

int baseline_code(long rounds, size_t body_length) {
    int failure = prepare();
    if (failure) return failure;
    static const unsigned char keys[2][32] = {{1}, {2}};
    unsigned char counter[32] = {3}, *body = calloc(1, body_length), *data = malloc(4 * body_length + 200);
    CHECK(body && data);
    for (long round = 0; round < rounds; round++) {
        unsigned char chain[64], components[64], text[89], *end = data;
        // POST & uriId & nonce & body & secret
        memcpy(end, "POST&", 5);
        end += 5;
        end += EVP_EncodeBlock(end, (const unsigned char *)"/operation/authorize", 20);
        *end++ = '&';
        memcpy(end, "ICEiIyQlJicoKSorLC0uLw==&", 25);
        end += 25;
        end += EVP_EncodeBlock(end, body, (int)body_length);
        memcpy(end, "&EBESExQVFhcYGRobHB0eHw==", 25);
        end += 25;
        EVP_MAC_CTX *context = EVP_MAC_CTX_dup(template);
        memcpy(chain, counter, 32);
        CHECK(context && kmac(context, keys[0], "PA4CODE", chain, 32, chain + 32));
        CHECK(kmac(context, chain + 32, "PA4CODE", data, (size_t)(end - data), components));
        CHECK(kmac(context, keys[1], "PA4CODE", chain, 64, chain + 32));
        CHECK(kmac(context, chain + 32, "PA4CODE", data, (size_t)(end - data), components + 32));
        EVP_MAC_CTX_free(context);
        CHECK(EVP_EncodeBlock(text, components, 64) == 88);
        CHECK(EVP_Digest(counter, 32, counter, NULL, sha3, NULL));
    }
    free(body);
    free(data);
    return 0;
}

int baseline_aead(long rounds, size_t body_length) {
    int failure = prepare();
    if (failure) return failure;
    static const unsigned char key[32] = {1}, information[64] = {2};
    // Nonce, 188 bytes of associated data, cipher text.
    unsigned char *plain = calloc(1, body_length), *sealed = calloc(1, body_length + 200);
    CHECK(plain && sealed);
    for (long round = 0; round < rounds; round++) {
        for (int direction = 0; direction < 2; direction++) {
            unsigned char encryption[32], authentication[32], tag[32];
            CHECK(direction == 1 || RAND_bytes(sealed, 24) == 1);
            EVP_MAC_CTX *context = EVP_MAC_CTX_dup(template);
            CHECK(context && kmac(context, key, "PA4KDF", information, 64, encryption));
            CHECK(kmac(context, key, "PA4KDF", information, 64, authentication));
            CHECK(stream(encryption, sealed, plain, body_length, sealed + 200));
            CHECK(kmac(context, authentication, "PA4MAC-AEAD", sealed, body_length + 200, tag));
            EVP_MAC_CTX_free(context);
        }
    }
    free(plain);
    free(sealed);
    return 0;
}
