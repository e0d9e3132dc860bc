// SPDX-License-Identifier: Apache-2.0

#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Composed of other macros, which Swift does not import.
static const int EVP_PKEY_SELECT_KEYPAIR = EVP_PKEY_KEYPAIR;
static const int EVP_PKEY_SELECT_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
