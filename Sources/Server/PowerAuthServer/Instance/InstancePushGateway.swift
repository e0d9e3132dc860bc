import Dispatch
import LabKit
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

    /// - Parameters:
    ///   - layout: the instance.
    ///   - topology: its devices.
    init(layout: InstanceLayout, topology: Topology) {
        self.layout = layout
        phones = topology.devices.filter { $0.kind == .phone }.map(\.name)
    }

    func send(_ notification: PushNotification, to token: String) -> PushOutcome {
        let push = DeliverPush {
            $0.token = token
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
        return outcomes.wait()
    }

    private static func outcome(of reply: Result<ControlReply, ControlError>) -> PushOutcome {
        switch reply {
        case .success(let reply) where reply.error == nil: .accepted
        case .success(let reply) where reply.error?.name == "unknownDeviceToken": .invalidToken
        // The arguments are built here, so a device can refuse only the length of the payload.
        case .success(let reply) where reply.error?.name == "badArgument": .payloadTooLarge
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
        private struct State {
            var missing: Int
            var answers: Set<PushOutcome> = []
        }

        /// What only the device with the token answers.
        private static let decisive: [PushOutcome] = [.accepted, .payloadTooLarge]

        private let state: Mutex<State>
        private let isDecided = DispatchSemaphore(value: 0)

        init(count: Int) {
            state = Mutex(State(missing: count))
            if count == 0 { isDecided.signal() }
        }

        func add(_ outcome: PushOutcome) {
            let decides = state.withLock { state in
                state.missing -= 1
                state.answers.insert(outcome)
                return Self.decisive.contains(outcome) || state.missing == 0
            }
            if decides { isDecided.signal() }
        }

        /// The outcome, as soon as the device with the token has answered or all have. The token is invalid only if
        /// every device refuses it.
        func wait() -> PushOutcome {
            isDecided.wait()
            let answers = state.withLock { $0.answers }
            return (Self.decisive + [.unavailable]).first { answers.contains($0) } ?? .invalidToken
        }
    }
}
