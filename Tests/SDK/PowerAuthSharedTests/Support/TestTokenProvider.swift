// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import Synchronization
import TestSupport

/// A server that makes tokens when the test says so.
final class TestTokenProvider: RemoteTokenProvider {
    /// One request that waits for its answer.
    struct Pending: Sendable {
        let request: RemoteTokenRequest
        let task: Task
        let completion: @Sendable (TaskResult<TokenRecord>) -> Void

        /// Answers with a new token.
        func succeed(factors: Int? = nil) {
            let secret = Data((0..<16).map { UInt8($0) })
            // Sixteen bytes make a record.
            let record = TokenRecord(
                name: request.name, identifier: UUID().uuidString.lowercased(), secret: secret,
                activationId: request.activationId,
                factors: factors ?? request.authentication?.tokenFactorMask ?? 0)!
            completion(.success(record))
        }
    }

    final class Task: PowerAuthOperationTask, Sendable {
        private let cancelled = Mutex(false)
        var isCancelled: Bool { cancelled.withLock { $0 } }
        func cancel() { cancelled.withLock { $0 = true } }
    }

    private let state = Mutex<(pending: [Pending], removed: [String], refusal: NSError?)>(([], [], nil))

    /// The requests that wait, oldest first.
    var pending: [Pending] { state.withLock { $0.pending } }
    /// Names of the tokens that were removed.
    var removed: [String] { state.withLock { $0.removed } }
    /// Makes removals fail.
    func refuseRemovals(_ error: NSError) { state.withLock { $0.refusal = error } }

    func requestToken(
        _ request: RemoteTokenRequest, completion: @escaping @Sendable (TaskResult<TokenRecord>) -> Void
    ) -> any PowerAuthOperationTask {
        let task = Task()
        state.withLock { $0.pending.append(Pending(request: request, task: task, completion: completion)) }
        return task
    }

    func removeToken(
        _ record: TokenRecord, completion: @escaping @Sendable (TaskResult<Void>) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let refusal = state.withLock { state in
            if state.refusal == nil { state.removed.append(record.name) }
            return state.refusal
        }
        completion(refusal.map { .failure($0) } ?? .success(()))
        return Task()
    }
}
