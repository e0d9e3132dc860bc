// SPDX-License-Identifier: Apache-2.0

public import CFNetwork
public import Foundation
public import SimulatedDevice

/// A source of random bytes; there is one.
public struct SecRandomRef: Sendable {}

/// The system's source of random bytes.
public let kSecRandomDefault: SecRandomRef? = SecRandomRef()

/// Writes random bytes that are good for keys. Thread rule: any thread.
/// - Parameters:
///   - rnd: ``kSecRandomDefault``, or nil for the same.
///   - count: how many bytes, from 0.
///   - bytes: where they go; room for `count` of them.
/// - Returns: `errSecSuccess`, or `errSecParam` for a number below 0.
@discardableResult
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    guard count >= 0 else { return errSecParam }
    var generator = SystemRandomNumberGenerator()
    for byte in UnsafeMutableRawBufferPointer(start: bytes, count: count).indices {
        bytes.storeBytes(of: generator.next(), toByteOffset: byte, as: UInt8.self)
    }
    return errSecSuccess
}

/// A sentence about the result of a keychain call, for a developer. Thread rule: any thread.
/// - Parameters:
///   - status: the result.
///   - reserved: nil.
/// - Returns: the sentence; nil for a number that no call of the simulated keychain gives.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    let sentence: String? =
        switch status {
        case errSecSuccess: "No error."
        case errSecUnimplemented: "The function is not implemented."
        case errSecDiskFull: "The disk is full."
        case errSecIO: "The keychain could not be read or written."
        case errSecParam: "A parameter is not valid."
        case errSecUserCanceled: "The user has cancelled the dialog."
        case errSecBadReq: "The request is not valid."
        case errSecNotAvailable: "There is no keychain."
        case errSecReadOnly: "The keychain cannot be written."
        case errSecAuthFailed: "The user was not confirmed."
        case errSecDuplicateItem: "The item exists already."
        case errSecItemNotFound: "There is no such item."
        case errSecInteractionNotAllowed: "A dialog is needed and not allowed, or the device is locked."
        case errSecDecode: "The stored value is damaged."
        case errSecMissingEntitlement: "The app is not entitled to the access group."
        case errSecInvalidContext: "The authentication context cannot be used."
        default: nil
        }
    return sentence.map { $0 as NSString }
}
