// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("An answer acts on the activation of its request, and on no other (sharing.md, D30)", .endsInTime)
struct LateAnswerTests {
    @Test func `Every resource of the server has its operation in the table`() {
        let resources = Set(RestEndpoint.all.map(\.path))
        #expect(Set(LateOperation.allCases.map(\.endpoint.path)) == resources)
    }

    @Test func `Every function of the SDK that answers with a callback has its row`() throws {
        let functions = try SDKFunctions.withCallback(of: "PowerAuth2")
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
        let (app, code) = try await Self.application(for: row)
        let other = try app.neighbour()
        let path = row.operation.endpoint.path
        // The object of the activation has the keys already.
        let sdk = [.keyOfActivation, .keyOfApplication].contains(row.operation) ? try app.restarted() : app.sdk
        app.transport.order(.hold(.response), for: path)
        let call = Task { await row.operation(sdk, code: code) }
        await app.transport.holds(path)
        try await row.meanwhile.happens(to: other)
        let activationId = other.sdk.activationIdentifier
        app.transport.release(path)
        #expect(await call.value?.powerAuthErrorCode == row.error)
        try await Self.expectUntouched(other, activationId, after: row)
    }

    private static func application(for row: LateAnswer) async throws -> (app: TestApp, code: String) {
        switch row.operation {
        case _ where row.isOld: return (try await .withOldActivation(.sharing), "")
        case .recoveryConfirmation, .recoveryData:
            let app = try await RecoveryTests.recovering(.sharing)
            let code = try await app.createActivation().get().activationRecovery?.recoveryCode
            try app.sdk.persistActivation(withPassword: TestApp.password)
            try await app.backOffice.commit(app.activationId)
            try await addBiometry(to: app)
            return (app, try #require(code))
        default:
            let app = try await TestApp.activated(.sharing)
            try await addBiometry(to: app)
            _ = try await app.sdk.token("old").get()
            return (app, "")
        }
    }

    private static func addBiometry(to app: TestApp) async throws {
        try app.enrol()
        if let error = await app.sdk.addBiometry() { throw error }
    }

    /// What the other application has done is all that has happened.
    private static func expectUntouched(_ other: TestApp, _ activationId: String?, after row: LateAnswer) async throws {
        let hasRemoved = row.operation == .removal && row.error == nil
        #expect(other.sdk.activationIdentifier == (hasRemoved ? nil : activationId))
        switch row.meanwhile {
        case _ where hasRemoved: break
        case .removed:
            #expect(other.sdk.canStartActivation())
            try await other.activate()
            #expect(await other.validate() == nil)
        case .replaced, .upgraded: #expect(await other.validate() == nil)
        case .signed, .statusFetched, .keyAdded:
            #expect(await other.validate(row.passwordAfter) == nil)
            #expect(other.sdk.hasBiometryFactor())
        case .blocked:
            try await other.backOffice.call("activation/unblock", ["activationId": .string(other.activationId)])
            #expect(await other.validate(row.passwordAfter) == nil)
        case .passwordChanged: #expect(await other.validate(Meanwhile.otherPassword) == nil)
        case .biometryChanged:
            #expect(other.sdk.hasBiometryFactor() == (row.operation == .biometry))
            #expect(await other.validate(row.passwordAfter) == nil)
        }
    }

    @Test
    func `The original applies the answer: every password is wrong, and another activation is lost (sharing.D30)`()
        async throws
    {
        for operation in [LateOperation.passwordChange, .removal] {
            let app = try await TestApp.activated(.sharing, quirks: ["sharing.D30"])
            let other = try app.neighbour()
            let path = operation.endpoint.path
            app.transport.order(.hold(.response), for: path)
            let call = Task { await operation(app.sdk, code: "") }
            await app.transport.holds(path)
            other.sdk.removeActivationLocal()
            _ = try await other.createActivation().get()
            try other.sdk.persistActivation(withPassword: Meanwhile.otherPassword)
            try await other.backOffice.commit(other.activationId)
            app.transport.release(path)
            #expect(await call.value == nil)
            guard operation == .passwordChange else {
                #expect(!other.sdk.hasValidActivation())
                continue
            }
            for password in [TestApp.password, Meanwhile.otherPassword, LateOperation.passwordAfterChange] {
                #expect(await other.validate(password) != nil)
            }
        }
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `The answer of a key exchange that was given up does not touch the next`(mode: TestApp.Mode) async throws {
        let app = try await TestApp(mode)
        let path = LateOperation.creation.endpoint.path
        app.transport.order(.hold(.response), for: path)
        let lost = Task { try await app.createActivation() }
        await app.transport.holds(path)
        app.sdk.sessionProvider.resetSession()
        _ = try await app.createActivation().get()
        app.transport.release(path)
        #expect(try await lost.value.code == .invalidActivationData)
        try app.sdk.persistActivation(withPassword: TestApp.password)
        try await app.backOffice.commit(app.activationId)
        #expect(await app.validate() == nil)
    }

    @Test
    func `A validation holds for the activation and password it was made for: the unsafe change refuses any other`()
        async throws
    {
        let app = try await TestApp.activated(.sharing)
        let other = try app.neighbour()
        for meanwhile in [Meanwhile.passwordChanged, .replaced] {
            #expect(await app.validate() == nil)
            try await meanwhile.happens(to: other)
            #expect(!app.sdk.unsafeChangePassword(from: TestApp.password, to: "5678"))
            let password = meanwhile == .passwordChanged ? Meanwhile.otherPassword : TestApp.password
            #expect(await app.validate(password) == nil)
            #expect(app.sdk.unsafeChangePassword(from: password, to: "5678"))
            #expect(app.sdk.unsafeChangePassword(from: "5678", to: TestApp.password), "its own change is known")
            #expect(await other.validate() == nil)
        }
    }

    @Test func `A new activation makes an application drop earlier validations`() async throws {
        let app = try await TestApp.activated(.sharing)
        #expect(await app.validate() == nil)
        try app.neighbour().sdk.removeActivationLocal()
        try await app.activate()
        #expect(app.sdk.unsafeChangePassword(from: TestApp.password, to: "5678"))
        #expect(await app.validate("5678") == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A status from before many signatures is asked for again, not a deadlock`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let path = LateOperation.status.endpoint.path
        app.transport.order(.hold(.response), for: path)
        let status = Task { await app.status() }
        await app.transport.holds(path)
        // More than the server looks ahead.
        for _ in 0..<21 { #expect(try await app.signatureIsAccepted(.possession())) }
        app.transport.release(path)
        #expect(try await status.value.get().state == .active)
        #expect(app.transport.count(of: path) == 2)
    }
}
