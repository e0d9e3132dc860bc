// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// The effects of the resources of a lab, of the vendor's tests and of operators on activations and operations.
extension RuleCall {
    static let lab: [RuleCall] = plain + whole + registrations + commits + operations + offline + digits

    private static let message: JSONValue = [
        "userId": "alice", "subject": "New statement", "summary": "Your statement is ready",
        "body": "Open the app to see it.",
    ]

    /// Resources that change nothing about what there is, with a body for their POST.
    private static let bodies: [String: JSONValue] = [
        "/lab/clock": [:], "/lab/faults": ["path": "/none", "status": 500], "/lab/faults/{id}": [:],
        "/lab/traffic": [:], "/lab/snapshots": ["name": "rules"], "/lab/snapshots/{name}": [:],
        "/lab/audit": [:], "/lab/pushes": ["title": "t", "body": "b", "userId": "alice"],
        "/lab/inbox": message,
        "/lab/ui-templates": ["placeholder": "rules", "title": "t", "message": "m"],
        "/lab/ui-templates/{placeholder}/{language}": [:], "/lab/identity/authorize": ["userId": "alice"],
        "/lab/identity/token": [:], "/lab/identity/jwks": [:],
        "/lab/identity/.well-known/openid-configuration": [:], "/health": [:], "/metrics": [:],
        "/openapi.json": [:], "/actuator/health": [:], "/actuator/info": [:], "/actuator/prometheus": [:],
        "/v3/api-docs": [:],
        "/v2/inbox/messages": message,
        "/lab/payments": [:], "/v2/operations": ["userId": "alice", "template": "login"],
    ]

    /// Each is called by all its methods.
    private static let plain: [RuleCall] = bodies.sorted { $0.key < $1.key }.map { path, body in
        let makesOperation = path == "/lab/payments" || path == "/v2/operations"
        return RuleCall(
            place: path, effects: RuleEffects(operations: makesOperation ? ["PENDING 0"] : [])
        ) { world in
            _ = try await world.client.mobileApp()
            _ = try await world.client.operation("login")
            return Prepared {
                let endpoint = try #require(world.fixture.server.endpoints.first { $0.path == path })
                let methods = endpoint.methods.compactMap { HTTPRequest.Method($0) }
                for method in methods {
                    _ = try await world.client.plain(path.replacing(/\{\w+\}/, with: "rules"), method: method, body)
                }
            }
        }
    }

    private static let whole: [RuleCall] = [
        RuleCall(place: "/lab/seed", effects: RuleEffects(history: ["CREATED", "ACTIVE"])) { world in
            Prepared { _ = try await world.client.plain("/lab/seed", ["activations": [["userId": "dora"]]]) }
        },
        RuleCall(place: "/lab/snapshots/{name}/restore", effects: RuleEffects()) { world in
            Prepared {
                try await world.client.plain("/lab/snapshots", ["name": "now"]).expectOK()
                try await world.client.plain("/lab/snapshots/now/restore").expectOK()
            }
        },
    ]

    private static let registrations: [RuleCall] =
        [
            RuleCall(place: "/v2/registrations", effects: RuleEffects(history: ["CREATED"])) { world in
                Prepared { _ = try await world.client.plain("/v2/registrations", ["userId": "bob", "appId": "lab"]) }
            }
        ]

    private static let commits: [RuleCall] =
        ActivationState.allCases.map { state in
            RuleCall(
                place: "/v2/registrations/{id}/commit", state: state, actor: "operator",
                effects: RuleEffects(history: state == .pendingCommit ? ["ACTIVE"] : [])
            ) { world in
                let id = try await world.activation(.pendingCommit)
                return Prepared(activationId: id) {
                    _ = try await world.client.plain("/v2/registrations/\(id)/commit", ["externalUserId": "operator"])
                }
            }
        }

    private static let operations: [RuleCall] = [
        operation(.get, []), operation(.delete, ["CANCELED 2"]), operation(.get, ["EXPIRED 2"], isLate: true),
        operation(.delete, ["EXPIRED 2"], isLate: true),
    ]

    private static func operation(
        _ method: HTTPRequest.Method, _ saved: [String], isLate: Bool = false
    ) -> RuleCall {
        RuleCall(
            place: "/v2/operations/{id}", situation: "\(method)\(isLate ? " too late" : "")",
            effects: RuleEffects(operations: saved)
        ) { world in
            if isLate { try await world.expireOperations() }
            let id = try await world.client.operation("login")
            return Prepared {
                if isLate { world.client.clock.advance(milliseconds: 300_001) }
                _ = try await world.client.plain("/v2/operations/\(id)", method: method)
            }
        }
    }

    // MARK: Operations without a network

    private static let offline: [RuleCall] =
        [
            RuleCall(place: "/v2/operations/{id}/offline/qr", effects: RuleEffects()) { world in
                let scan = try await OfflineScan(world)
                return Prepared(activationId: scan.activationId) { _ = try await scan.code() }
            }
        ]

    private static let digits: [RuleCall] =
        [true, false].map { isRight in
            RuleCall(
                place: "/v2/operations/{id}/offline/otp", situation: isRight ? "right" : "wrong",
                effects: OfflineScan.effects(isRight: isRight)
            ) { world in
                let scan = try await OfflineScan(world)
                let (nonce, digits) = try await scan.answer(isRight: isRight)
                return Prepared(activationId: scan.activationId) {
                    _ = try await world.client.plain(
                        "/v2/operations/\(scan.operationId)/offline/otp",
                        [
                            "otp": .string(digits), "nonce": .string(nonce),
                            "registrationId": .string(scan.activationId),
                        ])
                }
            }
        }
}

/// An operation whose code a device has scanned.
struct OfflineScan: Sendable {
    let operationId: String
    private let app: MobileApp

    var activationId: String { app.device.activationId }

    init(_ world: World) async throws {
        app = try await world.client.mobileApp()
        operationId = try await world.client.operation("login")
    }

    func code() async throws -> Answer {
        try await app.device.client.plain(
            "/v2/operations/\(operationId)/offline/qr?registrationId=\(activationId)", method: .get)
    }

    /// The nonce of the code, and the digits that the user types back.
    func answer(isRight: Bool) async throws -> (nonce: String, digits: String) {
        let text = try #require(try await code().json["operationQrCodeData"]?.stringValue)
        let payload = try OfflinePayload(text)
        guard isRight else { return (payload.nonce, "12345678-12345678") }
        let lines = payload.data.split(separator: "\n", omittingEmptySubsequences: false)
        let digits = try SymmetricSignature.offline(
            keys: SignatureKeys(#require(app.device.keys), factors: [.possession, .knowledge]),
            counter: app.device.counter, uriId: OfflineOperationService.uriId, nonce: payload.nonce,
            body: Data("\(lines[0])&\(lines[3])".utf8))
        return (payload.nonce, digits)
    }

    static func effects(isRight: Bool) -> RuleEffects {
        var effects = RuleEffects.verification(by: .possessionKnowledge, isRight: isRight)
        (effects.operation, effects.operations) = isRight ? (.left, ["APPROVED 2"]) : (.counted, ["PENDING 3"])
        return effects
    }
}
