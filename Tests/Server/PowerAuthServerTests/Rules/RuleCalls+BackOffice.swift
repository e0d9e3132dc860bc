// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabControl
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// The side effects of the resources of the back office, where they have any (server.md, sections 20.1, 20.3 and 20.6,
/// and section 18). All others leave everything as it is, in every state of an activation.
extension RuleCall {
    /// The right request of every table, in every state of its activation if it is about one.
    static let backOffice: [RuleCall] =
        EndpointTable.all.flatMap { table in
            let required = BackOfficeContract.all[table.path]?.required ?? []
            let isAboutOne = !Set(required).isDisjoint(with: ["activationId", "activationIds"])
            let states: [ActivationState?] = isAboutOne ? ActivationState.allCases : [nil]
            return states.map { sample(table, in: $0) }
        } + statusUpdates + signatures + otherSignatures + passwords + late + lateOperations + others

    /// The right request of a table.
    private static func sample(_ table: EndpointTable, in state: ActivationState?) -> RuleCall {
        let path = "/rest/v3" + table.path
        return RuleCall(
            place: path, state: state, actor: namesActor.contains(table.path) ? "operator" : nil,
            effects: effects[table.path]?(state ?? natural[table.path] ?? .active) ?? RuleEffects()
        ) { world in
            Prepared(table, try await table.sample(world), in: world)
        }
    }

    /// The states of the samples' activations that are not active.
    private static let natural: [String: ActivationState] = [
        "/activation/commit": .pendingCommit, "/activation/otp/update": .pendingCommit, "/activation/unblock": .blocked,
    ]

    /// The resources whose request names the operator; `RuleCoverageTests` know them from the declarations.
    static let namesActor: Set<String> = [
        "/activation/otp/update", "/activation/commit", "/activation/block", "/activation/unblock",
        "/activation/remove", "/activation/name/update",
    ]

    private static let effects: [String: @Sendable (ActivationState) -> RuleEffects] = [
        "/activation/init": { _ in RuleEffects(history: ["CREATED"]) },
        "/activation/create": { _ in RuleEffects(history: ["CREATED", "PENDING_COMMIT"]) },
        "/activation/recovery/create": { _ in
            RuleEffects(recovery: .cleared, history: ["REMOVED", "CREATED", "PENDING_COMMIT"])
        },
        "/activation/prepare": { _ in RuleEffects(history: ["PENDING_COMMIT"]) },
        "/activation/otp/update": { state in
            RuleEffects(history: state == .pendingCommit ? ["PENDING_COMMIT OTP_VALUE_UPDATE"] : [])
        },
        "/activation/commit": { RuleEffects(history: $0 == .pendingCommit ? ["ACTIVE"] : []) },
        "/activation/block": { RuleEffects(history: $0 == .active ? ["BLOCKED TEST-REASON"] : []) },
        "/activation/unblock": { state in
            state == .blocked ? RuleEffects(activation: .cleared, history: ["ACTIVE"]) : RuleEffects()
        },
        "/activation/remove": { RuleEffects(history: $0 == .removed ? [] : ["REMOVED"]) },
        "/activation/name/update": { state in
            RuleEffects(
                history: [.pendingCommit, .active].contains(state) ? ["\(state.name) ACTIVATION_NAME_UPDATED"] : [])
        },
        "/activation/status/update": { statusUpdate(from: $0, to: .blocked) },
        "/signature/verify": verification, "/signature/offline/verify": verification,
        // The envelope comes first, and is not opened for another activation.
        "/vault/unlock": { $0 == .active ? verification($0) : RuleEffects() },
        "/upgrade/commit": { RuleEffects(history: $0 == .active ? ["ACTIVE ACTIVATION_VERSION_CHANGED"] : []) },
        "/operation/create": { _ in RuleEffects(operations: ["PENDING 0"]) },
        "/operation/approve": { _ in RuleEffects(operations: ["APPROVED 2"]) },
        "/operation/approve/fail": { _ in RuleEffects(operation: .counted, operations: ["PENDING 3"]) },
        "/operation/reject": { _ in RuleEffects(operations: ["REJECTED 2"]) },
        "/operation/cancel": { _ in RuleEffects(operations: ["CANCELED 2"]) },
    ]

