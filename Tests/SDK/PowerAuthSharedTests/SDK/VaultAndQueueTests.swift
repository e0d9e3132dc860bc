// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// sdk.md, sections 5.11, 5.12, 5.14, 12.3 and 12.5.
@Suite("Vault and serial queue", .endsInTime)
struct VaultAndQueueTests {
    private let authentication = PowerAuthAuthentication.possessionWithPassword(password: SDKFixture.password)

    @Test func `Encryption keys depend on their index`() async throws {
        let fixture = try await SDKFixture.activated()
        func key(_ index: UInt64) async throws -> Data {
            try await outcome { fixture.sdk.fetchEncryptionKey(authentication, index: index, callback: $0) }.get()
        }
        let first = try await key(1000)
        #expect(first.count == 16)
        #expect(try await key(1000) == first)
        #expect(try await key(1001) != first)
        let wrong = await outcome {
            fixture.sdk.fetchEncryptionKey(.possessionWithPassword(password: "0000"), index: 1, callback: $0)
        }
        #expect(wrong.code == .networkError)
        let unusable = await outcome {
            fixture.sdk.signJwt(withDevicePrivateKey: authentication, claims: ["a": Date()], callback: $0)
        }
        #expect(unusable.code == .wrongParameter)
    }

    @Test func `Device tokens have three parts and keep the claims`() async throws {
        let fixture = try await SDKFixture.activated()
        let token = try await outcome {
            fixture.sdk.signJwt(withDevicePrivateKey: authentication, claims: ["a": true, "b": "c/d"], callback: $0)
        }.get()
        let parsed = try JWT(token, algorithm: .es256)
        #expect(token.hasPrefix("eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9."))
        #expect(try parsed.payload() == Data(#"{"a":true,"b":"c/d"}"#.utf8))
        let signature = try await outcome {
            fixture.sdk.signData(withDevicePrivateKey: authentication, data: Data("data".utf8), callback: $0)
        }.get()
        let device = try #require(fixture.server.devicePublicKey)
        #expect(device.verify(signature: signature, of: Data("data".utf8)))
        #expect(parsed.isAuthentic(key: device))
    }

    @Test func `Vault operations need an activation`() async throws {
        let fixture = try SDKFixture()
        let key = await outcome { fixture.sdk.fetchEncryptionKey(authentication, index: 1, callback: $0) }
        #expect(key.code == .missingActivation)
        let recovery = await outcome { fixture.sdk.activationRecoveryData(authentication, callback: $0) }
        #expect(recovery.code == .invalidActivationState)
        #expect(!fixture.sdk.hasBiometryFactor() && !fixture.sdk.removeBiometryFactor())
    }

    @Test func `The external key is added and removed`() async throws {
        let fixture = try await SDKFixture.activated()
        let key = Data(repeating: 7, count: 16)
        func code(_ call: () throws -> Void) -> PowerAuthErrorCode? {
            thrown(call).map { ($0 as NSError).powerAuthErrorCode }
        }
        let sdk = fixture.sdk
        #expect(code { try sdk.removeExternalEncryptionKey() } == .invalidActivationState)
        #expect(code { try sdk.setExternalEncryptionKey(key) } == .invalidActivationState)
        #expect(code { try sdk.addExternalEncryptionKey(Data(count: 15)) } == .wrongParameter)
        #expect(code { try sdk.addExternalEncryptionKey(key) } == nil)
        #expect(sdk.hasExternalEncryptionKey && sdk.configuration.externalEncryptionKey == key)
        #expect(await fixture.validate(SDKFixture.password) == nil)

        let restarted = try fixture.restarted()
        #expect(!restarted.hasExternalEncryptionKey)
        let refused = await failure { restarted.validatePassword(password: SDKFixture.password, callback: $0) }
        #expect(refused?.powerAuthErrorCode == .signatureError)
        #expect(try await outcome { restarted.fetchActivationStatus(callback: $0) }.get().state == .active)
        #expect(code { try restarted.setExternalEncryptionKey(key) } == nil)
        #expect(await failure { restarted.validatePassword(password: SDKFixture.password, callback: $0) } == nil)
        #expect(code { try restarted.removeExternalEncryptionKey() } == nil)
        #expect(!restarted.hasExternalEncryptionKey && restarted.configuration.externalEncryptionKey == nil)
        #expect(await failure { restarted.validatePassword(password: SDKFixture.password, callback: $0) } == nil)
    }

