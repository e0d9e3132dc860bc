// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabHTTP
import PowerAuth2
import PowerAuthProtocol
import SDKTestSupport
import TestSupport
import Testing

@Suite("Recovery (sdk.md, section 12.4)", .endsInTime)
struct RecoveryTests {
    /// An application of the server that gives every activation a recovery code.
    static func recovering(_ mode: TestApp.Mode) async throws -> TestApp {
        try await recovering(mode, printer: nil)
    }

    private static func recovering(_ mode: TestApp.Mode, printer: Printer?) async throws -> TestApp {
        let server = try await RealServer.start()
        var configuration: [String: JSONValue] = [
            "applicationId": .string(server.backOffice.applicationId), "activationRecoveryEnabled": true,
            "recoveryPostcardEnabled": .bool(printer != nil), "allowMultipleRecoveryCodes": false,
        ]
        configuration["remotePostcardPublicKey"] = printer.map { .string($0.publicKey) }
        try await server.backOffice.call("recovery/config/update", .object(configuration))
        return try await TestApp(mode, server: server)
    }

    /// The office that prints recovery codes on postcards: it shares a secret with the server, from which both derive a
    /// code and its PUKs (protocol.md, section 4.4).
    private struct Printer {
        /// The server's answer to an order.
        private struct Answer: Decodable {
            struct Order: Decodable {
                struct Puk: Decodable {
                    /// All 64 bits, more than `JSONValue` keeps.
                    let pukDerivationIndex: Int64
                }
                let nonce: String
                let puks: [Puk]
            }
            let responseObject: Order
        }

        private let key: PrivateKey

        init() throws { key = try PrivateKey.generate() }

        var publicKey: String { StrictBase64.encode(key.publicKey.uncompressed) }

        /// Orders a postcard with one PUK for a user and reads what is printed on it.
        func postcard(for userId: String, from backOffice: BackOffice) async throws -> (code: String, puk: String) {
            let application: JSONValue = ["applicationId": .string(backOffice.applicationId)]
            let configuration = try await backOffice.call("recovery/config/detail", application)
            let encoded = try #require(configuration["postcardPublicKey"]?.stringValue.flatMap(StrictBase64.decode))
            let secret = try key.sharedSecret(with: PublicKey(encoded: encoded)).bytes
            let answer = try await backOffice.exchange(
                backOffice.url + "recovery/create",
                [
                    "requestObject": [
                        "applicationId": .string(backOffice.applicationId), "userId": .string(userId), "pukCount": 1,
                    ]
                ])
            let order = try JSONDecoder().decode(Answer.self, from: answer.body).responseObject
            let nonce = try #require(StrictBase64.decode(order.nonce))
            let index = try #require(order.puks.first).pukDerivationIndex
            let seed = try RecoverySeed(secret: secret, nonce: nonce)
            let puk = try seed.puk(index: withUnsafeBytes(of: index.bigEndian) { Data($0) })
            return (seed.code.text, puk.text)
        }
    }

    @Test(
        .verifies("sdk.md", "B-24"),
        arguments: TestApp.Mode.allCases)
    func `The recovery data of an activation are confirmed, come back from the vault and replace a lost activation`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await Self.recovering(mode)
        let result = try await app.createActivation().get()
        let issued = try #require(result.activationRecovery)
        try app.sdk.persistActivation(withPassword: TestApp.password)
        try await app.backOffice.commit(app.activationId)
        #expect(app.sdk.hasActivationRecoveryData())
        let confirmation: (wasConfirmed: Bool, error: (any Error)?) = await callback { report in
            app.sdk.confirmRecoveryCode(issued.recoveryCode, authentication: .rightPassword) { report(($0, $1)) }
        }
        #expect(confirmation.wasConfirmed && confirmation.error == nil)
        let stored = try await outcome { app.sdk.activationRecoveryData(.rightPassword, callback: $0) }.get()
        #expect(stored.recoveryCode == issued.recoveryCode && stored.puk == issued.puk)

