// SPDX-License-Identifier: Apache-2.0

public import CFNetwork
public import Foundation
import SimulatedDevice

/// The keys of a keychain query that the simulated keychain has a meaning for. An attribute that it cannot keep has no name
/// here, so an app that uses one does not compile (docs/own-app.md).
enum KeychainAttribute: String {
    case itemClass = "class"
    case service = "svce"
    case account = "acct"
    case accessGroup = "agrp"
    case accessible = "pdmn"
    case synchronizable = "sync"
    case valueData = "v_Data"
    case returnData = "r_Data"
    case returnAttributes = "r_Attributes"
    case matchLimit = "m_Limit"
    case useDataProtectionKeychain = "nleg"
    case useAuthenticationContext = "u_AuthCtx"
    case useAuthenticationUI = "u_AuthUI"
    case useOperationPrompt = "u_OpPrompt"
}

/// The words that are values of such keys.
enum KeychainWord: String {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
    case identity = "idnt"
    case one = "m_LimitOne"
    case all = "m_LimitAll"
    case anySynchronizable = "syna"
    case allowUI = "u_AuthUIA"
    case failUI = "u_AuthUIF"
}

extension RawRepresentable<String> {
    fileprivate var text: CFString { rawValue as NSString }
}

extension KeychainAccessibility {
    /// The platform's word for it.
    var word: String {
        switch self {
        case .afterFirstUnlockThisDeviceOnly: "cku"
        case .afterFirstUnlock: "ck"
        case .whenUnlockedThisDeviceOnly: "aku"
        case .whenUnlocked: "ak"
        }
    }
}

// MARK: Classes

/// The kind of an item.
public var kSecClass: CFString { KeychainAttribute.itemClass.text }
/// A secret of an app, identified by service, account and access group: the kind that the simulated keychain holds.
public var kSecClassGenericPassword: CFString { KeychainWord.genericPassword.text }
/// A password of a server; there are none on the simulated device.
public var kSecClassInternetPassword: CFString { KeychainWord.internetPassword.text }
/// A certificate; there are none on the simulated device.
public var kSecClassCertificate: CFString { KeychainWord.certificate.text }
/// A key; there are none on the simulated device.
public var kSecClassKey: CFString { KeychainWord.key.text }
/// A key with its certificate; there are none on the simulated device.
public var kSecClassIdentity: CFString { KeychainWord.identity.text }

// MARK: Attributes

/// Service of the item, a text.
public var kSecAttrService: CFString { KeychainAttribute.service.text }
/// Account of the item, a text.
public var kSecAttrAccount: CFString { KeychainAttribute.account.text }
/// Access group of the item, a text: one of the app's own.
public var kSecAttrAccessGroup: CFString { KeychainAttribute.accessGroup.text }
/// When the item can be read; `kSecAttrAccessibleWhenUnlocked` unless an addition says so.
public var kSecAttrAccessible: CFString { KeychainAttribute.accessible.text }
/// Whether the item is on all devices of the user: `false` or ``kSecAttrSynchronizableAny``, since the simulated keychain
/// has no cloud.
public var kSecAttrSynchronizable: CFString { KeychainAttribute.synchronizable.text }
/// Items whether they are on all devices of the user or not.
public var kSecAttrSynchronizableAny: CFString { KeychainWord.anySynchronizable.text }
/// The bytes of the item.
public var kSecValueData: CFString { KeychainAttribute.valueData.text }

/// While the device is unlocked.
public var kSecAttrAccessibleWhenUnlocked: CFString { KeychainAccessibility.whenUnlocked.word as NSString }
/// While the device is unlocked; stays on the device.
public var kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString {
    KeychainAccessibility.whenUnlockedThisDeviceOnly.word as NSString
}
/// After the first unlock of the device.
public var kSecAttrAccessibleAfterFirstUnlock: CFString { KeychainAccessibility.afterFirstUnlock.word as NSString }
/// After the first unlock of the device; stays on the device.
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString {
    KeychainAccessibility.afterFirstUnlockThisDeviceOnly.word as NSString
}

// MARK: What a search gives

/// Whether the bytes are wanted.
public var kSecReturnData: CFString { KeychainAttribute.returnData.text }
/// Whether the attributes are wanted, in a dictionary, with the bytes where these are wanted too.
public var kSecReturnAttributes: CFString { KeychainAttribute.returnAttributes.text }
/// The most items that are wanted: a number from 1, or one of the two words; one unless it is given.
public var kSecMatchLimit: CFString { KeychainAttribute.matchLimit.text }
/// One item.
public var kSecMatchLimitOne: CFString { KeychainWord.one.text }
/// All items, in a list.
public var kSecMatchLimitAll: CFString { KeychainWord.all.text }

// MARK: How a search asks for the owner of the device

/// Whether the keychain of iOS is meant on a Mac; here there is no other.
public var kSecUseDataProtectionKeychain: CFString { KeychainAttribute.useDataProtectionKeychain.text }
/// The `LAContext` in which the owner of the device is asked for.
public var kSecUseAuthenticationContext: CFString { KeychainAttribute.useAuthenticationContext.text }
/// Whether a dialog may open.
public var kSecUseAuthenticationUI: CFString { KeychainAttribute.useAuthenticationUI.text }
/// A dialog may open, as it may unless something is said.
public var kSecUseAuthenticationUIAllow: CFString { KeychainWord.allowUI.text }
/// No dialog opens: what would need one fails with `errSecInteractionNotAllowed`.
public var kSecUseAuthenticationUIFail: CFString { KeychainWord.failUI.text }
/// The text of the dialog.
public var kSecUseOperationPrompt: CFString { KeychainAttribute.useOperationPrompt.text }
