// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabSystem
import LabVocabulary
import Synchronization

/// The push service of an instance: brings notifications to the device whose app has the token, by asking the agents of all
/// phones.
///
/// An agent that does not answer is as a device that cannot be reached; the wait for it is limited. Thread rule: any
/// thread; calls block.
final class InstancePushGateway: PushGateway {
    private let layout: InstanceLayout
    private let phones: [String]
    private let clients = Mutex<[String: ControlClient]>([:])

    /// How long a device may take, in real time.
    private static let patience = LabDuration.seconds(3).stretched

    init(layout: InstanceLayout, topology: Topology) {
        self.layout = layout
        phones = topology.devices.filter { $0.kind == .phone }.map(\.name)
    }

    func send(_ notification: PushNotification, to token: String, in environment: PushEnvironment) -> PushOutcome {
        let push = DeliverPush {
            $0.token = token
            $0.environment = environment
            $0.payload = notification.payload
            $0.id = notification.id
        }
        guard let arguments = try? push.arguments() else { return .unavailable }
        let request = ControlRequest(command: DeliverPush.name, arguments: arguments, operation: CurrentOperation.id)
        let outcomes = Outcomes(count: phones.count)
        for phone in phones {
            guard let client = try? client(for: phone) else {
                outcomes.add(.unavailable)
                continue
            }
            client.send(request, timeout: Self.patience) { outcomes.add(Self.outcome(of: $0)) }
        }
        return outcomes.decision.wait()
    }

    private static func outcome(of reply: Result<ControlReply, ControlError>) -> PushOutcome {
        switch reply {
        case .success(let reply) where reply.error == nil: .accepted
        case .success(let reply) where reply.error?.labError == .unknownDeviceToken: .invalidToken
        case .success(let reply) where reply.error?.labError == .badDeviceToken: .badDeviceToken
        // The arguments are built here, so a device can refuse only the length of the payload.
        case .success(let reply) where reply.error?.labError == .badArgument: .payloadTooLarge
        default: .unavailable
        }
    }

    private func client(for phone: String) throws -> ControlClient {
        try clients.withLock { clients in
            if let client = clients[phone] { return client }
            let client = try ControlClient(layout, .agent(phone))
            clients[phone] = client
            return client
        }
    }

    /// The answers of the devices.
    private final class Outcomes: Sendable {
        /// The outcome, as soon as the device with the token has answered or all have. The token is invalid only if
        /// every device refuses it.
        let decision = OneShot<PushOutcome>()
        /// How many devices have not answered, and the outcome if none of them has the token.
        private let state: Mutex<(missing: Int, otherwise: PushOutcome)>

        init(count: Int) {
            state = Mutex((missing: count, otherwise: .invalidToken))
            if count == 0 { decision.set(.invalidToken) }
        }

        func add(_ outcome: PushOutcome) {
            let (missing, otherwise) = state.withLock { state in
                state.missing -= 1
                if outcome == .unavailable { state.otherwise = outcome }
                return state
            }
            switch outcome {
            // What only the device with the token answers.
            case .accepted, .badDeviceToken, .payloadTooLarge: decision.set(outcome)
            case .invalidToken, .unavailable: if missing == 0 { decision.set(otherwise) }
            }
        }
    }
}
