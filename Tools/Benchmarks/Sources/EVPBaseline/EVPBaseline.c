// SPDX-License-Identifier: Apache-2.0

#include "EVPBaseline.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) do { if (!(condition)) return __LINE__; } while (0)

static EVP_MAC *hmac;
static EVP_CIPHER *aes;
static EVP_MD *sha256, *sha1;
static EVP_PKEY *curve;
static OSSL_PARAM hmac_parameters[2];

static int prepare(void) {
    if (curve) return 0;
    CHECK(hmac = EVP_MAC_fetch(NULL, "HMAC", NULL));
    CHECK(aes = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL));
    CHECK(sha256 = EVP_MD_fetch(NULL, "SHA256", NULL));
    CHECK(sha1 = EVP_MD_fetch(NULL, "SHA1", NULL));
    hmac_parameters[0] = OSSL_PARAM_construct_utf8_string("digest", "SHA256", 0);
    hmac_parameters[1] = OSSL_PARAM_construct_end();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    CHECK(context && EVP_PKEY_paramgen_init(context) == 1);
    CHECK(EVP_PKEY_CTX_set_group_name(context, "P-256") == 1 && EVP_PKEY_paramgen(context, &curve) == 1);
    EVP_PKEY_CTX_free(context);
    return 0;
}

static int mac(EVP_MAC_CTX *context, const unsigned char *key, size_t key_length, const unsigned char *data,
               size_t length, unsigned char output[32]) {
    size_t written = 0;
    return EVP_MAC_init(context, key, key_length, NULL) && EVP_MAC_update(context, data, length)
        && EVP_MAC_final(context, output, &written, 32);
}

static EVP_MAC_CTX *new_mac(void) {
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    if (context) EVP_MAC_CTX_set_params(context, hmac_parameters);
    return context;
}

static int cipher(int encrypting, const unsigned char *key, const unsigned char *iv, int padding,
                  const unsigned char *data, size_t length, unsigned char *output) {
    int written = 0, tail = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = context && EVP_CipherInit_ex2(context, aes, key, iv, encrypting, NULL)
        && EVP_CIPHER_CTX_set_padding(context, padding)
        && EVP_CipherUpdate(context, output, &written, data, (int)length)
        && EVP_CipherFinal_ex(context, output + written, &tail);
    EVP_CIPHER_CTX_free(context);
    return done ? written + tail : -1;
}

static EVP_PKEY *generate(void) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, curve, NULL);
    if (context && EVP_PKEY_keygen_init(context) == 1) EVP_PKEY_keygen(context, &key);
    EVP_PKEY_CTX_free(context);
    return key;
}

static EVP_PKEY *import(const unsigned char *point, size_t length) {
    EVP_PKEY *key = EVP_PKEY_new();
    if (key && EVP_PKEY_copy_parameters(key, curve) == 1 && EVP_PKEY_set1_encoded_public_key(key, point, length) == 1)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

static int shared_secret(EVP_PKEY *own, EVP_PKEY *peer, unsigned char output[32]) {
    size_t length = 32;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL);
    int done = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1
        && EVP_PKEY_derive(context, output, &length) == 1;
    EVP_PKEY_CTX_free(context);
    return done && length == 32;
}

static int public_point(EVP_PKEY *key, unsigned char output[65]) {
    size_t length = 0;
    return EVP_PKEY_get_octet_string_param(key, "pub", output, 65, &length) == 1 && length == 65;
}

static void fold(unsigned char *value) {
    for (int i = 0; i < 16; i++) value[i] ^= value[i + 16];
}

