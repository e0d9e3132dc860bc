import Foundation

/// Calls the targets of callbacks and writes the delivery log (server.md, section 16.4).
///
/// A message waits in the database until its call begins: no queue can grow, and no lease runs while it waits.
///
/// Thread rule: threads that may wait for strangers only; ``deliverNext()`` blocks until a target has answered.
struct CallbackDelivery: Sendable {
    let context: ServiceContext
    /// What targets with OAuth 2.0 are called with.
    var accessTokens = AccessTokens()
    /// Makes one call. - Returns: the HTTP status.
    var call: @Sendable (OutgoingRequest) throws -> Int = { try $0.send().status }

    /// Shared by all threads that deliver.
    let underWay = CallsUnderWay()

    /// Whether a message waits for its call, or was lost with the process that called.
    func hasDue() throws -> Bool {
        try context.read { database in
            try CallbackStore.hasDue(database, at: context.clock.now(), underWay: underWay.all)
        }
    }

    /// Makes the call that has been due the longest. Several threads share the work.
    /// - Returns: false when none is due.
    func deliverNext() throws -> Bool {
        // Looking costs little; taking waits for the write lock.
        guard try hasDue(), let event = try take() else { return false }
        defer { underWay.end(event.row) }
        try deliver(event)
        return true
    }

    /// Takes the oldest message that is due for this thread.
    private func take() throws -> CallbackEvent? {
        try context.change { change in
            let event = try CallbackStore.takeDue(
                change.database, context.policy.callbacks, at: change.now, underWay: underWay.all)
            // Within the transaction: the next one to take a message knows of this one.
            if let event { underWay.begin(event.row) }
            return event
        }
    }

    /// Makes one attempt; any 2xx is a success, after anything else the message waits or fails.
    private func deliver(_ event: CallbackEvent) throws {
        var httpStatus: Int?
        var failure: String?
        do {
            httpStatus = try call(request(for: event))
            // A token that was withdrawn early must not be shown to the next attempt.
            if httpStatus == 401, let oauth2 = event.callback.authentication.oauth2 { accessTokens.forget(oauth2) }
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

    /// - Throws: ``OutgoingRequest/Failure`` for a host that may not be called, or credentials that are not to be had.
    private func request(for event: CallbackEvent) throws -> OutgoingRequest {
        let callback = event.callback
        guard context.policy.callbacks.allows(callback.url) else {
            throw OutgoingRequest.Failure(description: "\(callback.url) is on no host that callbacks may call")
        }
        var request = try request(to: callback.url, callback.authentication)
        request.method = "POST"
        request.body = Data(event.payload.utf8)
        request.headers = [("Content-Type", "application/json"), ("Idempotency-Key", event.idempotencyKey)]
        if let oauth2 = callback.authentication.oauth2, oauth2.enabled {
            let header = try accessTokens.header(for: oauth2) { try self.request(to: $0, callback.authentication) }
            request.headers.append(("Authorization", header))
        } else if let header = callback.authentication.basicHeader {
            request.headers.append(("Authorization", header))
        }
        return request
    }

    private func request(to url: String, _ authentication: CallbackAuthentication) throws -> OutgoingRequest {
        let policy = context.policy.callbacks
        var request = OutgoingRequest(url: url)
        request.connectTimeout = policy.connectTimeout
        request.responseTimeout = policy.responseTimeout
        if url.lowercased().hasPrefix("https:") { request.tls = try authentication.tlsConfiguration() }
        return request
    }
}
