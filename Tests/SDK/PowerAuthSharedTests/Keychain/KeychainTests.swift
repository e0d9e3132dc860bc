// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("The SDK's keychain (sharing.md, section 12.4)", .endsInTime)
struct KeychainTests {
    private let device: TemporaryDevice
    private let sandbox: Sandbox
    private let keychain: PowerAuthKeychain

    init() throws {
        device = try TemporaryDevice()
        sandbox = try device.sandbox(keychainAccessGroups: [SharingApp.accessGroup])
        keychain = PowerAuthKeychain(identifier: "service", accessGroup: nil, system: sandbox.keychain)
    }

    @Test func `Values are added once, updated, read and deleted`() {
        #expect(keychain.updateValue(Data([1]), forKey: "k") == .notFound)
        #expect(keychain.addValue(Data([1]), forKey: "k") == .ok)
        #expect(keychain.addValue(Data([2]), forKey: "k") == .duplicate)
        #expect(keychain.updateValue(Data([3]), forKey: "k") == .ok)
        #expect(keychain.data(forKey: "k") == Data([3]))
        #expect(keychain.containsData(forKey: "k"))
        #expect(keychain.deleteData(forKey: "k"))
        #expect(!keychain.deleteData(forKey: "k"))
        #expect(!keychain.containsData(forKey: "k"))
        var status = errSecSuccess
        #expect(keychain.data(forKey: "k", status: &status) == nil)
        #expect(status == errSecItemNotFound)
    }

    @Test func `Services are apart, and all items of one can be listed and deleted`() {
        let other = PowerAuthKeychain(identifier: "other", accessGroup: nil, system: sandbox.keychain)
        #expect(keychain.allItems() == nil)
        keychain.addValue(Data([1]), forKey: "a")
        keychain.addValue(Data([2]), forKey: "b")
        other.addValue(Data([3]), forKey: "a")
        #expect(keychain.allItems() as? [String: Data] == ["a": Data([1]), "b": Data([2])])
        keychain.deleteAllData()
        #expect(keychain.allItems() == nil)
        #expect(other.data(forKey: "a") == Data([3]))
    }

    @Test func `A biometric item cannot be stored without biometry`() {
        #expect(keychain.addValue(Data(), forKey: "k", access: .anyBiometricSet) == .biometryNotAvailable)
        #expect(!keychain.containsData(forKey: "k"))
    }

    @Test func `A group without entitlement: nothing is stored, and the item seems to exist`() {
        let foreign = PowerAuthKeychain(identifier: "service", accessGroup: "OTHER.group", system: sandbox.keychain)
        #expect(foreign.addValue(Data(), forKey: "k") == .duplicate)
        #expect(foreign.containsData(forKey: "k"))
        var status = errSecSuccess
        #expect(foreign.data(forKey: "k", status: &status) == nil)
        #expect(status == errSecMissingEntitlement)
    }

    @Test func `One biometric request of the process at a time`() {
        var inner: Bool?
        let outer: Void? = sandbox.authentication.exclusively {
            inner = sandbox.authentication.exclusively {} != nil
        }
        #expect(outer != nil)
        #expect(inner == false)
        #expect(!PowerAuthKeychain.tryLockBiometryAndExecute {}, "a process without a device has no biometry")
        let info = PowerAuthKeychain.biometricAuthenticationInfo
        #expect(info.currentStatus == .notSupported && info.biometryType == .none)
        #expect(!PowerAuthKeychain.canUseBiometricAuthentication)
        #expect(PowerAuthKeychain.supportedBiometricAuthentication == .none)
    }
}
