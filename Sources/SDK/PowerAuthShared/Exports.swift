// SPDX-License-Identifier: Apache-2.0

// `URLAuthenticationChallenge` and its kind are part of Foundation on Apple's platforms, so an application does not import
// the module that they have on Linux.
@_exported public import FoundationNetworking
// The SDK modules re-export this module, and this module re-exports the core, so that an application
// that imports only `PowerAuth2` sees every vendor type exactly once (sdk.md, section 3, item 1).
@_exported public import PowerAuthCore
