// SPDX-License-Identifier: Apache-2.0

// `CFNetworkErrors` and CoreFoundation's names come with Foundation on Apple's platforms.
@_exported public import CFNetwork
// `URLAuthenticationChallenge` and its kind are part of Foundation on Apple's platforms, so an application does not import
// the module that they have on Linux.
@_exported public import FoundationNetworking
// The vendor's headers import the frameworks of these types, and a header's import is handed on: an application that
// imports only the SDK has `LAContext` and `WCSession` (sdk.md, section 3, item 16).
@_exported public import LocalAuthentication
// The SDK modules re-export this module, and this module re-exports the core, so that an application
// that imports only `PowerAuth2` sees every vendor type exactly once (sdk.md, section 3, item 1).
@_exported public import PowerAuthCore
@_exported public import WatchConnectivity

// The type of a keychain's status, which Foundation has on Apple's platforms.
@_exported public import typealias SimulatedDevice.OSStatus
