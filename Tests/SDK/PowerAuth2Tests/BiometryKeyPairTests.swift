// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LocalAuthentication
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

/// What a process leaves behind that dies while it replaces the factor; a refusal of the keychain makes the same. Real
/// deaths are in `EndToEndTests/Peers/BiometryDeathTests.swift`.
@Suite("The key of the biometry factor belongs to the factor (sharing.md, D21)", .endsInTime)
struct BiometryKeyPairTests {
    /// The keychain refuses the writes of a replacement one after the other: the counter of the signed request, the new
    /// key, the state with the factor, the key in its place.
    fileprivate enum Write: Int {
        case counter = 1
        case newKey, state, inPlace
    }

    private static let account = "com.example.instance"

    @Test(arguments: TestApp.Mode.allCases)
    func `A key that could not be put in its place signs from beside it, and is put there then`(mode: TestApp.Mode)
        async throws
    {
        let (app, sdk) = try await TestApp.withBiometry(mode)
        try app.refuse(.inPlace)
        #expect(await sdk.addBiometry() == nil)
        #expect(app.accounts.count == 1 && app.accounts != [Self.account])
        let next = try app.restarted()
        let others = mode == .sharing ? [try app.neighbour().sdk] : []
        for reader in [sdk, next] + others { #expect(reader.hasBiometryFactor()) }
        // Only those that share may sign in turn.
        for signer in mode == .sharing ? others + [sdk] : [next] {
            try app.answer(.success)
            #expect(try await app.sign(signer, with: .possessionWithBiometry(prompt: "Confirm")).get())
            #expect(app.accounts == [Self.account])
        }
    }

    @Test func `Keys read in advance are found under the account that the configuration names`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        try app.refuse(.inPlace)
        #expect(await sdk.addBiometry() == nil)
        try app.answer(.success)
        let keys: Result<[String: Data], NSError> = await outcome {
            sdk.fetchBiometryKeys(withPrompt: "Confirm", callback: $0)
        }
        #expect(try keys.get().keys.sorted() == [Self.account])
        #expect(app.accounts == [Self.account])
        let key = try #require(try keys.get()[Self.account])
        let authentication = PowerAuthAuthentication.possessionWithBiometry(
            customBiometryKey: key, customPossessionKey: nil)
        #expect(try await app.sign(sdk, with: authentication).get())
    }

    @Test func `An external encryption key changes the locked factor, and not which key it belongs to`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        let external = Data(repeating: 7, count: 16)
        try app.refuse(.inPlace)
        #expect(await sdk.addBiometry() == nil)
        try sdk.addExternalEncryptionKey(external)
        #expect(try app.restarted().hasBiometryFactor(), "also where the external key is not known")
        try app.answer(.success)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "Confirm")).get())

        try app.refuse(.inPlace)
        #expect(await sdk.addBiometry() == nil)
        try sdk.removeExternalEncryptionKey()
        try app.answer(.success)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "Confirm")).get())
        #expect(app.accounts == [Self.account])
    }

    @Test func `When the new key or the state cannot be stored, the earlier factor stays, with its key`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        for (write, code) in [
            (Write.newKey, PowerAuthErrorCode.biometryNotAvailable), (.state, .invalidActivationState),
        ] {
            try app.refuse(write)
            #expect(await sdk.addBiometry()?.powerAuthErrorCode == code)
            #expect(sdk.hasBiometryFactor())
            try app.answer(.success)
            #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "Confirm")).get())
        }
        #expect(app.accounts.count == 2, "the key of a factor that was not saved")
        #expect(try app.restarted().hasBiometryFactor())
        #expect(app.accounts == [Self.account])
    }

    @Test func `The next start deletes an old key beside which the new one is in force`() async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        try app.device.faults.arm(FaultRule(point: .keychainDelete, process: "main", action: .fail("EIO")))
        #expect(await sdk.addBiometry() == nil)
        #expect(app.accounts.count == 2)
        let next = try app.restarted()
        #expect(app.accounts.count == 1 && app.accounts != [Self.account])
        try app.answer(.success)
        #expect(try await app.sign(next, with: .possessionWithBiometry(prompt: "Confirm")).get())
    }

    @Test func `A key read for a factor that another application then replaced signs nothing`() async throws {
        let (app, sdk) = try await TestApp.withBiometry(.sharing)
        let other = try app.neighbour()
        async let header = other.sign(with: .possessionWithBiometry(prompt: "Confirm"))
        try await app.dialogIsOpen()
        #expect(await sdk.addBiometry() == nil)
        try app.answer(.success)
        #expect(try await header.code == .biometryFailed)
        #expect(try await app.failedAttempts() == 0)
        for signer in [other.sdk, sdk] {
            try app.answer(.success)
            #expect(try await app.sign(signer, with: .possessionWithBiometry(prompt: "Confirm")).get())
        }
    }

    @Test
    func `A key beside of a factor that was replaced during the dialog is not put in the place of the new one's`()
        async throws
    {
        let (app, sdk) = try await TestApp.withBiometry(.sharing)
        let other = try app.neighbour()
        try app.refuse(.inPlace)
        #expect(await sdk.addBiometry() == nil)
        async let header = other.sign(with: .possessionWithBiometry(prompt: "Confirm"))
        try await app.dialogIsOpen()
        try app.refuse(.inPlace)
        #expect(await sdk.addBiometry() == nil)
        try app.answer(.success)
        #expect(try await header.code == .biometryFailed)
        for signer in [other.sdk, sdk] {
            try app.answer(.success)
            #expect(try await app.sign(signer, with: .possessionWithBiometry(prompt: "Confirm")).get())
        }
        #expect(app.accounts == [Self.account])
        #expect(try await app.failedAttempts() == 0)
    }

    @Test(arguments: [true, false])
    func `No key outlives its factor or its activation`(removesActivation: Bool) async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        try app.refuse(.inPlace)
        #expect(await sdk.addBiometry() == nil)
        if removesActivation { sdk.removeActivationLocal() } else { #expect(sdk.removeBiometryFactor()) }
        #expect(!sdk.hasBiometryFactor())
        #expect(app.accounts == [])
    }

    @Test(arguments: [true, false])
    func `A removal that cannot be saved leaves the factor with its key`(removesActivation: Bool) async throws {
        let (app, sdk) = try await TestApp.withBiometry()
        try app.device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        if removesActivation { sdk.removeActivationLocal() } else { #expect(!sdk.removeBiometryFactor()) }
        #expect(sdk.hasBiometryFactor())
        try app.answer(.success)
        #expect(try await app.sign(sdk, with: .possessionWithBiometry(prompt: "Confirm")).get())
    }
}

extension TestApp {
    /// The accounts of the biometry service.
    fileprivate var accounts: [String] {
        sandbox.keychain.accounts(service: PowerAuthKeychain_Biometry).accounts ?? []
    }

    /// Lets the keychain refuse one of the next writes.
    fileprivate func refuse(_ write: BiometryKeyPairTests.Write) throws {
        try device.faults.arm(
            FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO"), pass: write.rawValue))
    }
}
