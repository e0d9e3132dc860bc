// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import PowerAuthShared

/// Gives the requests of a service their turns (networking.md, section 8.1). Thread rule: any thread.
final class RequestQueues: Sendable {
    private let client: RestClient
    private let concurrent: DispatchQueue
    private let serial: SerialOperationQueue

    /// - Parameter client: has the queue of signed requests, which the SDK object's own take too.
    init(client: RestClient, name: String) {
        self.client = client
        concurrent = DispatchQueue(label: name + "_concurrent", attributes: .concurrent)
        serial = SerialOperationQueue(label: name + "_serial")
    }

    func add(_ operation: QueuedOperation, _ strategy: WPNRequestConcurencyStrategy) {
        switch (strategy, operation.isSigned) {
        case (.concurentAll, _), (.serialSigned, false): concurrent.async { operation.start() }
        case (.serialSigned, true): client.runSerially(Turn(operation) { $0.start() })
        case (.serialAll, false): serial.add(Turn(operation) { $0.start() })
        case (.serialAll, true):
            // Its turn among those of the service comes first. The other way round it would hold the SDK's queue while a
            // request before it waits for that queue to create a token (networking.md, section 17, item 6).
            serial.add(Turn(operation) { [client] in client.runSerially(Turn($0) { $0.start() }) })
        }
    }
}

class QueuedOperation: WPNAsyncOperation, @unchecked Sendable {
    // Safe: the only property is a constant.

    /// Whether it takes its turn with the signed ones.
    let isSigned: Bool

    init(isSigned: Bool) {
        self.isSigned = isSigned
        super.init()
    }

    /// Ends the request before its turn, because it cannot have one or cannot be signed.
    func refuse(_ error: any Error) { preconditionFailure("Every kind of request overrides this function.") }
}

/// The turn of a request in a queue: it lasts from its start to its end, however it ends.
private final class Turn: SerialOperation {
    private let operation: QueuedOperation
    private let start: @Sendable (QueuedOperation) -> Void

    init(_ operation: QueuedOperation, _ start: @escaping @Sendable (QueuedOperation) -> Void) {
        self.operation = operation
        self.start = start
    }

    var isCancelled: Bool { operation.isCancelled }

    func run(finished: @escaping @Sendable () -> Void) {
        start(operation)
        operation.whenEnded(finished)
    }

    func refuse(_ error: NSError) { operation.refuse(error) }
}
