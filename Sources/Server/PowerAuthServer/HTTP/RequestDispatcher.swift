/// Runs one request: on the event loop if the answer does not block, otherwise on the workers; twice, if its resource
/// calls an external service in between.
struct RequestDispatcher: Sendable {
    let endpoint: Endpoint
    let request: ServerRequest
    /// As the client sent it, with its mount point.
    let path: String
    let started: ContinuousClock.Instant
    /// The scope of the request. Task locals of the caller do not reach a worker; they are bound there.
    let scope: RequestScope
    let workers: WorkerThreads
    let waitingRoom: RequestAdmission
    let journal: (any ServerJournal)?
    let faults: ServerFaults

    /// The answer; every error has become one.
    func answer() async -> ServerResponse {
        guard waitingRoom.enter() else { return noPlace() }
        let reply = await reply()
        waitingRoom.leave()
        switch reply {
        case .answer(let answer): return answer
        case .afterwards(let ask):
            // The place is released during the external call.
            let conclusion: Result<Reply.Conclusion, any Error>
            do {
                conclusion = .success(try await scope.run { try await ask() })
            } catch {
                conclusion = .failure(error)
            }
            // Not refused at this point: an external call can often be made only once.
            return await onWorker { end(endpoint.conclude(conclusion, journal: journal)) }
        }
    }

    private func reply() async -> Reply {
        journal?.record(.requestReceived(method: request.method, path: path), operation: scope.operation)
        // Faults act at the beginning and the end of a worker's job.
        if endpoint.quickAnswer != nil, !faults.areArmed(),
            let answer = await scope.run({ await endpoint.respondQuickly(to: request, journal: journal) })
        {
            return .answer(noted(answer))
        }
        return await onWorker { begin() }
    }

    private func begin() -> Reply {
        do {
            try faults.requestReceived(path)
        } catch {
            return .answer(noted(failure))
        }
        switch endpoint.respond(to: request, journal: journal) {
        case .answer(let answer): return .answer(end(answer))
        case .afterwards(let ask): return .afterwards(ask)
        }
    }

    private func end(_ answer: ServerResponse) -> ServerResponse {
        do {
            try faults.responseSent(path)
            return noted(answer)
        } catch {
            return noted(failure)
        }
    }

    private func noted(_ answer: ServerResponse) -> ServerResponse {
        let elapsed = (ContinuousClock.now - started) / .milliseconds(1)
        journal?.record(
            .requestAnswered(method: request.method, path: path, status: answer.status, milliseconds: elapsed),
            operation: scope.operation)
        return answer
    }

    private var failure: ServerResponse { ErrorResponse.unexpected.response(on: endpoint.face) }

    private func noPlace() -> ServerResponse {
        let failure = ErrorResponse.overloaded
        journal?.record(
            .requestRefused(
                path: endpoint.path, code: failure.code(on: endpoint.face),
                cause: "\(waitingRoom.places) requests wait already"), operation: scope.operation)
        return failure.response(on: endpoint.face)
    }

    /// Runs a part of the work.
    private func onWorker<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await workers.run { scope.run(body) }
    }
}