    /// A right signature of two factors.
    private static let verification: @Sendable (ActivationState) -> RuleEffects = { state in
        state == .active
            ? RuleEffects(activation: .cleared, verified: [true]) : RuleEffects(verified: [false])
    }

    private static func statusUpdate(from state: ActivationState, to wanted: ActivationState) -> RuleEffects {
        guard state != .removed && state != wanted else { return RuleEffects() }
        return RuleEffects(
            activation: wanted == .active ? .cleared : .left,
            history: [wanted.name + (wanted == .blocked ? " NOT_SPECIFIED" : "")])
    }

    /// Every state to every state.
    private static let statusUpdates: [RuleCall] = ActivationState.allCases.flatMap { state in
        ActivationState.allCases.map { wanted in
            changed(
                "/activation/status/update", "to \(wanted.name)", in: state, statusUpdate(from: state, to: wanted)
            ) { _, fields in fields.merging(["activationStatus": wanted.name]) { $1 } }
        }
    }

    /// Every combination of factors, right and wrong.
    private static let signatures: [RuleCall] =
        SignatureType.allCases.flatMap { type in
            [true, false].map { isRight in
                RuleCall(
                    place: "/rest/v3/signature/verify", situation: "\(isRight ? "right" : "wrong") \(type.rawValue)",
                    effects: .verification(by: type, isRight: isRight)
                ) { world in
                    let device = try await world.device(.active)
                    return Prepared(activationId: device.activationId) {
                        var device = device
                        try await device.verifySignature(type: type, correct: isRight).expectOK()
                    }
                }
            }
        }

    private static let otherSignatures: [RuleCall] = [
        changed(
            "/signature/verify", "key of another application",
            RuleEffects(activation: .counted, verified: [false])
        ) { world, fields in fields.merging(["applicationKey": try await world.foreignKey()]) { $1 } },
        changed(
            "/signature/verify", "key of an unsupported version",
            RuleEffects(activation: .counted, verified: [false])
        ) { world, fields in fields.merging(["applicationKey": try await world.unsupportedKey()]) { $1 } },
        changed(
            "/signature/verify", "key of another application, possession alone", RuleEffects(verified: [false])
        ) { world, fields in
            fields.merging(["applicationKey": try await world.foreignKey(), "signatureType": "POSSESSION"]) { $1 }
        },
        changed(
            "/signature/offline/verify", "wrong", RuleEffects(activation: .counted, verified: [false])
        ) { $1.merging(["signature": "12345678-12345678"]) { $1 } },
        changed(
            "/vault/unlock", "wrong", RuleEffects(activation: .counted, verified: [false])
        ) { $1.merging(["signature": "AAAAAAAAAAAAAAAAAAAAAA=="]) { $1 } },
    ]

    /// A one-time password, and a PUK.
    private static let passwords: [RuleCall] = [
        changed(
            "/activation/commit", "right password", actor: "operator", in: .pendingCommit,
            RuleEffects(activation: .cleared, history: ["ACTIVE"])
        ) { world, fields in
            try await waiting(world, fields, otp: "777")
        },
        changed(
            "/activation/commit", "wrong password", in: .pendingCommit,
            RuleEffects(activation: .counted, history: ["PENDING_COMMIT OTP_FAILED_ATTEMPT"])
        ) { world, fields in
            try await waiting(world, fields, otp: "778")
        },
        changed("/activation/prepare", "right password", RuleEffects(activation: .cleared, history: ["ACTIVE"])) {
            world, fields in try await keyExchange(world, fields, otp: "777")
        },
        changed(
            "/activation/prepare", "wrong password",
            RuleEffects(activation: .counted, history: ["CREATED OTP_FAILED_ATTEMPT"])
        ) { world, fields in try await keyExchange(world, fields, otp: "778") },
        changed("/activation/prepare", "a device key that is no point", RuleEffects(history: ["REMOVED"])) {
            world, fields in
            let key = StrictBase64.encode(Data(count: 65))
            return fields.merging(try await world.keyExchange(["devicePublicKey": key])) { $1 }
        },
        changed("/activation/recovery/create", "wrong PUK", RuleEffects(recovery: .counted)) {
            $1.merging(["puk": "0000000000"]) { $1 }
        },
    ]

