// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("Cancellation and the serial queue (sdk.md, section 12.7)", .endsInTime)
struct CancellationTests {
    @Test(
        .verifies("sharing.md", "S-3"), .verifies("sdk.md", "B-32"),
        arguments: TestApp.Mode.allCases)
    func `Of two validations the second, cancelled at once, stays silent, and the first succeeds`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let first = await failure { report in
            app.sdk.validatePassword(password: TestApp.password, callback: report)
            app.sdk.validatePassword(password: TestApp.password) { _ in
                Issue.record("a cancelled validation reports nothing")
            }?.cancel()
        }
        #expect(first == nil)
        #expect(await app.validate() == nil)
        #expect(app.transport.count(of: "/pa/v3/signature/validate") == 2)
    }

    /// An operation of the SDK that asks the server.
    enum Operation: CaseIterable, Sendable {
        case status, validation, passwordChange, token, tokenRemoval, vaultKey, deviceSignature, userInfo
        case deviceToken, biometry, encryptor, header, serverStatus, time, removal

        /// The request that is disturbed.
        var path: String {
            switch self {
            case .status: "/pa/v3/activation/status"
            case .validation, .passwordChange: "/pa/v3/signature/validate"
            case .token: "/pa/v3/token/create"
            case .tokenRemoval: "/pa/v3/token/remove"
            case .vaultKey, .deviceSignature, .deviceToken, .biometry: "/pa/v3/vault/unlock"
            case .userInfo: "/pa/v3/user/info"
            case .encryptor: "/pa/v3/keystore/create"
            case .header, .serverStatus, .time: "/pa/v3/status"
            case .removal: "/pa/v3/activation/remove"
            }
        }

        /// Starts the operation; `report` gets its error.
        func start(_ sdk: PowerAuthSDK, _ report: @escaping @Sendable ((any Error)?) -> Void) -> (
            any PowerAuthOperationTask
        )? {
            switch self {
            case .status: sdk.fetchActivationStatus { report($1) }
            case .validation: sdk.validatePassword(password: TestApp.password, callback: report)
            case .passwordChange: sdk.changePassword(from: TestApp.password, to: "5678", callback: report)
            case .token:
                sdk.tokenStore.requestAccessToken(withName: "new", authentication: .possession()) { report($1) }
            case .tokenRemoval: sdk.tokenStore.removeAccessToken(withName: "old") { report($1) }
            case .vaultKey: sdk.fetchEncryptionKey(.rightPassword, index: 7) { report($1) }
            case .deviceSignature: sdk.signData(withDevicePrivateKey: .rightPassword, data: Data()) { report($1) }
            case .deviceToken: sdk.signJwt(withDevicePrivateKey: .rightPassword, claims: ["a": 1]) { report($1) }
            case .biometry: sdk.addBiometryFactor(password: TestApp.password, callback: report)
            case .header: sdk.tokenStore.generateAuthorizationHeader(withName: "old") { report($1) }
            case .userInfo: sdk.fetchUserInfo { report($1) }
            case .encryptor: sdk.eciesEncryptorForApplicationScope { report($1) }
            case .serverStatus: sdk.fetchServerStatus { report($1) }
            case .time: sdk.timeSynchronizationService.synchronizeTime(callback: report, callbackQueue: nil)
            case .removal: sdk.removeActivation(with: .rightPassword, callback: report)
            }
        }
    }

    /// When an operation is cancelled.
    enum Phase: CaseIterable, Sendable {
        /// Before anything was sent.
        case atOnce
        /// While the server does not know yet.
        case requestUnderWay
        /// When the server has done its part and its answer is under way.
        case answerUnderWay
    }

    @Test(arguments: Operation.allCases, Phase.allCases)
    func `An operation cancelled at any phase is silent and harmless: the activation works, and a retry succeeds`(
        operation: Operation, phase: Phase
    ) async throws {
        try await cancel(operation, phase, in: .alone)
    }

    @Test(arguments: Operation.allCases, Phase.allCases)
    func `A cancelled operation of a shared activation is harmless too`(operation: Operation, phase: Phase) async throws
    {
        try await cancel(operation, phase, in: .sharing)
    }

    private func cancel(_ operation: Operation, _ phase: Phase, in mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        if [.tokenRemoval, .header].contains(operation) { _ = try await app.sdk.token("old").get() }
        if operation == .biometry { try app.enrol() }
        // A new object has neither keys nor time of the server.
        let sdk = [.encryptor, .header].contains(operation) ? try app.restarted() : app.sdk
        switch phase {
        // Cancelled before it is sent, as a rule; the server must not see it in any case.
        case .atOnce, .requestUnderWay: app.transport.order(.hold(.request), for: operation.path)
        case .answerUnderWay: app.transport.order(.hold(.response), for: operation.path)
        }
        let task = operation.start(sdk) { _ in Issue.record("a cancelled operation reports nothing") }
        if phase != .atOnce { await app.transport.holds(operation.path) }
        task?.cancel()
        #expect(task?.isCancelled == true)
        await sdk.serialQueueIsIdle()
        app.transport.release(operation.path)
        app.transport.withdraw(operation.path)

        let isGone = operation == .removal && phase == .answerUnderWay
        if isGone {
            // The device was not notified; the next fetch reports it.
            #expect(try await sdk.status().get().state == .removed)
            #expect(sdk.hasValidActivation())
            return
        }
        #expect(try await sdk.status().get().state == .active)
        #expect(await sdk.validate() == nil, "the password is the old one")
        let retried = await failure { report in _ = operation.start(sdk, report) }
        #expect(retried == nil)
    }

    @Test(arguments: TestApp.Mode.allCases, Phase.allCases)
    func `A key exchange cancelled at any phase leaves nothing pending, and the next one succeeds`(
        mode: TestApp.Mode, phase: Phase
    ) async throws {
        let app = try await TestApp(mode)
        let path = "/pa/v3/activation/create"
        switch phase {
        case .atOnce: break
        case .requestUnderWay: app.transport.order(.hold(.request), for: path)
        case .answerUnderWay: app.transport.order(.hold(.response), for: path)
        }
        let task = app.sdk.createActivation(try await app.activation()) { _, _ in
            Issue.record("a cancelled key exchange reports nothing")
        }
        if phase != .atOnce { await app.transport.holds(path) }
        task?.cancel()
        app.transport.release(path)
        await mainQueueIsIdle()
        #expect(app.sdk.canStartActivation() && app.sdk.activationIdentifier == nil)
        try await app.activate()
        #expect(await app.validate() == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A key exchange that was cancelled leaves the next one alone`(mode: TestApp.Mode) async throws {
        let app = try await TestApp(mode)
        let first = UncheckedTransfer(try await app.activation())
        let second = UncheckedTransfer(try await app.activation())
        let result: UncheckedTransfer<(any Error)?> = await callback { report in
            // In one turn of the main queue, so that what the cancel has left there comes last.
            DispatchQueue.main.async {
                app.sdk.createActivation(first.value) { _, _ in
                    Issue.record("a cancelled key exchange reports nothing")
                }?.cancel()
                app.sdk.removeActivationLocal()
                app.sdk.createActivation(second.value) { _, error in report(UncheckedTransfer(error)) }
            }
        }
        #expect(result.value == nil)
        #expect(app.sdk.hasPendingActivation())
    }

    @Test(arguments: [(TestApp.Mode.alone, 1000), (.sharing, 250)])
    func `A thousand signatures queued from many threads are used in order, and all verify`(
        mode: TestApp.Mode, total: Int
    ) async throws {
        let app = try await TestApp.activated(mode)
        let (threads, body) = (8, Data("{}".utf8))
        let accepted: [String] = try await withCheckedThrowingContinuation { continuation in
            let log = SignatureLog(expected: total, continuation)
            for number in 0..<threads {
                Thread {
                    for _ in stride(from: number, to: total, by: threads) {
                        app.sdk.executeBlock(onSerialQueue: { task in
                            // The order on the queue is the order of the counter: sent in it, every signature verifies.
                            let handedOver = UncheckedTransfer(task)
                            do {
                                let header = try AuthorizationHeader(
                                    app.sdk.requestSignature(
                                        with: .possession(), method: "POST", uriId: "/test", body: body))
                                Task {
                                    let verdict = try? await app.backOffice.accepts(header, uriId: "/test", body: body)
                                    log.add(header["pa_signature"] ?? "", isAccepted: verdict == true)
                                    handedOver.value.cancel()
                                }
                            } catch {
                                log.add("\(error)", isAccepted: false)
                                handedOver.value.cancel()
                            }
                        })
                    }
                }.start()
            }
        }
        #expect(Set(accepted).count == total)
        #expect(try await app.status().get().state == .active)
    }

    /// The signatures that the server accepted, in their order.
    private final class SignatureLog: Sendable {
        private struct Refused: Error { let signature: String }
        private struct State {
            var accepted: [String] = []
            var continuation: CheckedContinuation<[String], any Error>?
        }

        private let expected: Int
        private let state: Mutex<State>

        init(expected: Int, _ continuation: CheckedContinuation<[String], any Error>) {
            self.expected = expected
            state = Mutex(State(continuation: continuation))
        }

        func add(_ signature: String, isAccepted: Bool) {
            let (accepted, continuation) = state.withLock { state in
                if isAccepted { state.accepted.append(signature) }
                let isOver = !isAccepted || state.accepted.count == expected
                defer { if isOver { state.continuation = nil } }
                return (state.accepted, isOver ? state.continuation : nil)
            }
            if isAccepted {
                continuation?.resume(returning: accepted)
            } else {
                continuation?.resume(throwing: Refused(signature: signature))
            }
        }
    }
}
