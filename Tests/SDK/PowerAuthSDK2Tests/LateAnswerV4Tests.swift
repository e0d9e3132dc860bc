// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuth2
import PowerAuthSDK2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("An answer of protocol 4 acts on the activation of its request, and on no other (sharing.md, D30)", .endsInTime)
struct LateAnswerTests {
    @Test func `Every resource of protocol 4 has its operation in the table`() {
        let resources = Set(RestEndpoint.allVersion4.map(\.path))
        #expect(Set(LateOperation.allCases.map(\.endpoint.path)) == resources)
    }

    @Test func `Every function of SDK 2.0 that answers with a callback has its row`() throws {
        let functions = try SDKFunctions.withCallback(of: "PowerAuthSDK2")
        let rows = Set(LateOperation.allCases.map(\.function))
        #expect(
            functions.subtracting(rows).subtracting(LateOperation.withoutRow).sorted() == [],
            "add a case to LateOperation, and say in LateAnswer how it ends")
        #expect(rows.union(LateOperation.withoutRow).subtracting(functions).sorted() == [])
    }

    @Test(arguments: LateAnswer.all)
    func `An operation whose activation another application changed meanwhile fails, and the new one is unchanged`(
        row: LateAnswer
    ) async throws {
        let (app, sdk) = try await Self.application(for: row)
        let other = try app.neighbour()
        app.transport.order(.hold(.response), for: row.path)
        let call = Task { await row.operation(sdk) }
        await app.transport.holds(row.path)
        let older = try await row.meanwhile.happens(to: other)
        let activationId = other.sdk.activationIdentifier
        app.transport.release(row.path)
        #expect(await call.value?.powerAuthErrorCode == row.error)
        try await Self.expectUntouched(other, older, activationId, after: row)
    }

    /// An application with the activation of a row, and the SDK object that asks.
    private static func application(
        for row: LateAnswer
    ) async throws -> (app: TestApp2, sdk: PowerAuthSDK2.PowerAuthSDK) {
        guard row.isOld else {
            let app = try await TestApp2(isSharing: true)
            try app.enrol()
            try await app.activate(biometry: true)
            _ = try await app.token("old")
            // The object of the activation has the keys already.
            return (app, try row.operation.bringsTemporaryKey ? app.restarted() : app.sdk)
        }
        // Its configuration is not that of the server which the other tests share.
        let server = try await RealServer.start()
        try await server.backOffice.offerUpgrade()
        let app = try await TestApp2(.LEGACY_P256, isSharing: true, server: server)
        try await app.activate()
        let sdk = try app.restarted()
        if row.operation == .upgradeProgress {
            app.transport.order(.answer(status: 500, body: "{}"), for: RestEndpoint.confirmUpgrade.path)
            #expect(await sdk.upgrade()?.powerAuthErrorCode == .networkError)
            #expect(sdk.hasPendingProtocolUpgrade())
        }
        return (app, sdk)
    }

    /// What the other application has done is all that has happened.
    private static func expectUntouched(
        _ other: TestApp2, _ older: PowerAuth2.PowerAuthSDK?, _ activationId: String?, after row: LateAnswer
    ) async throws {
        let hasRemoved = row.operation == .removal && row.error == nil
        #expect(other.sdk.activationIdentifier == (hasRemoved ? nil : activationId))
        guard !hasRemoved else { return }
        switch row.meanwhile {
        case .removed:
            #expect(other.sdk.canStartActivation())
            try await other.activate()
            #expect(await other.sdk.validate() == nil)
        case .replaced:
            let older = try #require(older)
            #expect(await failure { older.validatePassword(password: TestApp.password, callback: $0) } == nil)
        case .blocked:
            try await other.backOffice.call("activation/unblock", ["activationId": .string(other.activationId)])
            #expect(await other.sdk.validate(row.passwordAfter) == nil)
        case .replacedInVersion4, .upgraded:
            #expect(await other.sdk.validate() == nil)
        case .signed, .statusFetched, .passwordChanged:
            #expect(await other.sdk.validate(row.passwordAfter) == nil)
            #expect(other.sdk.hasBiometryFactor() == (row.operation != .biometryRemoval))
        case .biometryRemoved:
            #expect(await other.sdk.validate() == nil)
            #expect(!other.sdk.hasBiometryFactor())
        }
    }

    @Test(arguments: [false, true])
    func `The answer of a key exchange that was given up does not touch the next`(isSharing: Bool) async throws {
        let app = try await TestApp2(isSharing: isSharing)
        let path = LateOperation.creation.endpoint.path
        app.transport.order(.hold(.response), for: path)
        let lost = Task { try await app.createActivation() }
        await app.transport.holds(path)
        app.sdk.base.sessionProvider.resetSession()
        _ = try await app.createActivation().get()
        app.transport.release(path)
        #expect(try await lost.value.code == .invalidActivationData)
        try await app.backOffice.commit(app.activationId)
        #expect(await app.persist() == nil)
        #expect(await app.sdk.validate() == nil)
    }

    @Test(arguments: [false, true])
    func `The answer of a confirmation that was given up does not touch the next activation`(
        isSharing: Bool
    ) async throws {
        let app = try await TestApp2(isSharing: isSharing)
        _ = try await app.createActivation().get()
        try await app.backOffice.commit(app.activationId)
        let path = LateOperation.persisting.endpoint.path
        app.transport.order(.hold(.response), for: path)
        let lost = Task { await app.persist() }
        await app.transport.holds(path)
        app.sdk.base.sessionProvider.resetSession()
        _ = try await app.createActivation().get()
        app.transport.release(path)
        #expect(await lost.value?.powerAuthErrorCode == .invalidActivationState)
        #expect(app.sdk.hasPendingActivation() && !app.sdk.hasValidActivation())
        try await app.backOffice.commit(app.activationId)
        #expect(await app.persist(.persistWithPassword(password: TestApp2.newPassword)) == nil)
        #expect(await app.sdk.validate(TestApp2.newPassword) == nil)
    }
}
