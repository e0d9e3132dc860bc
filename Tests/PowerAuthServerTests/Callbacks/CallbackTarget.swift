import Foundation
import LabKit
import Synchronization

@testable import PowerAuthServer

/// Whom callbacks call: answers with the given statuses in turn, then not at all, and remembers what came.
final class CallbackTarget: Sendable {
    private let statuses: Mutex<[Int]>
    private let received = Mutex<[OutgoingRequest]>([])

    init(_ statuses: [Int]) { self.statuses = Mutex(statuses) }

    var requests: [OutgoingRequest] { received.withLock { $0 } }

    var bodies: [JSONValue] {
        get throws { try requests.map { try JSONValue.parse($0.body) } }
    }

    private func answer(_ request: OutgoingRequest) throws -> Int {
        received.withLock { $0.append(request) }
        return try statuses.withLock { statuses in
            guard let status = statuses.first else { throw OutgoingRequest.Failure(description: "nobody is there") }
            statuses.removeFirst()
            return status
        }
    }

    /// Does what is due, on this thread. - Returns: when the next thing is due.
    func runJobs(_ fixture: ServerFixture) throws -> ServerTime? {
        let context = fixture.server.services.context
        let delivery = CallbackDelivery(context: context, call: answer)
        return try ScheduledJobs(context: context, delivery: delivery).runDue {
            while (try? delivery.deliverNext()) == true {}
        }
    }
}

extension OutgoingRequest {
    /// The value of a header that the request carries.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
