// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabVocabulary
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// The side effects of the server's commands: the same as those of their resources.
extension RuleCall {
    static let commands: [RuleCall] =
        initiation + activationCommands + verifications + tokens + operationCommands + digits + otherCommands

    private static let initiation: [RuleCall] = [
        RuleCall(place: InitActivation.name, effects: RuleEffects(history: ["CREATED"])) { world in
            Prepared { try await world.perform(InitActivation()) }
        }
    ]

    private static let activationCommands: [RuleCall] =
        ActivationState.allCases.flatMap { state in
            [
                command(
                    CommitActivation.self, in: state, state == .pendingCommit ? .init(history: ["ACTIVE"]) : .init()
                ) {
                    $0.activationId = $1
                },
                command(ActivationStatus.self, in: state, RuleEffects()) { $0.activationId = $1 },
                command(BlockActivation.self, in: state, RuleEffects(history: state == .active ? ["BLOCKED LOST"] : []))
                {
                    $0.activationId = $1
                    $0.reason = "LOST"
                },
                command(
                    UnblockActivation.self, in: state,
                    state == .blocked ? RuleEffects(activation: .cleared, history: ["ACTIVE"]) : RuleEffects()
                ) { $0.activationId = $1 },
                command(
                    RemoveServerActivation.self, in: state, RuleEffects(history: state == .removed ? [] : ["REMOVED"])
                ) { $0.activationId = $1 },
            ]
        }

    private static let verifications: [RuleCall] =
        SignatureType.allCases.flatMap { type in
            [true, false].map { isRight in
                RuleCall(
                    place: VerifySignature.name, situation: "\(isRight ? "right" : "wrong") \(type.rawValue)",
                    effects: .verification(by: type, isRight: isRight)
                ) { world in
                    var device = try await world.device(.active)
                    let header = try device.signature(uriId: "/login", body: Data(), type: type, correct: isRight).value
                    return Prepared(activationId: device.activationId) {
                        try await world.perform(
                            VerifySignature {
                                $0.header = header
                                $0.method = .post
                                $0.uriId = "/login"
                            })
                    }
                }
            }
        }

    private static let tokens: [RuleCall] = [
        RuleCall(place: ValidateToken.name, effects: RuleEffects()) { world in
            var device = try await world.client.activeDevice()
            let token = try await device.createToken()
            return Prepared(activationId: device.activationId) {
                let header = try token.header(.v3_3, timestamp: world.client.timestamp).value
                try await world.perform(ValidateToken { $0.header = header })
            }
        }
    ]

    private static func command<C: Command>(
        _ type: C.Type, in state: ActivationState, _ effects: RuleEffects,
        _ fill: @escaping @Sendable (inout C, _ activationId: String) -> Void
    ) -> RuleCall {
        RuleCall(place: C.name, state: state, effects: effects) { world in
            let id = try await world.activation(.active)
            return Prepared(activationId: id) { try await world.perform(C { fill(&$0, id) }) }
        }
    }

    // MARK: Operations

    private static let operationCommands: [RuleCall] =
        [
            RuleCall(place: CreatePayment.name, effects: RuleEffects(operations: ["PENDING 0"])) { world in
                Prepared { try await world.perform(CreatePayment()) }
            },
            RuleCall(place: CreateOperation.name, effects: RuleEffects(operations: ["PENDING 0"])) { world in
                Prepared { try await world.perform(CreateOperation { $0.template = "login" }) }
            },
            RuleCall(place: OperationDetail.name, effects: RuleEffects()) { world in
                let id = try await world.client.operation("login")
                return Prepared { try await world.perform(OperationDetail { $0.operationId = id }) }
            },
            RuleCall(place: CancelOperation.name, effects: RuleEffects(operations: ["CANCELED 2"])) { world in
                let id = try await world.client.operation("login")
                return Prepared { try await world.perform(CancelOperation { $0.operationId = id }) }
            },
            RuleCall(place: OfflineQR.name, effects: RuleEffects()) { world in
                let scan = try await OfflineScan(world)
                return Prepared(activationId: scan.activationId) {
                    try await world.perform(
                        OfflineQR { ($0.operationId, $0.activationId) = (scan.operationId, scan.activationId) })
                }
            },
        ]

    private static let digits: [RuleCall] =
        [true, false].map { isRight in
            RuleCall(
                place: VerifyOfflineCode.name, situation: isRight ? "right" : "wrong",
                effects: OfflineScan.effects(isRight: isRight)
            ) { world in
                let scan = try await OfflineScan(world)
                let (nonce, digits) = try await scan.answer(isRight: isRight)
                return Prepared(activationId: scan.activationId) {
                    try await world.perform(
                        VerifyOfflineCode {
                            ($0.operationId, $0.activationId) = (scan.operationId, scan.activationId)
                            ($0.nonce, $0.digits) = (nonce, digits)
                        })
                }
            }
        }

    /// Commands about traffic, messages and resources, which do nothing to activations and operations.
    private static let otherCommands: [RuleCall] = [
        RuleCall(place: RegisterPushDevice.name, effects: RuleEffects()) { world in
            let id = try await world.activation(.active)
            return Prepared(activationId: id) {
                try await world.perform(RegisterPushDevice { ($0.token, $0.activationIds) = ("AA", [id]) })
            }
        },
        idle(SendPush()), idle(SendInboxMessage()),
        idle(SlowAnswers { ($0.endpoint, $0.by) = (.status, .seconds(1)) }),
        idle(FailRequests { $0.endpoint = .status }),
        idle(DropConnections { $0.endpoint = .status }), idle(CorruptAnswers { $0.endpoint = .status }),
        idle(EditAnswers { ($0.endpoint, $0.remove) = (.status, ["status"]) }),
        idle(ShowWrongCertificate()), idle(HealTraffic()), idle(ListTrafficFaults()),
        idle(ListRequests { $0.endpoint = .status }),
        RuleCall(place: CallResource.name, effects: RuleEffects(activation: .cleared, history: ["ACTIVE"])) { world in
            let id = try await world.activation(.blocked)
            return Prepared(activationId: id) {
                try await world.perform(
                    CallResource {
                        $0.path = "/rest/v3/activation/unblock"
                        $0.method = .post
                        $0.request = ["activationId": .string(id)]
                    })
            }
        },
    ]

    private static func idle<C: Command>(_ command: C) -> RuleCall {
        RuleCall(place: C.name, effects: RuleEffects()) { world in
            _ = try await world.client.mobileApp()
            return Prepared { try await world.perform(command) }
        }
    }
}

extension World {
    /// Performs a command the way the control channel does, however it ends.
    fileprivate func perform(_ command: some Command) async throws {
        let request = try ControlRequest(command: type(of: command).name, arguments: JSONValue(encoding: command))
        let table = try ServerHandlers.table(for: fixture.server)
        let _: Result<JSONValue, ControlError> = await withCheckedContinuation { continuation in
            table.perform(request, by: fixture.server) { continuation.resume(returning: $0) }
        }
    }
}