        let old = try app.activationId
        app.sdk.removeActivationLocal()
        #expect(!app.sdk.hasActivationRecoveryData())
        let activation = try PowerAuthActivation(recoveryCode: issued.recoveryCode, recoveryPuk: issued.puk)
        _ = try await outcome { app.sdk.createActivation(activation, callback: $0) }.get()
        try app.sdk.persistActivation(withPassword: TestApp.password)
        let new = try app.activationId
        #expect(new != old)
        #expect(try await app.backOffice.state(old) == "REMOVED")
        if try await app.status().get().state == .pendingCommit { try await app.backOffice.commit(new) }
        #expect(await app.validate() == nil)
        #expect(await failure { app.sdk.removeActivation(with: .rightPassword, callback: $0) } == nil)
        #expect(try await app.backOffice.state(new) == "REMOVED")
    }

    @Test func `A printed postcard replaces a lost activation once the user has confirmed its code`() async throws {
        let printer = try Printer()
        let app = try await Self.recovering(.alone, printer: printer)
        try await app.activate()
        let (code, puk) = try await printer.postcard(for: app.userId, from: app.backOffice)
        func confirm(_ code: String) async -> (wasConfirmed: Bool, error: (any Error)?) {
            await callback { report in
                app.sdk.confirmRecoveryCode(code, authentication: .rightPassword) { report(($0, $1)) }
            }
        }
        let lost = try app.activationId
        for wasConfirmed in [false, true] {
            let confirmation = await confirm("R:" + code)
            #expect(confirmation.wasConfirmed == wasConfirmed && confirmation.error == nil)
        }
        let foreign = try await printer.postcard(for: "somebody-else", from: app.backOffice)
        #expect(await confirm(foreign.code).error?.powerAuthErrorCode == .networkError)

        app.sdk.removeActivationLocal()
        let activation = try PowerAuthActivation(recoveryCode: code, recoveryPuk: puk)
        _ = try await outcome { app.sdk.createActivation(activation, callback: $0) }.get()
        try app.sdk.persistActivation(withPassword: TestApp.password)
        if try await app.status().get().state == .pendingCommit { try await app.backOffice.commit(app.activationId) }
        #expect(try await app.backOffice.detail(app.activationId)["userId"]?.stringValue == app.userId)
        #expect(try await app.backOffice.state(lost) == "ACTIVE", "a postcard belongs to no activation")
        #expect(await app.validate() == nil)
    }

    @Test(
        .verifies("sdk.md", "B-24"),
        arguments: TestApp.Mode.allCases)
    func `Without recovery data on the server the application has none`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        #expect(!app.sdk.hasActivationRecoveryData())
        let result = await outcome { app.sdk.activationRecoveryData(.rightPassword, callback: $0) }
        #expect(result.code == .invalidActivationState)
    }

    @Test func `A wrong PUK is refused with the index of the one to use, and nothing is left pending`() async throws {
        let app = try await Self.recovering(.alone)
        let issued = try #require(try await app.createActivation().get().activationRecovery)
        try app.sdk.persistActivation(withPassword: TestApp.password)
        try await app.backOffice.commit(app.activationId)
        app.sdk.removeActivationLocal()
        let wrong = issued.puk == "0000000000" ? "1111111111" : "0000000000"
        let activation = try PowerAuthActivation(recoveryCode: "R:" + issued.recoveryCode, recoveryPuk: wrong)
        let result = await outcome { app.sdk.createActivation(activation, callback: $0) }
        guard case .failure(let error) = result else { throw Unexpected("a wrong PUK was accepted") }
        #expect(error.powerAuthErrorCode == .networkError)
        let response = error.userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
        #expect(response?.responseObject.currentRecoveryPukIndex == 1)
        #expect(app.sdk.canStartActivation())
    }
}
