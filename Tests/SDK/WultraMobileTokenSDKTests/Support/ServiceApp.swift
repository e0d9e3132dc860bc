// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabHTTP
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import SimulatedDevice
import TestSupport
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

/// An application with an activation, whose calls of the Mobile Token API are answered by the test.
struct ServiceApp: Sendable {
    static let list = "/api/auth/token/app/operation/list"
    static let history = "/api/auth/token/app/operation/history"
    static let detail = "/api/auth/token/app/operation/detail"
    static let claim = "/api/auth/token/app/operation/detail/claim"
    static let authorize = "/api/auth/token/app/operation/authorize"
    static let cancel = "/api/auth/token/app/operation/cancel"
    static let push = "/api/push/device/register/token"

    let app: TestApp
    let networking: WPNNetworkingService

    var transport: TappedTransport { app.transport }

    /// Makes an application without an activation.
    init(quirks: [String] = []) async throws { self.init(try await TestApp(quirks: quirks)) }

    private init(_ app: TestApp) {
        self.app = app
        // The address is one. The default of 20 s is a limit that a right answer can miss on a busy machine.
        let config = WPNConfig(
            baseUrl: URL(string: app.server.addresses.enrollmentURL)!,
            timeoutIntervalForRequest: LabDuration.minutes(10).stretched.seconds)
        networking = WPNNetworkingService(powerAuth: app.sdk, config: config, serviceName: "tests")
    }

    /// Makes an application with an activation.
    static func activated(quirks: [String] = []) async throws -> ServiceApp {
        ServiceApp(try await TestApp.activated(quirks: quirks))
    }

    /// Arranges the next answers of an endpoint.
    func answer(_ path: String, _ answers: Answer...) {
        for answer in answers { transport.order(.answer(status: answer.status, body: answer.body), for: path) }
    }

    /// The bodies that were sent to an endpoint.
    func bodies(_ path: String) throws -> [JSONValue] {
        try transport.requests.filter { $0.url.path.hasSuffix(path) }.map { try JSONValue.parse($0.body) }
    }
}

/// What a server says.
struct Answer: Sendable {
    let status: Int
    let body: String

    /// Success, with a payload or without.
    static func ok(_ object: JSONValue? = nil) -> Answer {
        var envelope: [String: JSONValue] = ["status": "OK"]
        envelope["responseObject"] = object
        return Answer(status: 200, body: String(decoding: JSONValue.object(envelope).encoded(), as: UTF8.self))
    }

    /// A refusal.
    static func error(_ code: String, status: Int = 400) -> Answer {
        let envelope: JSONValue = [
            "status": "ERROR", "responseObject": ["code": .string(code), "message": "as arranged"],
        ]
        return Answer(status: status, body: String(decoding: envelope.encoded(), as: UTF8.self))
    }

    /// A list of operations.
    static func operations(_ ids: String...) throws -> Answer { try list(ids.map { try operation($0) }) }

    static func list(_ operations: [JSONValue]) -> Answer { ok(.array(operations)) }

    static func operation(_ id: String) throws -> JSONValue { try Example.operation.with("id", .string(id)) }
}

/// Waits for the result of a call.
func result<Value>(
    _ call: (@escaping (Result<Value, WMTError>) -> Void) -> Void
) async -> Result<Value, WMTError> {
    await callback { (report: @escaping @Sendable (UncheckedTransfer<Result<Value, WMTError>>) -> Void) in
        call { report(UncheckedTransfer($0)) }
    }.value
}

extension Result where Failure == WMTError {
    /// Why a call failed; nil when it did not.
    var reason: WMTErrorReason? { failure?.reason }

    var failure: WMTError? { if case .failure(let error) = self { error } else { nil } }
}

extension WMTOperations {
    func list() async -> Result<[WMTUserOperation], WMTError> { await result { self.getOperations(completion: $0) } }
}
