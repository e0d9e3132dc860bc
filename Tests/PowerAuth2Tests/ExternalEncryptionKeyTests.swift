import Foundation
import PowerAuth2
import SDKTestSupport
import TestSupport
import Testing

@Suite("The external encryption key (sdk.md, section 12.5)", .endsInTime)
struct ExternalEncryptionKeyTests {
    private static let key = Data((1...16).map { UInt8($0) })

    @Test("A key added to an activation protects it; removed, it is no longer needed", arguments: TestApp.Mode.allCases)
    func addAndRemove(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        try app.sdk.addExternalEncryptionKey(Self.key)
        #expect(app.sdk.hasExternalEncryptionKey)
        #expect(await app.validate() == nil)
        try app.sdk.removeExternalEncryptionKey()
        #expect(!app.sdk.hasExternalEncryptionKey)
        #expect(await app.validate() == nil)
    }

    @Test(
        "A key of the configuration, or set before the activation, protects it until it is removed",
        arguments: TestApp.Mode.allCases, [true, false])
    func fromTheBeginning(mode: TestApp.Mode, isConfigured: Bool) async throws {
        let app = try await TestApp(mode) { if isConfigured { $0.externalEncryptionKey = Self.key } }
        if !isConfigured { try app.sdk.setExternalEncryptionKey(Self.key) }
        try await app.activate()
        #expect(app.sdk.hasExternalEncryptionKey)
        #expect(await app.validate() == nil)
        try app.sdk.removeExternalEncryptionKey()
        #expect(!app.sdk.hasExternalEncryptionKey)
        #expect(await app.validate() == nil)
        #expect(await (try app.restarted()).validate() == nil, "no key is needed any more")
    }

    @Test(
        "Without its key an activation knows its status only; given the key, the password validates",
        arguments: TestApp.Mode.allCases)
    func restartWithoutKey(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode) { $0.externalEncryptionKey = Self.key }
        let restarted = try app.restarted()
        #expect(restarted.hasValidActivation() && !restarted.hasExternalEncryptionKey)
        #expect(try await restarted.status().get().state == .active)
        #expect(await restarted.validate()?.powerAuthErrorCode == .signatureError)
        try restarted.setExternalEncryptionKey(Self.key)
        #expect(await restarted.validate() == nil)
    }

    @Test("A second key and a second removal are refused, and nothing changes", arguments: TestApp.Mode.allCases)
    func twice(mode: TestApp.Mode) async throws {
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
}
