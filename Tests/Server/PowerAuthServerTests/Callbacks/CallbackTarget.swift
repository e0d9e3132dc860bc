import Foundation
import LabKit
import Synchronization

@testable import PowerAuthServer

/// The target of callbacks: answers with the given statuses in turn, then not at all, and records the calls.
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
            guard let status = statuses.first else { throw OutgoingRequest.Failure(description: "unreachable") }
            statuses.removeFirst()
            return status
        }
    }

    /// Does what is due. - Returns: when the next thing is due.
    func runJobs(_ fixture: ServerFixture) async throws -> ServerTime? {
        let context = fixture.server.services.context
        let delivery = CallbackDelivery(context: context, call: answer)
        let jobs = ScheduledJobs(context: context, delivery: delivery)
        var isDelivering = false
        let next = try jobs.runDue { isDelivering = true }
        guard isDelivering else { return next }
        while (try? await delivery.deliverNext()) == true {}
        return try jobs.runDue {}
    }
}

extension OutgoingRequest {
    /// The value of a header that the request carries.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
