// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabHTTP
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing
import WultraMobileTokenSDK

@Suite("Single operations (mobile-token.md, sections 6.5 and 6.6)", .endsInTime)
struct OperationDecisionTests {
    private let operation = WMTLocalOperation(id: "1", data: "A1")

    @Test(.verifies("mobile-token.md", "B-49"))
    func `The delegate is notified of operations added and removed by lists, claims and decisions`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let log = DelegateLog()
        service.delegate = log
        app.answer(ServiceApp.list, try .operations("1"), try .operations("1", "2"))
        app.answer(ServiceApp.claim, .ok(try Answer.operation("3")), .ok(try Answer.operation("3")))
        app.answer(ServiceApp.cancel, .ok())
        app.answer(ServiceApp.authorize, .ok(), .ok())
        _ = await service.list()
        _ = await service.list()
        for _ in 1...2 { _ = try await result { service.claim(operationId: "3", completion: $0) }.get() }
        try await result { service.reject(operation: operation, with: .unexpectedOperation, completion: $0) }.get()
        for id in ["2", "2"] {
            let other = WMTLocalOperation(id: id, data: "A1")
            try await result { service.authorize(operation: other, with: .rightPassword, completion: $0) }.get()
        }
        let changes = log.events.filter { if case .changed = $0 { true } else { false } }
        #expect(
            changes == [
                .changed(["1"], removed: [], added: ["1"]), .changed(["1", "2"], removed: [], added: ["2"]),
                .changed(["1", "2", "3"], removed: [], added: ["3"]), .changed(["2", "3"], removed: ["1"], added: []),
                .changed(["3"], removed: ["2"], added: []),
            ])
        #expect(
            try app.bodies(ServiceApp.cancel) == [["requestObject": ["id": "1", "reason": "UNEXPECTED_OPERATION"]]])
        #expect(try app.bodies(ServiceApp.claim).first == ["requestObject": ["id": "3"]])
    }

    @Test(
        arguments: [
            ("INVALID_ACTIVATION", 400, "operations_invalidActivation", "operations_invalidActivation"),
            ("OPERATION_ALREADY_FAILED", 400, "operations_alreadyFailed", "operations_alreadyFailed"),
            ("OPERATION_ALREADY_FINISHED", 400, "operations_alreadyFinished", "operations_alreadyFinished"),
            ("OPERATION_ALREADY_CANCELED", 400, "operations_alreadyCanceled", "operations_alreadyCanceled"),
            ("OPERATION_EXPIRED", 400, "operations_authExpired", "operations_rejectExpired"),
            ("OPERATION_FAILED", 401, "operations_failed", "operations_failed"),
            ("POWERAUTH_AUTH_FAIL", 400, "network_generic", "network_generic"),
            ("OPERATION_REQUIRES_ACTIVATION_FLAG", 400, "network_generic", "network_generic"),
        ])
    func `The server's refusals of an operation have separate reasons, and keep the server's error`(
        code: String, status: Int, approval: String, others: String
    ) async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        for path in [ServiceApp.authorize, ServiceApp.cancel, ServiceApp.detail, ServiceApp.claim] {
            app.answer(path, .error(code, status: status))
        }
        let approved = await result { service.authorize(operation: operation, with: .rightPassword, completion: $0) }
        #expect(approved.reason?.rawValue == approval)
        let rejected = await result { service.reject(operation: operation, with: .unknown, completion: $0) }
        let detail = await result { service.getDetail(operationId: "1", completion: $0) }
        let claimed = await result { service.claim(operationId: "1", completion: $0) }
        #expect([rejected.reason, detail.reason, claimed.reason].map { $0?.rawValue } == [others, others, others])
        for failure in [approved.failure, rejected.failure, detail.failure, claimed.failure] {
            #expect(failure?.restApiError?.code == code && failure?.httpStatusCode == status)
        }
    }

    @Test
    func `A wrong password is reported with the server's code, and the right one succeeds afterwards`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.answer(ServiceApp.authorize, .error("POWERAUTH_AUTH_FAIL", status: 401), .ok())
        let wrong = await result { service.authorize(operation: operation, with: .wrongPassword, completion: $0) }
        #expect(wrong.reason == .network_generic && wrong.failure?.httpStatusCode == 401)
        #expect(wrong.failure?.restApiError?.errorCode == .authenticationFailure)
        #expect(app.transport.count(of: ServiceApp.authorize) == 1)
        try await result { service.authorize(operation: operation, with: .rightPassword, completion: $0) }.get()
    }

    @Test(.verifies("mobile-token.md", "B-46"))
    func `A rejection is signed with possession, an approval with the app's factors, and details carry the token`()
        async throws
    {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.answer(ServiceApp.cancel, .ok())
        app.answer(ServiceApp.authorize, .ok())
        app.answer(ServiceApp.detail, .ok(try Answer.operation("1")))
        app.answer(ServiceApp.history, try .operations("1", "2"))
        try await result { service.reject(operation: operation, with: .unknown, completion: $0) }.get()
        try await result { service.authorize(operation: operation, with: .rightPassword, completion: $0) }.get()
        #expect(try await result { service.getDetail(operationId: "1", completion: $0) }.get().id == "1")
        #expect(
            await result { service.getHistory(authentication: .rightPassword, completion: $0) }.operations.count == 2)
        func header(_ path: String, _ name: String) -> String? {
            app.transport.requests.last { $0.url.path.hasSuffix(path) }?.headers.first { $0.name == name }?.value
        }
        let signature = "X-PowerAuth-Authorization"
        #expect(header(ServiceApp.cancel, signature)?.contains(#"pa_signature_type="possession""#) == true)
        #expect(header(ServiceApp.authorize, signature)?.contains(#"pa_signature_type="possession_knowledge""#) == true)
        #expect(header(ServiceApp.history, signature)?.contains(#"pa_signature_type="possession_knowledge""#) == true)
        #expect(header(ServiceApp.detail, signature) == nil && header(ServiceApp.detail, "X-PowerAuth-Token") != nil)
        #expect(service.lastFetchResult == nil)
    }

    @Test
    func `A call has finished after its completion has run, whether it carries a token or a signature`() async throws {
        let app = try await ServiceApp.activated()
        let service = UncheckedTransfer(app.networking.createWMTOperations())
        app.answer(ServiceApp.detail, .ok(try Answer.operation("1")))
        app.answer(ServiceApp.history, try .operations("1"))
        for isSigned in [false, true] {
            let call = await callback { (done: @escaping @Sendable (Operation?) -> Void) in
                // On the main queue, so that the completion finds the call.
                DispatchQueue.main.async {
                    var call: Operation?
                    let completed = {
                        #expect(call?.isFinished == false)
                        done(call)
                    }
                    if isSigned {
                        call = service.value.getHistory(authentication: .rightPassword) { _ in completed() }
                    } else {
                        call = service.value.getDetail(operationId: "1") { _ in completed() }
                    }
                }
            }
            await mainQueueIsIdle()
            #expect(call?.isFinished == true)
        }
    }

    @Test(.verifies("mobile-token.md", "B-42"))
    func `A cancelled detail is not completed and reports that it is cancelled`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.transport.order(.hold(.request), for: ServiceApp.detail)
        let call = try #require(service.getDetail(operationId: "1") { _ in Issue.record("completed") })
        await app.transport.holds(ServiceApp.detail)
        call.cancel()
        #expect(call.isCancelled && call.isFinished)
        app.transport.release(ServiceApp.detail)
        // Later calls are not disturbed.
        app.answer(ServiceApp.detail, .ok(try Answer.operation("2")))
        #expect(try await result { service.getDetail(operationId: "2", completion: $0) }.get().id == "2")
    }

    @Test func `A cancelled approval is not completed, and the next signed call is not held up`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.transport.order(.hold(.request), for: ServiceApp.authorize)
        let call = try #require(
            service.authorize(operation: operation, with: .rightPassword) { (_: Result<Void, WMTError>) in
                Issue.record("completed")
            })
        await app.transport.holds(ServiceApp.authorize)
        call.cancel()
        #expect(call.isCancelled)
        app.answer(ServiceApp.cancel, .ok())
        try await result { service.reject(operation: operation, with: .unknown, completion: $0) }.get()
        app.transport.release(ServiceApp.authorize)
    }

    @Test func `Every operation of the service has the class set by the app`() async throws {
        final class AppOperation: WMTUserOperation {}
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations(customUserOperationType: AppOperation.self)
        app.answer(ServiceApp.list, try .operations("1"))
        app.answer(ServiceApp.history, try .operations("1"))
        app.answer(ServiceApp.detail, .ok(try Answer.operation("1")))
        app.answer(ServiceApp.claim, .ok(try Answer.operation("2")))
        #expect(await service.list().operations.first is AppOperation)
        let history = await result { service.getHistory(authentication: .rightPassword, completion: $0) }
        #expect(history.operations.first is AppOperation)
        #expect(try await result { service.getDetail(operationId: "1", completion: $0) }.get() is AppOperation)
        #expect(try await result { service.claim(operationId: "2", completion: $0) }.get() is AppOperation)
    }

    @Test
    func `A code from a QR code is two groups of digits, and without an activation the error of the SDK`() async throws
    {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let operation = try WMTQROperationParser().parse(string: Example.payloadB).get()
        let code = try await result {
            service.authorize(qrOperation: operation, authentication: .rightPassword, completion: $0)
        }.get()
        #expect(code.wholeMatch(of: #/[0-9]{8}-[0-9]{8}/#) != nil)
        let other = try await result {
            service.authorize(qrOperation: operation, uriId: "/other", authentication: .rightPassword, completion: $0)
        }.get()
        #expect(code != other)
        let bare = try await ServiceApp().networking.createWMTOperations()
        let missing = await result {
            bare.authorize(qrOperation: operation, authentication: .rightPassword, completion: $0)
        }
        #expect(missing.reason == .operations_QROperationFailed)
        #expect(missing.failure?.powerAuthErrorCode == .missingActivation)
    }
}
