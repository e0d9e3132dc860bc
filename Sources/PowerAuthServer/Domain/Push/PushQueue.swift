import Dispatch

/// Something that devices are told about, once it is committed.
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
    /// Nil where there is nobody to hand notifications to.
    let gateway: (any PushGateway)?
    let journal = PushJournal()
    private let thread = WorkerThreads(count: 1)

    init(gateway: (any PushGateway)?) {
        self.gateway = gateway
    }

    /// Sends them, some time. Returns at once.
    func submit(_ pushes: [Push], _ context: ServiceContext) {
        guard !pushes.isEmpty else { return }
        thread.submit {
            // Push is best effort: a server that is closing sends nothing more.
            for push in pushes { try? PushSender(context: context).send(push) }
        }
    }

    /// Blocks until everything that was submitted before has been sent.
    func settle() {
        let isSettled = DispatchSemaphore(value: 0)
        thread.submit { isSettled.signal() }
        isSettled.wait()
    }
}
