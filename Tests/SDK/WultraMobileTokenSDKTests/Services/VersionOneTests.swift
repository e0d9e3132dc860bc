// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import TestSupport
import Testing
import WultraMobileTokenSDK

@Suite("The names of version 1.0 (mobile-token.md, section 4)", .endsInTime)
struct VersionOneTests {
    @Test func `The services of the manual are made of its configuration and work`() async throws {
        let app = try await ServiceApp.activated()
        // Requests of this configuration have 20 s of the device's time, which a right answer can miss on a busy machine.
        // So time stands still, once there is a token: the server would refuse a request that is too old.
        _ = try await app.app.sdk.token("possession_universal").get()
        try app.app.device.clock.freeze()
        let url = try #require(URL(string: app.app.server.addresses.enrollmentURL))
        let config = WMTConfig(baseUrl: url, sslValidation: .default)
        let operations = app.app.sdk.createWMTOperations(config: config)
        let push = app.app.sdk.createWMTPush(config: config)
        #expect(operations.config.baseUrl == url && push.config.baseUrl == url)
        app.answer(ServiceApp.list, try .operations("1"))
        app.answer(ServiceApp.authorize, .ok())
        app.answer(ServiceApp.cancel, .error("OPERATION_EXPIRED"))
        app.answer(ServiceApp.push, .ok())
        let operation = try #require(await operations.list().operations.first)
        let task: any Cancellable = operations.getOperations { _ in }
        task.cancel()
        let approval = await error {
            operations.authorize(operation: operation, authentication: .rightPassword, completion: $0)
        }
        #expect(approval == nil)
        let rejection = await error { operations.reject(operation: operation, reason: .incorrectData, completion: $0) }
        #expect(rejection?.reason == .operations_rejectExpired)
        let isRegistered = await callback { (done: @escaping @Sendable (Bool) -> Void) in
            push.registerDeviceTokenForPushNotifications(token: Data([1])) { success, error in
                done(success && error == nil)
            }
        }
        #expect(isRegistered && push.pushNotificationsRegisteredOnServer)
        operations.startPollingOperations(interval: 7)
        #expect(operations.isPollingOperations)
        operations.stopPollingOperations()
    }

    private func error(_ call: (@escaping (WMTError?) -> Void) -> Void) async -> WMTError? {
        await callback { (done: @escaping @Sendable (WMTError?) -> Void) in call { done($0) } }
    }

    @Test func `The factories of today make services of their own or share one`() async throws {
        let app = try await ServiceApp.activated()
        let url = try #require(URL(string: app.app.server.addresses.enrollmentURL))
        let config = WPNConfig(baseUrl: url)
        let operations = app.app.sdk.createWMTOperations(
            networkingConfig: config, pollingOptions: .pauseWhenOnBackground)
        #expect(operations.pollingOptions == .pauseWhenOnBackground && operations.config.baseUrl == url)
        operations.acceptLanguage = "cs"
        let inbox = app.app.sdk.createWMTInbox(networkingConfig: config)
        let push = app.app.sdk.createWMTPush(networkingConfig: config)
        #expect(inbox.acceptLanguage == "en" && push.acceptLanguage == "en")
        inbox.acceptLanguage = "de"
        push.acceptLanguage = "fr"
        #expect([operations.acceptLanguage, inbox.acceptLanguage, push.acceptLanguage] == ["cs", "de", "fr"])
    }

    @Test func `An entry of the history has an operation and its status, as until version 1.12.0`() async throws {
        let app = try await ServiceApp.activated()
        app.answer(ServiceApp.history, .list([try Answer.operation("1").with("status", "REJECTED")]))
        let service = app.networking.createWMTOperations()
        let history: Result<[WMTOperationHistoryEntry], WMTError> = await result {
            service.getHistory(authentication: .rightPassword, completion: $0)
        }
        let entry = try #require(try history.get().first)
        let status: WMTOperationHistoryEntryStatus = entry.status
        #expect(status == .rejected && entry.operation.id == "1")
    }

    @Test func `Reasons have their texts`() {
        #expect(WMTErrorReason.operations_alreadyRejected.rawValue == "operations_expired")
        #expect(WMTErrorReason.operations_QROperationFailed.rawValue == "operations_QRFailed")
        #expect(WMTErrorReason.push_alreadyRegistering.rawValue == "push_alreadyRegistering")
        #expect(WMTError.wrap(.operations_failed, URLError(.timedOut)).nestedError is URLError)
    }
}
