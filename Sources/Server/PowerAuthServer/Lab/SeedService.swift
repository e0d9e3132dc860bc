// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol

/// Puts activations into the database as if they had a past, also such that no call could bring there
/// (an activation of protocol 2, a counter close to its end).
struct SeedService: Sendable {
    let context: ServiceContext

    /// One kind of activation, as `/lab/seed` takes it.
    struct Blueprint: Decodable, Sendable {
        var userId: Identifier
        var applicationId: Identifier?
        var status: EnumName<ActivationState>?
        /// 2 or 3; 3 when it is missing.
        var version: Int?
        /// Base64 of a point; if missing, a key pair is generated and its private key discarded.
        var devicePublicKey: String?
        var counter: UInt64?
        /// Base64 of 16 bytes.
        var ctrData: String?
        var failedAttempts: Int?
        var maxFailedAttempts: Int?
        var blockedReason: String?
        var activationName: String?
        var flags: [Identifier]?
        /// How many of this kind; the user of each after the first gets a number.
        var count: Int?
    }

    /// The data for a caller acting as the device.
    struct Seeded: Encodable, Sendable {
        let activationId: Identifier
        let activationCode: String
        let userId: Identifier
        let activationStatus: String
        let serverPublicKey: String
        @ExplicitNull var ctrData: String?
    }

    /// The most that one call makes.
    static let limit = 10_000

    /// Makes all activations in one transaction.
    /// - Throws: `invalidRequest` for a blueprint without sense, `invalidApplication` for an unknown application.
    func seed(_ blueprints: [Blueprint]) throws -> [Seeded] {
        let counts = blueprints.map { $0.count ?? 1 }
        guard counts.allSatisfy({ (1...Self.limit).contains($0) }), counts.reduce(0, +) <= Self.limit else {
            throw ServiceError(.invalidRequest, "count must be positive, and at most \(Self.limit) in all")
        }
        let plans = try blueprints.flatMap { blueprint in
            try (1...(blueprint.count ?? 1)).map { number in
                Plan(
                    blueprint: blueprint,
                    userId: number == 1
                        ? blueprint.userId : try Identifier("\(blueprint.userId)-\(number)", field: "userId"),
                    binding: try binding(blueprint), serverKey: try PrivateKey.generate())
            }
        }
        return try context.change { change in try plans.map { try insert($0, in: change) } }
    }

    private struct Plan {
        let blueprint: Blueprint
        let userId: Identifier
        let binding: DeviceBinding
        let serverKey: PrivateKey
    }

    private func binding(_ blueprint: Blueprint) throws -> DeviceBinding {
        let version = blueprint.version ?? 3
        guard version == 2 || version == 3 else { throw ServiceError(.invalidRequest, "version must be 2 or 3") }
        let deviceKey: PublicKey
        if let text = blueprint.devicePublicKey {
            guard let key = StrictBase64.decode(text).flatMap({ try? PublicKey(encoded: $0) }) else {
                throw ServiceError(.invalidRequest, "devicePublicKey must be Base64 of a point of P-256")
            }
            deviceKey = key
        } else {
            deviceKey = try PrivateKey.generate().publicKey
        }
        let counterData: CounterData
        if let text = blueprint.ctrData {
            guard let bytes = StrictBase64.decode(text), let data = try? CounterData(bytes) else {
                throw ServiceError(.invalidRequest, "ctrData must be Base64 of 16 bytes")
            }
            counterData = data
        } else {
            counterData = .random()
        }
        return DeviceBinding(
            devicePublicKey: deviceKey.uncompressed, counter: blueprint.counter ?? 0,
            counterData: counterData.rawData, version: version)
    }

    private func insert(_ plan: Plan, in change: WriteTransaction) throws -> Seeded {
        let blueprint = plan.blueprint
        let applicationId = try blueprint.applicationId ?? ApplicationStore.all(change.database).first?.id
        var new = ActivationService.NewActivation()
        new.maxFailureCount = blueprint.maxFailedAttempts
        new.flags = blueprint.flags ?? []
        var activation = try ActivationService(context: context).insert(
            .init(
                new: new, userId: plan.userId, applicationId: applicationId ?? Identifier.none, otpHash: nil,
                serverKey: plan.serverKey), in: change
        ).activation
        let expires = activation.lifecycle.expires ?? change.now
        let status = blueprint.status?.value ?? .active
        switch status {
        case .created: break
        case .pendingCommit: activation.lifecycle = .pendingCommit(plan.binding, expires: expires)
        case .active: activation.lifecycle = .active(plan.binding)
        case .blocked:
            activation.lifecycle = .blocked(plan.binding, reason: blueprint.blockedReason ?? BlockedReason.notSpecified)
        case .removed: activation.lifecycle = .removed(plan.binding)
        }
        activation.name = blueprint.activationName
        activation.failedAttempts = min(max(0, blueprint.failedAttempts ?? 0), activation.maxFailedAttempts)
        if status == .created {
            // It was inserted with its history row; a second one would tell of a change that was none.
            try change.saveContent(activation)
        } else {
            try change.save(&activation, previous: .created)
        }
        return Seeded(
            activationId: activation.id, activationCode: activation.code, userId: activation.userId,
            activationStatus: activation.status.name, serverPublicKey: StrictBase64.encode(activation.serverPublicKey),
            ctrData: activation.lifecycle.binding.map { StrictBase64.encode($0.counterData) })
    }
}

extension SeedService {
    static let limits: [String: FieldLimit] = [
        "activations.*.userId": .notBlank(upTo: 200), "activations.*.version": ["minimum": 2, "maximum": 3],
        "activations.*.count": ["minimum": 1, "maximum": .integer(Int64(limit))],
        "activations.*.maxFailedAttempts": ["minimum": 1], "activations.*.devicePublicKey": .base64,
        "activations.*.ctrData": .base64, "claims": ["additionalProperties": ["type": "object"]],
    ]
}
