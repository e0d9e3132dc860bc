// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing

@Suite("The external encryption key (sdk.md, section 12.5)", .endsInTime)
struct ExternalEncryptionKeyTests {
    private static let key = Data((1...16).map { UInt8($0) })

    @Test(
        .verifies("sharing.md", "S-0"),
        .verifies("sdk.md", "B-25"), arguments: TestApp.Mode.allCases)
    func `A key added to an activation protects it; removed, it is no longer needed`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        try app.sdk.addExternalEncryptionKey(Self.key)
        #expect(app.sdk.hasExternalEncryptionKey)
        #expect(await app.validate() == nil)
        try app.sdk.removeExternalEncryptionKey()
        #expect(!app.sdk.hasExternalEncryptionKey)
        #expect(await app.validate() == nil)
    }

    @Test(
        .verifies("sdk.md", "B-26"),
        arguments: TestApp.Mode.allCases, [true, false])
    func `A key of the configuration, or set before the activation, protects it until it is removed`(
        mode: TestApp.Mode, isConfigured: Bool
    ) async throws {
        let app = try await TestApp(mode) { if isConfigured { $0.externalEncryptionKey = Self.key } }
        if !isConfigured { try app.sdk.setExternalEncryptionKey(Self.key) }
        try await app.activate()
        #expect(app.sdk.hasExternalEncryptionKey)
        #expect(await app.validate() == nil)
        try app.sdk.removeExternalEncryptionKey()
        #expect(!app.sdk.hasExternalEncryptionKey)
        #expect(await app.validate() == nil)
        #expect(await (try app.restarted()).validate() == nil, "no key is needed")
    }

    @Test(
        .verifies("sdk.md", "B-27"),
        arguments: TestApp.Mode.allCases)
    func `Without its key an activation can only read its status; with the key, the password validates`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp.activated(mode) { $0.externalEncryptionKey = Self.key }
        let restarted = try app.restarted()
        #expect(restarted.hasValidActivation() && !restarted.hasExternalEncryptionKey)
        #expect(try await restarted.status().get().state == .active)
        #expect(await restarted.validate()?.powerAuthErrorCode == .signatureError)
        try restarted.setExternalEncryptionKey(Self.key)
        #expect(await restarted.validate() == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A second key and a second removal are refused, and nothing changes`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        try app.sdk.addExternalEncryptionKey(Self.key)
        for key in [Self.key, Data(repeating: 7, count: 16)] {
            let error = #expect(throws: NSError.self) { try app.sdk.addExternalEncryptionKey(key) }
            #expect(error?.powerAuthErrorCode == .invalidActivationState)
        }
        #expect(await app.validate() == nil)
        try app.sdk.removeExternalEncryptionKey()
        let error = #expect(throws: NSError.self) { try app.sdk.removeExternalEncryptionKey() }
        #expect(error?.powerAuthErrorCode == .invalidActivationState)
        #expect(await app.validate() == nil)
    }

    @Test(arguments: TestApp.Mode.allCases, [true, false])
    func `A change of the key that cannot be stored has no effect: the key in memory fits the stored state`(
        mode: TestApp.Mode, isReadable: Bool
    ) async throws {
        let app = try await TestApp.activated(mode)
        _ = try await app.status().get()
        let changes: [(Bool, (PowerAuthSDK) throws -> Void)] = [
            (true, { try $0.addExternalEncryptionKey(Self.key) }), (false, { try $0.removeExternalEncryptionKey() }),
        ]
        for (hasKey, change) in changes {
            for point in isReadable ? [FaultPoint.keychainWrite] : [.keychainWrite, .keychainRead] {
                try app.device.faults.arm(FaultRule(point: point, process: "main", action: .fail("EIO")))
            }
            let error = #expect(throws: NSError.self) { try change(app.sdk) }
            #expect(error?.powerAuthErrorCode == .invalidActivationState)
            // Without sharing the state is loaded again by the next task, which meets the refusal to read.
            _ = app.sdk.hasValidActivation()
            #expect(app.sdk.hasExternalEncryptionKey == !hasKey)
            #expect(await app.validate() == nil)
            try change(app.sdk)
            #expect(app.sdk.hasExternalEncryptionKey == hasKey)
            #expect(await app.validate() == nil)
        }
    }
}
