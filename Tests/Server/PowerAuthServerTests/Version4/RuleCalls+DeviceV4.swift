// SPDX-License-Identifier: Apache-2.0

import PowerAuthProtocol

@testable import PowerAuthServer

/// The side effects of the resources for devices of protocol 4, which are those of version 3 (rest-api.md, section 7.5).
extension RuleCall {
    /// Every resource, every combination of factors right and wrong, and every state of the activation.
    static let deviceV4: [RuleCall] = DeviceCallV4.allCases.flatMap { call -> [RuleCall] in
        guard call.isCoded else { return [unsigned(call)] }
        let codes = SignatureType.allCases.flatMap { type in
            // Factors that are refused are not looked at.
            (call.factors.contains(type) ? [true, false] : [true]).map { coded(call, by: type, isRight: $0) }
        }
        return codes + [ActivationState.pendingCommit, .blocked, .removed].map { refused(call, in: $0) }
    }

    private static func unsigned(_ call: DeviceCallV4) -> RuleCall {
        RuleCall(place: call.rawValue, effects: RuleEffects(history: call.changes)) { world in
            Prepared(try await DeviceRigV4(world.client, call))
        }
    }

    private static func coded(_ call: DeviceCallV4, by type: SignatureType, isRight: Bool) -> RuleCall {
        var effects = RuleEffects()
        if call.factors.contains(type) {
            effects = .verification(by: type, isRight: isRight)
            if isRight { effects.history = call.changes }
        }
        return RuleCall(
            place: call.rawValue, situation: "\(isRight ? "right" : "wrong") \(type.rawValue)", effects: effects
        ) { world in
            Prepared(
                try await DeviceRigV4(world.client, call), TwistV4(factors: type, isCodeCorrect: isRight))
        }
    }

    /// A right code of an activation that is not active.
    private static func refused(_ call: DeviceCallV4, in state: ActivationState) -> RuleCall {
        // The vault opens the envelope first, and none of such an activation.
        RuleCall(
            place: call.rawValue, state: state, effects: RuleEffects(verified: call == .unlockVault ? [] : [false])
        ) { world in
            Prepared(try await DeviceRigV4(world.client, call))
        }
    }
}

extension RuleCall.Prepared {
    init(_ rig: DeviceRigV4, _ twist: TwistV4 = TwistV4()) {
        self.init(activationId: rig.device.activationId.isEmpty ? nil : rig.device.activationId) {
            var rig = rig
            _ = try await rig.send(twist)
        }
    }
}