    private static func waiting(_ world: World, _ fields: Fields, otp: String) async throws -> Fields {
        let id = try await world.activation(.pendingCommit, ["activationOtp": "777"])
        return fields.merging(["activationId": id, "activationOtp": otp]) { $1 }
    }

    private static func keyExchange(_ world: World, _ fields: Fields, otp: String) async throws -> Fields {
        let (_, code) = try await world.client.initiate([
            "activationOtpValidation": "ON_KEY_EXCHANGE", "activationOtp": "777",
        ])
        return fields.merging(try await world.keyExchange(["activationOtp": otp])) { $1 }
            .merging(["activationCode": code]) { $1 }
    }

    /// Calls that find an activation or an operation whose time is over.
    private static let late: [RuleCall] =
        [
            "/activation/commit", "/activation/otp/update", "/activation/status", "/activation/list",
        ].map { path in
            changed(path, "too late", RuleEffects(history: ["REMOVED"]), isLate: true) { world, fields in
                guard path == "/activation/list" else { return fields }
                let user = "late-\(UUID().uuidString)"
                _ = try await world.activation(.created, ["userId": user])
                return ["userId": user]
            }
        }

    private static let lateOperations: [RuleCall] =
        [
            "/operation/detail", "/operation/claim", "/operation/list", "/operation/list/pending",
            "/operation/list/external", "/operation/approve", "/operation/approve/fail", "/operation/reject",
            "/operation/cancel",
        ].map { path in
            changed(path, "too late", RuleEffects(operations: ["EXPIRED 2"]), isLate: true) { world, fields in
                // One operation alone is overdue: the others of the tables end in 2030.
                let context = world.fixture.server.services.context
                let now = context.clock.now().milliseconds
                try context.change { change in
                    try change.database.execute(
                        sql: "UPDATE operation SET t_expire = ? WHERE rowid = (SELECT max(rowid) FROM operation)",
                        arguments: [now + 1_000])
                }
                return fields
            }
        }

    private static let others: [RuleCall] = [
        changed(
            "/operation/approve", "other data", RuleEffects(operation: .counted, operations: ["PENDING 3"])
        ) { $1.merging(["data": "A1*A999.00"]) { $1 } },
        changed(
            "/operation/approve", "another user", RuleEffects(operation: .counted, operations: ["PENDING 3"])
        ) { $1.merging(["userId": "bob"]) { $1 } },
        changed("/operation/reject", "another user", RuleEffects()) { $1.merging(["userId": "bob"]) { $1 } },
    ]

    /// The right request of a table with a change.
    /// - Parameter isLate: whether the time of activations and operations runs out before the call.
    private static func changed(
        _ path: String, _ situation: String, actor: String? = nil, in state: ActivationState? = nil,
        _ effects: RuleEffects, isLate: Bool = false,
        _ change: @escaping @Sendable (World, Fields) async throws -> Fields
    ) -> RuleCall {
        RuleCall(place: "/rest/v3" + path, situation: situation, state: state, actor: actor, effects: effects) {
            world in
            guard let table = EndpointTable[path] else { throw NoTable(path: path) }
            let fields = try await change(world, table.sample(world))
            return Prepared(table, fields, in: world, isLate: isLate)
        }
    }

    private struct NoTable: Error {
        let path: String
    }
}

extension RuleCall.Prepared {
    init(_ table: EndpointTable, _ fields: Fields, in world: World, isLate: Bool = false) {
        let ids = fields["activationIds"] as? [any Sendable]
        activationId = (fields["activationId"] ?? ids?.first) as? String
        perform = {
            if isLate { world.client.clock.advance(milliseconds: 300_001) }
            _ = try await world.client.backOffice(String(table.path.dropFirst()), fields)
        }
    }
}

extension RuleEffects {
    /// The check of a signature of an active activation (server.md, section 20.6).
    static func verification(by type: SignatureType, isRight: Bool) -> RuleEffects {
        RuleEffects(activation: type == .possession ? .left : isRight ? .cleared : .counted, verified: [isRight])
    }
}
