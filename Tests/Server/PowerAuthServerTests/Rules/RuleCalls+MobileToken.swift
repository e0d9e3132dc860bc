// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// The side effects of the resources of the Mobile Token API (mobile-token.md, section 16).
extension RuleCall {
    static let mobileToken: [RuleCall] = byToken + bySignature + decisions + otherDecisions + lateOperations

    private static let root = MobileApp.root

    /// The resources that require a token, which changes nothing.
    private static let byToken: [RuleCall] = [
        "\(root)/list", "\(root)/detail", "\(root)/detail/claim", "/api/inbox/count", "/api/inbox/message/list",
        "/api/inbox/message/detail", "/api/inbox/message/read", "/api/inbox/message/read-all",
        "/api/push/device/register", "/api/push/device/register/token",
    ].flatMap { path in
        [nil, .blocked, .removed].map { (state: ActivationState?) in
            RuleCall(place: path, state: state, effects: RuleEffects()) { world in
                let app = try await world.client.mobileApp()
                let id = try await world.client.operation("login")
                return Prepared(activationId: app.device.activationId) {
                    _ = try await app.ask(path, ["id": .string(id), "platform": "ios", "token": "T"])
                }
            }
        }
    }

    /// The resources that require a signature and decide nothing, with the accepted factors.
    private static let bySignature: [RuleCall] =
        signed("\(root)/history", "/operation/history", [.possessionKnowledge, .possessionBiometry])
        + signed("\(root)/list/signature", "/operation/list/signature", [.possession])
        + signed("/api/push/device/register/signature", "/device/register/signature", [.possession])

    private static func signed(_ path: String, _ uriId: String, _ accepted: Set<SignatureType>) -> [RuleCall] {
        SignatureType.allCases.flatMap { type in
            // Factors that are refused are not looked at.
            (accepted.contains(type) ? [true, false] : [true]).map { isRight in
                RuleCall(
                    place: path, situation: "\(isRight ? "right" : "wrong") \(type.rawValue)",
                    effects: accepted.contains(type) ? .verification(by: type, isRight: isRight) : RuleEffects()
                ) { world in
                    let app = try await world.client.mobileApp()
                    return Prepared(activationId: app.device.activationId) {
                        var app = app
                        _ = try await app.sign(
                            path, uriId: uriId, ["platform": "ios", "token": "T"], type: type, correct: isRight)
                    }
                }
            }
        }
    }

    // MARK: Decisions

    /// Approvals and rejections by every combination of factors, right and wrong.
    private static let decisions: [RuleCall] =
        SignatureType.allCases.flatMap { type in
            [true, false].flatMap { isRight in
                [approval(by: type, isRight: isRight), rejection(by: type, isRight: isRight)]
            }
        }

    private static let otherDecisions: [RuleCall] = [
        decision("\(root)/authorize", "other data", effects: otherData) { app, id, _ in
            _ = try await app.authorize(id, "A2 ")
        },
        decision(
            "\(root)/authorize", "wrong signature of another user",
            effects: RuleEffects(activation: .counted, verified: [false]), owner: "bob"
        ) { app, id, data in
            _ = try await app.authorize(id, data, correct: false)
        },
    ]

    private static let otherData = RuleEffects(
        activation: .cleared, operation: .counted, operations: ["PENDING 3"], verified: [true])

    /// A signature that is wrong, or of factors that are not accepted, is a failed approval, too.
    private static func approval(by type: SignatureType, isRight: Bool) -> RuleCall {
        let isAccepted = [.possession, .possessionKnowledge, .possessionBiometry].contains(type)
        var effects = isAccepted ? RuleEffects.verification(by: type, isRight: isRight) : RuleEffects()
        if isAccepted && isRight {
            // Valid with one factor, which the operation does not allow.
            (effects.operation, effects.operations) =
                type == .possession ? (.counted, ["PENDING 3"]) : (.left, ["APPROVED 2"])
        } else {
            (effects.operation, effects.operations) = (.counted, ["PENDING 3"])
        }
        return decision(
            "\(root)/authorize", "\(isRight ? "right" : "wrong") \(type.rawValue)", effects: effects
        ) { app, id, data in
            _ = try await app.authorize(id, data, type: type, correct: isRight)
        }
    }

    private static func rejection(by type: SignatureType, isRight: Bool) -> RuleCall {
        var effects = RuleEffects()
        if type == .possession {
            effects.verified = [isRight]
            if isRight { effects.operations = ["REJECTED 2"] }
        }
        return decision(
            "\(root)/cancel", "\(isRight ? "right" : "wrong") \(type.rawValue)", effects: effects
        ) { app, id, _ in
            _ = try await app.sign(
                "\(root)/cancel", uriId: "/operation/cancel", ["id": .string(id), "reason": "UNKNOWN"], type: type,
                correct: isRight)
        }
    }

    /// Calls that find an operation whose time is over.
    private static let lateOperations: [RuleCall] = ["list", "detail", "detail/claim", "authorize", "cancel"].map {
        name in
        let isSigned = name == "authorize" || name == "cancel"
        return decision(
            "\(root)/\(name)", "too late",
            effects: RuleEffects(operations: ["EXPIRED 2"], verified: isSigned ? [true] : []), isLate: true
        ) { app, id, data in
            let object: JSONValue = ["id": .string(id), "data": .string(data), "reason": "UNKNOWN"]
            if isSigned {
                _ = try await app.sign("\(root)/\(name)", uriId: "/operation/\(name)", object, type: .possession)
            } else {
                _ = try await app.ask("\(root)/\(name)", object)
            }
        }
    }

    /// - Parameter owner: whose operation it is.
    private static func decision(
        _ path: String, _ situation: String, effects: RuleEffects, owner: String = "alice", isLate: Bool = false,
        _ act: @escaping @Sendable (inout MobileApp, _ id: String, _ data: String) async throws -> Void
    ) -> RuleCall {
        RuleCall(place: path, situation: situation, effects: effects) { world in
            let app = try await world.client.mobileApp()
            // Earlier calls have left operations that end at the same time.
            if isLate { try await world.expireOperations() }
            let id = try await world.client.operation("login", ["userId": owner])
            return Prepared(activationId: app.device.activationId) {
                if isLate { world.client.clock.advance(milliseconds: 300_001) }
                var app = app
                try await act(&app, id, "A2")
            }
        }
    }
}

extension World {
    /// Lets every operation there is end.
    func expireOperations() async throws {
        client.clock.advance(milliseconds: 300_001)
        _ = try await client.backOffice("operation/list", ["userId": "late", "applications": ["lab"]])
    }
}
