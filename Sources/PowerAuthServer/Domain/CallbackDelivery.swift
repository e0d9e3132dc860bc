import Foundation
import FoundationNetworking

/// Calls the targets of callbacks and writes the delivery log (server.md, section 16.4).
///
/// ``deliver(_:)`` blocks until the target has answered; call it on threads that may wait for strangers.
struct CallbackDelivery: Sendable {
    let context: ServiceContext
    /// Makes one call. - Returns: the HTTP status.
    var call: @Sendable (URLRequest) throws -> Int = Self.call

    /// Takes the messages that are due. Each must be delivered.
    func claimDue() throws -> [CallbackEvent] {
        try context.change { change in
            try CallbackStore.deleteOld(change.database, at: change.now)
            return try CallbackStore.claimDue(change.database, context.policy.callbacks, at: change.now)
        }
    }

    /// Makes one attempt; any 2xx is a success, after anything else the message waits or fails.
    func deliver(_ event: CallbackEvent) throws {
        var httpStatus: Int?
        var failure: String?
        do {
            httpStatus = try call(request(for: event))
        } catch {
            failure = "\(error)"
        }
        let isDelivered = httpStatus.map { (200..<300).contains($0) } ?? false
        let policy = context.policy.callbacks
        try context.change { change in
            let isRepeated = !isDelivered && event.attempt < event.callback.maxAttempts ?? policy.maxAttempts
            try CallbackStore.finish(
                change.database, event, httpStatus: httpStatus, failure: failure, isDelivered: isDelivered,
                nextCall: isRepeated ? change.now.advanced(by: backoff(after: event)) : nil,
                deletion: change.now.advanced(by: event.callback.retention ?? policy.retention), at: change.now)
            change.wakesJobs = isRepeated
        }
    }

    private func backoff(after event: CallbackEvent) -> Int64 {
        let policy = context.policy.callbacks
        let initial = Double(event.callback.initialBackoff ?? policy.initialBackoff)
        let grown = initial * pow(policy.backoffMultiplier, Double(event.attempt - 1))
        return Int64(min(grown, Double(policy.maxBackoff)))
    }

    private func request(for event: CallbackEvent) throws -> URLRequest {
        guard let url = URL(string: event.callback.url) else { throw URLError(.badURL) }
        var request = URLRequest(url: url, timeoutInterval: Double(context.policy.callbacks.responseTimeout) / 1000)
        request.httpMethod = "POST"
        request.httpBody = Data(event.payload.utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(event.idempotencyKey, forHTTPHeaderField: "Idempotency-Key")
        if let header = event.callback.authentication.header {
            request.setValue(header, forHTTPHeaderField: "Authorization")
        }
        return request
    }

    /// Calls over the network and waits for the answer.
    private static func call(_ request: URLRequest) throws -> Int {
        let answer = Answer()
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: request) { _, response, error in
            answer.set(
                (response as? HTTPURLResponse).map { .success($0.statusCode) }
                    ?? .failure(error ?? URLError(.badServerResponse)))
        }.resume()
        return try answer.wait()
    }

    /// Thread rule: set once, waited for once, on any two threads.
    private final class Answer: @unchecked Sendable {
        private let isThere = DispatchSemaphore(value: 0)
        // Written before `isThere` is signalled and read after it was waited for.
        private var result: Result<Int, any Error> = .failure(URLError(.unknown))

        func set(_ result: Result<Int, any Error>) {
            self.result = result
            isThere.signal()
        }

        func wait() throws -> Int {
            isThere.wait()
            return try result.get()
        }
    }
}
