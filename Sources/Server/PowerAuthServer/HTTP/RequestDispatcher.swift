// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Runs one request: on the event loop if the answer does not block, otherwise on the workers.
struct RequestDispatcher: Sendable {
    let endpoint: Endpoint
    let request: ServerRequest
    /// As the client sent it, with its mount point.
    let path: String
    let started: ContinuousClock.Instant
    let scope: RequestScope
    let workers: WorkerThreads
    let waitingRoom: RequestAdmission
    let journal: (any ServerJournal)?
    let faults: ServerFaults

    /// The answer; every error has become one.
    func answer() async -> ServerResponse {
        guard waitingRoom.enter() else { return noPlace() }
        defer { waitingRoom.leave() }
        journal?.record(.requestReceived(method: request.method, path: path), operation: scope.operation)
        return await scope.run {
            // Faults act at the beginning and the end of a worker's job.
            if endpoint.quickAnswer != nil, !faults.areArmed(),
                let answer = await endpoint.respondQuickly(to: request, journal: journal)
            {
                return noted(answer)
            }
            // A request that a lab may hold for as long as it likes must keep no worker from the others.
            let executor: any TaskExecutor = scope.app == nil ? workers.executor : ThreadPerJob.shared
            return await withTaskExecutorPreference(executor) { await work() }
        }
    }

    private func work() async -> ServerResponse {
        do {
            try faults.requestReceived(path)
            let answer = await endpoint.respond(to: request, journal: journal)
            try faults.responseSent(path)
            return noted(answer)
        } catch {
            return noted(ErrorResponse.unexpected.response(on: endpoint.face))
        }
    }

    private func noted(_ answer: ServerResponse) -> ServerResponse {
        let elapsed = (ContinuousClock.now - started) / .milliseconds(1)
        journal?.record(
            .requestAnswered(method: request.method, path: path, status: answer.status, milliseconds: elapsed),
            operation: scope.operation)
        return answer
    }

    private func noPlace() -> ServerResponse {
        let failure = ErrorResponse.overloaded
        journal?.record(
            .requestRefused(
                path: endpoint.path, code: failure.code(on: endpoint.face),
                cause: "\(waitingRoom.places) requests wait already"), operation: scope.operation)
        return failure.response(on: endpoint.face)
    }
}

/// Limits the requests that wait for work done for few at a time: a bounded queue.
///
/// Thread rule: any thread.
final class RequestAdmission: Sendable {
    /// How many may wait, those included whose turn it is.
    let places: Int
    private let taken = Atomic(0)

    init(places: Int) { self.places = places }

    /// - Returns: false if all are taken.
    func enter() -> Bool {
        guard taken.add(1, ordering: .relaxed).newValue > places else { return true }
        leave()
        return false
    }

    func leave() { taken.subtract(1, ordering: .relaxed) }

    /// Releases the place during work that needs none, such as an external call. Takes one afterwards even if all are
    /// taken: an external call can often be made only once.
    func vacating<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        leave()
        defer { taken.add(1, ordering: .relaxed) }
        return try await body()
    }
}
