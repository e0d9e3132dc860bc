// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP

/// Calls the targets of callbacks and writes the delivery log (server.md, section 16.4).
///
/// A message waits in the database until its call begins: no queue can grow, and no lease runs while it waits.
///
/// Thread rule: any task; no thread waits for a target, and the database is accessed on ``workers``.
struct CallbackDelivery: Sendable {
    let context: ServiceContext
    /// What targets with OAuth 2.0 are called with.
    var accessTokens = AccessTokens()
    /// Makes one call. - Returns: the HTTP status.
    var call: @Sendable (OutgoingRequest) async throws -> Int = { try await $0.send().status }
    /// Do what blocks. Not those of requests, which the callbacks of a busy bank would keep from their work.
    var workers = WorkerThreads(count: 1)

    /// Shared by all delivery tasks.
    let underWay = CallsUnderWay()

    /// Whether a message waits for its call, or was lost with the process that called. Blocks.
    func hasDue() throws -> Bool {
        try context.read { database in
            try CallbackStore.hasDue(database, at: context.clock.now(), underWay: underWay.all)
        }
    }

    /// Makes the call that has been due the longest. Several tasks share the work.
    /// - Parameter onTaking: called once a message is taken, before its target is called.
    /// - Returns: false if none is due.
    func deliverNext(onTaking: () -> Void = {}) async throws -> Bool {
        // Looking costs little; taking waits for the write lock.
        guard let event = try await workers.run({ try hasDue() ? take() : nil }) else { return false }
        defer { underWay.end(event.row) }
        onTaking()
        let outcome = await outcome(of: event)
        try await workers.run { try finish(event, outcome) }
        return true
    }

    private func take() throws -> CallbackEvent? {
        try context.change { change in
            let event = try CallbackStore.takeDue(
                change.database, context.policy.callbacks, at: change.now, underWay: underWay.all)
            // Within the transaction: the next task to take a message sees this one.
            if let event { underWay.begin(event.row) }
            return event
        }
    }

    private struct Outcome: Sendable {
        var httpStatus: Int?
        var failure: String?
    }

    private func outcome(of event: CallbackEvent) async -> Outcome {
        do {
            let status = try await call(request(for: event))
            // A token that was withdrawn early must not be shown to the next attempt.
            if status == 401, let oauth2 = event.callback.authentication.oauth2 { accessTokens.forget(oauth2) }
            return Outcome(httpStatus: status)
        } catch {
            return Outcome(failure: "\(error)")
        }
    }

    /// Writes the log; any 2xx is a success, after anything else the message waits or fails.
    private func finish(_ event: CallbackEvent, _ outcome: Outcome) throws {
        let isDelivered = outcome.httpStatus.map { (200..<300).contains($0) } ?? false
        let policy = context.policy.callbacks
        try context.change { change in
            // A callback that was removed during the call is not found.
            let isRepeated =
                try !isDelivered && event.attempt < event.callback.maxAttempts ?? policy.maxAttempts
                && CallbackStore.find(change.database, id: event.callback.id) != nil
            try CallbackStore.finish(
                change.database, event, httpStatus: outcome.httpStatus, failure: outcome.failure,
                isDelivered: isDelivered, nextCall: isRepeated ? change.now.advanced(by: backoff(after: event)) : nil,
                deletion: change.now.advanced(by: event.callback.retention ?? policy.retention), at: change.now)
            change.wakesJobs = isRepeated
        }
    }

    private func backoff(after event: CallbackEvent) -> Int64 {
        let policy = context.policy.callbacks
        let initial = event.callback.initialBackoff ?? policy.initialBackoff
        // The factor is infinite after enough attempts, and no number times zero.
        guard initial > 0 else { return 0 }
        let grown = Double(initial) * pow(policy.backoffMultiplier, Double(event.attempt - 1))
        return Int64(min(grown, Double(policy.maxBackoff)))
    }

    /// - Throws: ``OutgoingRequest/Failure`` for a host that may not be called, or credentials that are not to be had.
    private func request(for event: CallbackEvent) async throws -> OutgoingRequest {
        let callback = event.callback
        var request = try await request(to: callback.url, callback.authentication)
        request.method = "POST"
        request.body = Data(event.payload.utf8)
        request.headers = [("Content-Type", "application/json"), ("Idempotency-Key", event.idempotencyKey)]
        if let oauth2 = callback.authentication.oauth2, oauth2.enabled {
            let header = try await accessTokens.header(for: oauth2) {
                try await self.request(to: $0, callback.authentication)
            }
            request.headers.append(("Authorization", header))
        } else if let header = callback.authentication.basicHeader {
            request.headers.append(("Authorization", header))
        }
        return request
    }

    private func request(to url: String, _ authentication: CallbackAuthentication) async throws -> OutgoingRequest {
        let policy = context.policy.callbacks
        guard policy.allows(url) else {
            throw OutgoingRequest.Failure(description: "\(url) is on no host that callbacks may call")
        }
        var request = OutgoingRequest(url: url)
        request.connectTimeout = policy.connectTimeout
        request.responseTimeout = policy.responseTimeout
        if url.lowercased().hasPrefix("https:") {
            request.trust = try await workers.run { try authentication.trust(stores: context.keyStores) }
        }
        return request
    }
}
