// SPDX-License-Identifier: Apache-2.0

// The raw OpenSSL operations behind the protocol's three measured tasks, on EVP and nothing else.
//
// Each function repeats its task `rounds` times with fixed inputs and returns 0, or the line that failed.
// Algorithms, curve parameters and long-lived keys are fetched once, as any sound program does.
#pragma once
#include <stddef.h>

// Request signature of possession (1 factor), or possession and knowledge (2): the factor keys unlocked
// (AES), the request encoded, two or five HMACs, the result encoded, the counter moved (SHA-256).
int baseline_signature(long rounds, int factors, size_t body_length);

// ECIES of protocol 3.3: key pair, ECDH, X9.63, encrypt and authenticate a request; authenticate and
// decrypt a response of the same size.
int baseline_ecies(long rounds, size_t body_length);

// Key exchange of the client: master key and server key imported, code signature verified, key pair, ECDH,
// five derivations, fingerprint, four protected factor keys, the device key sealed. `iterations` rounds of PBKDF2
// (0 leaves the password out).
int baseline_key_exchange(long rounds, int iterations);

// PBKDF2 with the given iterations, alone.
int baseline_password(long rounds, int iterations);

// Authentication code of protocol 4 with possession and knowledge: the request encoded, four KMACs, the result encoded,
// the counter moved (SHA3-256).
int baseline_code(long rounds, size_t body_length);

// End-to-end encryption of protocol 4 under a temporary key: 24 random bytes; for request and response two derived keys,
// AES in counter mode, and the tag.
int baseline_aead(long rounds, size_t body_length);
