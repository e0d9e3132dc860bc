// SPDX-License-Identifier: Apache-2.0

// On Apple's platforms Security hands on CoreFoundation, and nearly every file that imports it imports Foundation too.
@_exported public import CFNetwork
@_exported public import Foundation

// The results of keychain calls are those of the simulated keychain.
@_exported public import typealias SimulatedDevice.OSStatus
@_exported public import let SimulatedDevice.errSecAuthFailed
@_exported public import let SimulatedDevice.errSecBadReq
@_exported public import let SimulatedDevice.errSecDecode
@_exported public import let SimulatedDevice.errSecDiskFull
@_exported public import let SimulatedDevice.errSecDuplicateItem
@_exported public import let SimulatedDevice.errSecIO
@_exported public import let SimulatedDevice.errSecInteractionNotAllowed
@_exported public import let SimulatedDevice.errSecInvalidContext
@_exported public import let SimulatedDevice.errSecItemNotFound
@_exported public import let SimulatedDevice.errSecMissingEntitlement
@_exported public import let SimulatedDevice.errSecNotAvailable
@_exported public import let SimulatedDevice.errSecParam
@_exported public import let SimulatedDevice.errSecReadOnly
@_exported public import let SimulatedDevice.errSecSuccess
@_exported public import let SimulatedDevice.errSecUnimplemented
@_exported public import let SimulatedDevice.errSecUserCanceled
