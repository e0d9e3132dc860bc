import LabKit
import LabSystem
import Synchronization

/// What other threads tell the agent's thread.
enum AgentMessage: Sendable {
    /// A command for the device, one of its apps or one of its links.
    case control(ControlRequest, ControlResponder)
    /// The lab's clock reached the moment that was asked for.
    case labAlarm
    /// The time of a process is over, or was when it still ran.
    case timeLimit
    /// The runner of the instance has ended.
    case leaseLost
    /// A signal asks the agent to end.
    case signal(Int32)
}

/// Where other threads leave messages for the agent's thread, in order. The thread waits for them and for its sockets in
/// `poll`, so that this is no ``Mailbox``.
///
/// Thread rule: any thread; nothing blocks.
final class AgentMailbox: Sendable {
    private let messages = Mutex<[AgentMessage]>([])
    private let bell: EventDescriptor

    init() throws {
        bell = try EventDescriptor()
    }

    /// Becomes readable when there are messages.
    var rawDescriptor: Int32 { bell.rawDescriptor }

    func post(_ message: AgentMessage) {
        messages.withLock { $0.append(message) }
        bell.signal()
    }

    /// Takes all messages.
    func takeAll() -> [AgentMessage] {
        _ = bell.drain()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
