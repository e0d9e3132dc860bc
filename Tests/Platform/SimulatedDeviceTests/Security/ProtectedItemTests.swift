// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Protected items, and a device before its first unlock", .endsInTime)
struct ProtectedItemTests {
    private let value = Data([1, 2, 3])

    private func status(
        _ owner: Owner, _ account: String, _ authentication: KeychainAuthentication = .systemDialog
    ) async throws -> OSStatus {
        try await onThread {
            owner.sandbox.keychain.read(service: "s", account: account, authentication: authentication).status
        }
    }

    private func add(_ owner: Owner, _ account: String, _ protection: KeychainProtection) {
        let written = owner.sandbox.keychain.add(value, service: "s", account: account, protection: protection)
        #expect(written.status == errSecSuccess)
    }

    @Test func `A protected item is given out after the dialog, with the status of each answer`() async throws {
        let owner = try Owner()
        add(owner, "k", .anyBiometricSet)
        try owner.answer(.success, .cancel, .failure)
        #expect(try await status(owner, "k") == errSecSuccess)
        #expect(try await status(owner, "k") == errSecUserCanceled)
        #expect(try await status(owner, "k") == errSecAuthFailed)
        #expect(try await status(owner, "k", .forbidden) == errSecInteractionNotAllowed)
        owner.context.invalidate()
        #expect(try await status(owner, "k", .context(owner.context)) == errSecInvalidContext)
    }

    @Test func `A confirmed context reads without a dialog, also all items of a service`() async throws {
        let owner = try Owner()
        add(owner, "a", .anyBiometricSet)
        add(owner, "b", .currentBiometricSet)
        try owner.answer(.success)
        #expect(try await owner.ask(in: owner.context) == nil)
        #expect(try await status(owner, "a", .context(owner.context)) == errSecSuccess)
        let items = owner.sandbox.keychain.items(service: "s", authentication: .context(owner.context))
        #expect(items.values == ["a": value, "b": value])
    }

    @Test func `A change of the enrolled set destroys items that are linked to it, and no others`() async throws {
        let owner = try Owner()
        add(owner, "current", .currentBiometricSet)
        add(owner, "any", .anyBiometricSet)
        add(owner, "passcode", .anyBiometricSetOrDevicePasscode)
        try owner.security.changeState { try $0.alter() }
        #expect(try await status(owner, "current") == errSecItemNotFound)
        #expect(try await status(owner, "current", .forbidden) == errSecItemNotFound)
        try owner.answer(.success, .passcode)
        #expect(try await status(owner, "any") == errSecSuccess)
        #expect(try await status(owner, "passcode") == errSecSuccess)
        try owner.security.changeState { $0.removeEnrolled() }
        #expect(try await status(owner, "any") == errSecAuthFailed)
        try owner.answer(.passcode)
        #expect(try await status(owner, "passcode") == errSecSuccess)
    }

    @Test func `A confirmation by passcode does not open an item that requires biometry`() async throws {
        let owner = try Owner()
        add(owner, "any", .anyBiometricSet)
        try owner.answer(.passcode, .cancel)
        #expect(try await owner.ask(.biometryOrPasscode, in: owner.context) == nil)
        #expect(try await status(owner, "any", .context(owner.context)) == errSecUserCanceled)
    }

    @Test func `An update takes the protection away; an item linked to no enrolled set cannot be added`() async throws {
        let owner = try Owner()
        add(owner, "k", .anyBiometricSet)
        #expect(owner.sandbox.keychain.update(Data([9]), service: "s", account: "k").status == errSecSuccess)
        #expect(try await status(owner, "k", .forbidden) == errSecSuccess)
        try owner.security.changeState { $0.removeEnrolled() }
        let written = owner.sandbox.keychain.add(value, service: "s", account: "l", protection: .currentBiometricSet)
        #expect(written.status == errSecAuthFailed)
    }

    @Test
    func `Before the first unlock nothing can be read, stored or deleted; afterwards all is there, locked or not`()
        throws
    {
        let sandbox = try TemporaryDevice().sandbox(appGroups: ["group.example"])
        let keychain = sandbox.keychain
        let defaults = try #require(sandbox.defaults())
        let vendor = sandbox.device.vendorIdentifier
        keychain.add(value, service: "s", account: "a")
        defaults.set(true, forKey: "flag")

        try sandbox.security.changeState { $0.reboot() }
        #expect(keychain.read(service: "s", account: "a").status == errSecInteractionNotAllowed)
        #expect(keychain.add(value, service: "s", account: "b").status == errSecInteractionNotAllowed)
        #expect(keychain.delete(service: "s", account: "a") == errSecInteractionNotAllowed)
        #expect(!defaults.bool(forKey: "flag"))
        defaults.set(false, forKey: "flag")
        #expect(sandbox.device.vendorIdentifier.isEmpty)
        #expect(sandbox.containerPath(forAppGroup: "group.example") == nil)

        try sandbox.security.changeState { $0.unlock() }
        try sandbox.security.changeState { $0.lock() }
        #expect(keychain.read(service: "s", account: "a").value == value)
        #expect(defaults.bool(forKey: "flag"))
        #expect(sandbox.device.vendorIdentifier == vendor)
        #expect(sandbox.containerPath(forAppGroup: "group.example") != nil)
    }

    @Test
    func `Uninstalling an app removes its container, not its keychain; the vendor identifier ends with the last app`()
        throws
    {
        let device = try TemporaryDevice()
        let apps = ["a", "b"].map { name in
            AppSpec(
                name: name, kind: .app, bundleIdentifier: "com.example." + name, appGroups: ["group.example"],
                powerAuth: PowerAuthSpec(sdk: .full, instanceId: "test"))
        }
        var spec = device.spec
        spec.apps = apps
        let registry = DeviceRegistry(layout: device.layout, device: spec.name)
        let first = try device.sandbox(for: apps[0])
        let vendor = first.device.vendorIdentifier
        let group = try #require(first.containerPath(forAppGroup: "group.example"))
        first.keychain.add(value, service: "s", account: "k")

        try registry.uninstall([apps[0]], from: spec)
        #expect(try !registry.isInstalled("com.example.a"))
        #expect(!Files.exists(first.home) && Files.exists(group))
        #expect(try registry.vendorIdentifier(team: spec.team) == vendor)
        try registry.install("com.example.a")
        #expect(try registry.isInstalled("com.example.a"))
        let again = try device.sandbox(for: apps[0])
        #expect(again.home != first.home)
        #expect(again.keychain.read(service: "s", account: "k").value == value)

        try registry.uninstall(apps, from: spec)
        #expect(!Files.exists(group))
        #expect(try registry.vendorIdentifier(team: spec.team) != vendor)
        try registry.erase()
        #expect(try registry.isInstalled("com.example.a") && registry.isInstalled("com.example.b"))
    }
}