int baseline_signature(long rounds, int factors, size_t body_length) {
    int failure = prepare();
    if (failure) return failure;
    static const unsigned char zero[16];
    unsigned char locked[2][16] = {{1}, {2}}, unlock[2][16] = {{3}, {4}}, counter[16] = {5}, keys[2][32];
    static const char uri[] = "/pa/signature/validate";
    size_t encoded = (body_length + 2) / 3 * 4;
    unsigned char *body = calloc(1, body_length + 1), *data = malloc(encoded + 256);
    CHECK(body && data);
    for (long round = 0; round < rounds; round++) {
        unsigned char random[16], nonce[25], first[32], chain[32], second[32], components[64], result[45], hash[32];
        CHECK(cipher(0, unlock[0], zero, 0, locked[0], 16, keys[0]) == 16);
        if (factors > 1) CHECK(cipher(0, unlock[1], zero, 0, locked[1], 16, keys[1]) == 16);
        CHECK(RAND_bytes(random, 16) == 1);
        EVP_EncodeBlock(nonce, random, 16);
        size_t length = 5;
        memcpy(data, "POST&", 5);
        length += (size_t)EVP_EncodeBlock(data + length, (const unsigned char *)uri, sizeof uri - 1);
        data[length++] = '&';
        memcpy(data + length, nonce, 24);
        length += 24;
        data[length++] = '&';
        length += (size_t)EVP_EncodeBlock(data + length, body, (int)body_length);
        data[length++] = '&';
        memcpy(data + length, "EBESExQVFhcYGRobHB0eHw==", 24);
        length += 24;
        EVP_MAC_CTX *context = new_mac();
        CHECK(context);
        CHECK(mac(context, keys[0], 16, counter, 16, first));
        CHECK(mac(context, first, 32, data, length, components));
        memmove(components, components + 16, 16);
        if (factors > 1) {
            CHECK(mac(context, keys[1], 16, counter, 16, second));
            CHECK(mac(context, second, 32, second, 32, chain));
            CHECK(mac(context, chain, 32, data, length, components + 32));
            memcpy(components + 16, components + 48, 16);
        }
        EVP_MAC_CTX_free(context);
        EVP_EncodeBlock(result, components, 16 * factors);
        CHECK(EVP_Digest(counter, 16, hash, NULL, sha256, NULL));
        fold(hash);
        memcpy(counter, hash, 16);
    }
    free(body);
    free(data);
    return 0;
}

int baseline_ecies(long rounds, size_t body_length) {
    int failure = prepare();
    if (failure) return failure;
    EVP_PKEY *server = generate();
    unsigned char *plain = calloc(1, body_length + 16), *sealed = malloc(body_length + 32 + 256);
    CHECK(server && plain && sealed);
    for (long round = 0; round < rounds; round++) {
        unsigned char point[65], secret[32], envelope[64], nonce[16], iv[32], tag[32];
        EVP_PKEY *ephemeral = generate();
        CHECK(ephemeral && public_point(ephemeral, point) && shared_secret(ephemeral, server, secret));
        EVP_PKEY_free(ephemeral);
        // X9.63 of 48 bytes: two hashes of secret, index and information.
        EVP_MD_CTX *hash = EVP_MD_CTX_new();
        for (unsigned char index = 1; index <= 2; index++) {
            unsigned char number[4] = {0, 0, 0, index};
            CHECK(hash && EVP_DigestInit_ex(hash, index == 1 ? sha256 : NULL, NULL));
            CHECK(EVP_DigestUpdate(hash, secret, 32) && EVP_DigestUpdate(hash, number, 4));
            CHECK(EVP_DigestUpdate(hash, "3.3/pa/generic/activation", 25) && EVP_DigestUpdate(hash, point, 33));
            CHECK(EVP_DigestFinal_ex(hash, envelope + 32 * (index - 1), NULL));
        }
        EVP_MD_CTX_free(hash);
        CHECK(RAND_bytes(nonce, 16) == 1);
        EVP_MAC_CTX *context = new_mac();
        // Request: vector, cipher text, authentication code over it and 224 bytes of associated data.
        CHECK(context && mac(context, envelope + 32, 16, nonce, 16, iv));
        fold(iv);
        int length = cipher(1, envelope, iv, 1, plain, body_length, sealed);
        CHECK(length > 0);
        memset(sealed + length, 0, 224);
        CHECK(mac(context, envelope + 16, 16, sealed, (size_t)length + 224, tag));
        // Response of the same size: authentication code first, then vector and plain text.
        CHECK(mac(context, envelope + 16, 16, sealed, (size_t)length + 191, tag));
        CHECK(mac(context, envelope + 32, 16, nonce, 16, iv));
        fold(iv);
        EVP_MAC_CTX_free(context);
        CHECK(cipher(0, envelope, iv, 1, sealed, (size_t)length, plain) == (int)body_length);
    }
    EVP_PKEY_free(server);
    free(plain);
    free(sealed);
    return 0;
}