    @Test func `Blocks of the application hold the queue until they end`() async throws {
        let fixture = try await SDKFixture.activated()
        let task: UncheckedTransfer<any PowerAuthOperationTask> = await callback { report in
            _ = fixture.sdk.executeBlock(onSerialQueue: { report(UncheckedTransfer($0)) })
        }
        let validation = Task { await fixture.validate(SDKFixture.password) }
        await mainQueueIsIdle()
        #expect(!fixture.server.paths.contains("/pa/v3/signature/validate"))
        task.value.cancel()
        #expect(await validation.value == nil)
        let paths: [String] = await callback { report in
            let operation = BlockOperation { report(fixture.server.paths) }
            #expect(fixture.sdk.executeOperation(onSerialQueue: operation))
        }
        #expect(paths.contains("/pa/v3/signature/validate"))
    }

    @Test func `An operation that is cancelled before its turn ends without having run`() async throws {
        let fixture = try await SDKFixture.activated()
        let task: UncheckedTransfer<any PowerAuthOperationTask> = await callback { report in
            _ = fixture.sdk.executeBlock(onSerialQueue: { report(UncheckedTransfer($0)) })
        }
        let hasEnded: Bool = await callback { report in
            let operation = BlockOperation { Issue.record("it runs") }
            operation.completionBlock = { report(true) }
            #expect(fixture.sdk.executeOperation(onSerialQueue: operation))
            operation.cancel()
            task.value.cancel()
        }
        #expect(hasEnded)
        #expect(await fixture.validate(SDKFixture.password) == nil)
    }

    @Test func `The serial queue needs an activation`() throws {
        let sdk = try SDKFixture().sdk
        #expect(sdk.executeBlock(onSerialQueue: { _ in Issue.record("nothing runs") }) == nil)
        #expect(!sdk.executeOperation(onSerialQueue: BlockOperation { Issue.record("nothing runs") }))
    }
}

/// sdk.md, sections 5.20 and 5.25.
@Suite("What the SDK passes on to its core", .endsInTime)
struct CodeUtilTests {
    @Test func `Codes, PUKs and typed characters are judged as by the core`() {
        let code = "45AWJ-BVACS-SBWHS-ABANA"
        for text in [code, "R:" + code, code + "#AB==", "45AWJ-BVACS-SBWHS-ABANB", ""] {
            let (isCode, isRecovery) = (text == code, text == code || text == "R:" + code)
            #expect(PowerAuthActivationCodeUtil.validateActivationCode(text) == isCode, "\(text)")
            #expect(PowerAuthActivationCodeUtil.validateRecoveryCode(text) == isRecovery, "\(text)")
        }
        let puks = ["0123456789", "012345678", "01234567890", "012345678x"]
        #expect(puks.map { PowerAuthActivationCodeUtil.validateRecoveryPuk($0) } == [true, false, false, false])
        let typed = "A7a018-".unicodeScalars.map(\.value)
        #expect(
            typed.map { PowerAuthActivationCodeUtil.validateTypedCharacter($0) }
                == [true, true, false, false, false, false, false])
        #expect(
            typed.map { PowerAuthActivationCodeUtil.validateAndCorrectTypedCharacter($0) }
                == "A7AOI".unicodeScalars.map(\.value) + [0, 0])
    }

    @Test func `SDK and core state whether they were built for development`() {
        #if DEBUG
            let isDebug = true
        #else
            let isDebug = false
        #endif
        #expect(PowerAuthCoreSession.hasDebugFeatures() == isDebug && PowerAuthSystem.isInDebug() == isDebug)
    }
}
