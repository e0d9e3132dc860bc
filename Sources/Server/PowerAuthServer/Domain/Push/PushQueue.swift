import LabSystem

/// A change that is reported to devices after its commit.
enum Push: Sendable {
    case operationCreated(OperationRecord)
    case operationFinished(OperationRecord)
    case message(PushMessage, PushRegistrationStore.Audience)
}

/// Sends pushes on a thread of its own, in the order of their commits: neither a request nor a transaction waits for a
/// device.
///
/// Thread rule: any thread.
final class PushQueue: Sendable {
    /// Nil on a server without push gateway.
    let gateway: (any PushGateway)?
    let journal = PushJournal()
    private let thread = WorkerThreads(count: 1)

    init(gateway: (any PushGateway)?) {
        self.gateway = gateway
    }

    /// Sends them, some time. Returns at once.
    /// - Parameter operation: the lab operation that caused them.
    func submit(_ pushes: [Push], onBehalfOf operation: String?, _ context: ServiceContext) {
        thread.submit {
            CurrentOperation.$id.withValue(operation) {
                // Push is best effort: a server that is closing sends nothing more.
                for push in pushes { _ = try? PushSender(context: context).send(push) }
            }
        }
    }

    /// Sends one and blocks until it has been handed to every device.
    func deliver(_ push: Push, _ context: ServiceContext) throws -> [PushJournal.Entry] {
        let delivery = OneShot<Result<[PushJournal.Entry], any Error>>()
        let operation = CurrentOperation.id
        thread.submit {
            CurrentOperation.$id.withValue(operation) {
                _ = delivery.set(Result { try PushSender(context: context).send(push) })
            }
        }
        return try delivery.wait().get()
    }

    /// Blocks until everything that was submitted before has been sent.
    func settle() {
        let isSettled = OneShot<Void>()
        thread.submit { isSettled.set() }
        isSettled.wait()
    }
}