int baseline_key_exchange(long rounds, int iterations) {
    int failure = prepare();
    if (failure) return failure;
    static const unsigned char zero[16];
    EVP_PKEY *master = generate(), *server = generate();
    unsigned char master_point[65], server_point[65], digest[32], signature[80];
    size_t signature_length = sizeof signature;
    CHECK(master && server && public_point(master, master_point) && public_point(server, server_point));
    CHECK(EVP_Digest("AAAAA-AAAAA-AAAAA-AAAAA", 23, digest, NULL, sha256, NULL));
    EVP_PKEY_CTX *signing = EVP_PKEY_CTX_new_from_pkey(NULL, master, NULL);
    CHECK(EVP_PKEY_sign_init(signing) == 1);
    CHECK(EVP_PKEY_sign(signing, signature, &signature_length, digest, 32) == 1);
    EVP_PKEY_CTX_free(signing);
    for (long round = 0; round < rounds; round++) {
        unsigned char point[65], secret[32], keys[5][32], salt[16], unlock[16] = {7}, locked[32], sealed[64];
        // Start: the code's signature, the device's key pair.
        EVP_PKEY *trusted = import(master_point, 65);
        CHECK(trusted && EVP_Digest("AAAAA-AAAAA-AAAAA-AAAAA", 23, digest, NULL, sha256, NULL));
        EVP_PKEY_CTX *verifying = EVP_PKEY_CTX_new_from_pkey(NULL, trusted, NULL);
        CHECK(EVP_PKEY_verify_init(verifying) == 1);
        CHECK(EVP_PKEY_verify(verifying, signature, signature_length, digest, 32) == 1);
        EVP_PKEY_CTX_free(verifying);
        EVP_PKEY_free(trusted);
        EVP_PKEY *device = generate();
        CHECK(device && public_point(device, point));
        // Response: shared secret, the five keys, the fingerprint.
        EVP_PKEY *peer = import(server_point, 65);
        CHECK(peer && shared_secret(device, peer, secret));
        EVP_PKEY_free(peer);
        fold(secret);
        for (int i = 0; i < 5; i++) {
            unsigned char block[16] = {[15] = (unsigned char)(i + 1)};
            CHECK(cipher(1, secret, zero, 0, block, 16, keys[i]) == 16);
        }
        EVP_MD_CTX *hash = EVP_MD_CTX_new();
        CHECK(hash && EVP_DigestInit_ex(hash, sha256, NULL) && EVP_DigestUpdate(hash, point + 1, 32));
        CHECK(EVP_DigestUpdate(hash, "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11", 36));
        CHECK(EVP_DigestUpdate(hash, server_point + 1, 32) && EVP_DigestFinal_ex(hash, digest, NULL));
        EVP_MD_CTX_free(hash);
        // Completion: the factor keys are locked, the device's key is sealed.
        CHECK(RAND_bytes(salt, 16) == 1);
        if (iterations > 0) CHECK(PKCS5_PBKDF2_HMAC("1234", 4, salt, 16, iterations, sha1, 16, unlock));
        for (int i = 0; i < 4; i++) CHECK(cipher(1, unlock, zero, 0, keys[i], 16, locked) == 16);
        BIGNUM *number = NULL;
        CHECK(EVP_PKEY_get_bn_param(device, "priv", &number) == 1 && BN_bn2binpad(number, secret, 32) == 32);
        BN_clear_free(number);
        CHECK(cipher(1, keys[4], zero, 1, secret, 32, sealed) == 48);
        EVP_PKEY_free(device);
    }
    EVP_PKEY_free(master);
    EVP_PKEY_free(server);
    return 0;
}

int baseline_password(long rounds, int iterations) {
    int failure = prepare();
    if (failure) return failure;
    unsigned char salt[16] = {1}, key[16];
    for (long round = 0; round < rounds; round++)
        CHECK(PKCS5_PBKDF2_HMAC("1234", 4, salt, 16, iterations, sha1, 16, key));
    return 0;
}
