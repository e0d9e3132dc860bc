// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation

/// Identity of a generic password item.
public struct KeychainKey: Hashable, Codable, Sendable {
    /// Service of the item.
    public let service: String
    /// Account of the item.
    public let account: String
    /// Access group that owns it.
    public let accessGroup: String
}

struct KeychainItem: Codable, Sendable {
    let key: KeychainKey
    let value: Data
    let checksum: Data
    let revision: Int64
    let generation: Int64
    /// Bundle identifier of the app that has added it.
    let creator: String
    let protection: KeychainProtection
    /// The enrolled set that ``KeychainProtection/currentBiometricSet`` means; 0 for the other protections.
    let enrolment: Int
    let accessibility: KeychainAccessibility

    /// Whether the bytes are those that were written.
    var isIntact: Bool { checksum == Self.checksum(of: value, at: key) }

    /// SHA-256 over the item's identity and value, each part preceded by its length (8 bytes, big endian), so that
    /// a value copied to another row is noticed as well.
    static func checksum(of value: Data, at key: KeychainKey) -> Data {
        var message = Data(capacity: 96 + value.count)
        for part in [Data(key.service.utf8), Data(key.account.utf8), Data(key.accessGroup.utf8), value] {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { message.append(contentsOf: $0) }
            message.append(part)
        }
        return sha256(message)
    }
}

func sha256(_ message: Data) -> Data {
    var digest = Data(count: 32)
    digest.withUnsafeMutableBytes { output in
        message.withUnsafeBytes { input in
            // A null input pointer is allowed for an empty message.
            _ = EVP_Digest(
                input.baseAddress, input.count, output.bindMemory(to: UInt8.self).baseAddress, nil, EVP_sha256(), nil)
        }
    }
    return digest
}

/// The authentication that is required to read an item's value (sharing.md, section 12.3).
public enum KeychainProtection: Int, Codable, Sendable {
    /// No authentication; an unlocked device is enough.
    case none = 0
    /// The owner, by a finger or face of the set that was enrolled when the item was added.
    case currentBiometricSet = 1
    /// The owner, by any enrolled finger or face.
    case anyBiometricSet = 2
    /// The owner, by any enrolled finger or face, or by the passcode.
    case anyBiometricSetOrDevicePasscode = 3

    /// The policy that must be fulfilled; nil without protection.
    var policy: AuthenticationPolicy? {
        switch self {
        case .none: nil
        case .currentBiometricSet, .anyBiometricSet: .biometry
        case .anyBiometricSetOrDevicePasscode: .biometryOrPasscode
        }
    }
}

/// When an item can be read, and where a backup may bring it to (sharing.md, sections 12.3 and 21.6). No item can be read
/// before the first unlock of the device.
public enum KeychainAccessibility: Int, Codable, CaseIterable, Sendable {
    /// `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`: back to the device that it was made on only.
    case afterFirstUnlockThisDeviceOnly = 0
    /// `kSecAttrAccessibleAfterFirstUnlock`: to any device.
    case afterFirstUnlock = 1
    /// `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`: as the first, and out of reach while the device is locked.
    case whenUnlockedThisDeviceOnly = 2
    /// `kSecAttrAccessibleWhenUnlocked`: to any device, and out of reach while the device is locked.
    case whenUnlocked = 3

    /// Whether a backup brings the item to another device.
    var leavesDevice: Bool { self == .afterFirstUnlock || self == .whenUnlocked }
    /// Whether the item is out of reach while the device is locked.
    var needsUnlockedDevice: Bool { self == .whenUnlockedThisDeviceOnly || self == .whenUnlocked }
}

/// How a read of protected items may ask for the owner.
package enum KeychainAuthentication: Sendable {
    /// Not at all; a protected item is reported as ``errSecInteractionNotAllowed``.
    case forbidden
    /// By a dialog of the system, with a text of its own.
    case systemDialog
    /// Within a conversation of the app, which may have been confirmed already.
    case context(AuthenticationContext)
}

/// Result code of a keychain call, as the platform's Security framework spells it.
public typealias OSStatus = Int32

/// The call succeeded.
public let errSecSuccess: OSStatus = 0
/// The function is not implemented on this platform.
public let errSecUnimplemented: OSStatus = -4
/// The disk is full.
public let errSecDiskFull: OSStatus = -34
/// The database could not be read or written.
public let errSecIO: OSStatus = -36
/// A parameter is not valid.
public let errSecParam: OSStatus = -50
/// The user cancelled the dialog.
public let errSecUserCanceled: OSStatus = -128
/// The request itself makes no sense.
public let errSecBadReq: OSStatus = -909
/// No keychain is available.
public let errSecNotAvailable: OSStatus = -25291
/// The keychain cannot be written.
public let errSecReadOnly: OSStatus = -25292
/// Authentication of the user failed.
public let errSecAuthFailed: OSStatus = -25293
/// An item with the same identity exists.
public let errSecDuplicateItem: OSStatus = -25299
/// There is no such item.
public let errSecItemNotFound: OSStatus = -25300
/// The item needs interaction with the user, or the device was not unlocked since it started.
public let errSecInteractionNotAllowed: OSStatus = -25308
/// The stored value is damaged.
public let errSecDecode: OSStatus = -26275
/// The process is not entitled to the access group.
public let errSecMissingEntitlement: OSStatus = -34018
/// The authentication context cannot be used.
public let errSecInvalidContext: OSStatus = -67746
