// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

@testable import PowerAuthServer

/// The side effects of the resources for devices (rest-api.md, section 7.5).
extension RuleCall {
    /// Every resource, every combination of factors right and wrong, and every state of the activation.
    static let device: [RuleCall] =
        DeviceCall.allCases.flatMap { call in
            DeviceCall.signed.contains(call)
                ? SignatureType.allCases.flatMap { type in
                    // Factors that are refused are not looked at.
                    (DeviceErrorRow.accepted(by: call).contains(type) ? [true, false] : [true]).map {
                        signed(call, by: type, isRight: $0)
                    }
                } + [ActivationState.pendingCommit, .blocked, .removed].map { refused(call, in: $0) }
                : [unsigned(call)]
        } + creations

    private static func unsigned(_ call: DeviceCall) -> RuleCall {
        RuleCall(
            place: call.rawValue,
            effects: call == .createActivation ? RuleEffects(history: ["PENDING_COMMIT"]) : RuleEffects()
        ) { world in
            Prepared(try await DeviceRig(world.client, call, .v3_3))
        }
    }

    private static func signed(_ call: DeviceCall, by type: SignatureType, isRight: Bool) -> RuleCall {
        var effects = RuleEffects()
        // Other factors are refused before they are looked at.
        if DeviceErrorRow.accepted(by: call).contains(type) {
            effects = .verification(by: type, isRight: isRight)
            if isRight { effects.history = changes(of: call) }
        }
        return RuleCall(
            place: call.rawValue, situation: "\(isRight ? "right" : "wrong") \(type.rawValue)",
            actor: call == .renameActivation && isRight ? "alice" : nil, effects: effects
        ) { world in
            let rig = try await DeviceRig(world.client, call, .v3_3)
            return Prepared(rig, Twist(factors: type, isSignatureCorrect: isRight))
        }
    }

    private static func changes(of call: DeviceCall) -> [String] {
        switch call {
        case .removeActivation: ["REMOVED"]
        case .renameActivation: ["ACTIVE ACTIVATION_NAME_UPDATED"]
        case .commitUpgrade: ["ACTIVE ACTIVATION_VERSION_CHANGED"]
        case .activationCode: ["CREATED"]
        default: []
        }
    }

    /// A right signature of an activation that is not active.
    private static func refused(_ call: DeviceCall, in state: ActivationState) -> RuleCall {
        // The vault opens the envelope first, and none of such an activation.
        RuleCall(
            place: call.rawValue, state: state, effects: RuleEffects(verified: call == .unlockVault ? [] : [false])
        ) { world in
            Prepared(try await DeviceRig(world.client, call, .v3_3))
        }
    }

    // MARK: Activations

    private static let creations: [RuleCall] = [
        creation("right password", RuleEffects(activation: .cleared, history: ["ACTIVE"])) { world in
            try await Identity(code: world.client.initiate(otp).code, otp: "777")
        },
        creation("wrong password", RuleEffects(activation: .counted, history: ["CREATED OTP_FAILED_ATTEMPT"])) {
            world in try await Identity(code: world.client.initiate(otp).code, otp: "778")
        },
        creation("an identity", RuleEffects(history: ["CREATED", "PENDING_COMMIT"])) { _ in
            Identity(type: "CUSTOM", attributes: ["username": "carol"])
        },
        creation(
            "right PUK", RuleEffects(recovery: .cleared, history: ["REMOVED", "CREATED", "PENDING_COMMIT", "ACTIVE"])
        ) {
            try await Identity(lost: EndpointTable.recoverable($0).recovery)
        },
        creation("wrong PUK", RuleEffects(recovery: .counted)) {
            try await Identity(lost: EndpointTable.recoverable($0).recovery, puk: "0000000000")
        },
    ]

    private static let otp: Fields = ["activationOtpValidation": "ON_KEY_EXCHANGE", "activationOtp": "777"]

    private struct Identity {
        var type = "CODE"
        var attributes: [String: String] = [:]
        var otp: String?

        init(type: String, attributes: [String: String]) { (self.type, self.attributes) = (type, attributes) }

        init(code: String, otp: String) { (attributes, self.otp) = (["code": code], otp) }

        init(lost recovery: RecoveryData, puk: String? = nil) {
            type = "RECOVERY"
            attributes = ["recoveryCode": recovery.code.text, "puk": puk ?? recovery.puk.text]
        }
    }

    private static func creation(
        _ situation: String, _ effects: RuleEffects, identity: @escaping @Sendable (World) async throws -> Identity
    ) -> RuleCall {
        RuleCall(place: DeviceCall.createActivation.rawValue, situation: situation, effects: effects) { world in
            let identity = try await identity(world)
            return Prepared {
                var device = try TestDevice(world.client, .v3_3)
                try await device.activate(type: identity.type, identity: identity.attributes, otp: identity.otp)
            }
        }
    }
}

extension RuleCall.Prepared {
    init(_ rig: DeviceRig, _ twist: Twist = Twist()) {
        self.init(activationId: rig.device.activationId.isEmpty ? nil : rig.device.activationId) {
            var rig = rig
            _ = try await rig.send(twist)
            try await rig.leave()
        }
    }
}
