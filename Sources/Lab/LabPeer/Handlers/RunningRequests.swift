public import LabKit
public import PowerAuthShared
import Synchronization

/// The requests of the SDK that commands of a peer wait for, so that `cancelRequest` can end one at any moment.
///
/// Thread rule: commands are registered and carried out on the main queue; an SDK may report on any thread.
public final class RunningRequests: Sendable {
    private struct Request {
        let number: Int
        let command: String
        let fail: @Sendable (ControlError) -> Void
        /// Nil until the SDK has given it.
        var task: Transferred<any PowerAuthOperationTask>?
    }

    private struct State {
        var count = 0
        var running: [Request] = []
    }

    private let peer: Peer
    private let state = Mutex(State())

    /// Registers `cancelRequest` with a peer.
    public init(peer: Peer) {
        self.peer = peer
        peer.handleSync(CancelRequest.self) { [self] in try cancel($0.command) }
    }

    /// Registers a command whose outcome comes from a request of the SDK.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - start: starts the request with the given reply and gives its task; nil when it has ended already.
    public func handle<C: Command>(
        _ command: C.Type,
        _ start:
            @escaping (C, @escaping CommandDispatcher<Void>.Reply<C.Result>) throws -> (any PowerAuthOperationTask)?
    ) {
        peer.handle(command) { [self] arguments, reply in
            let number = begin(C.name) { reply(.failure($0)) }
            do {
                let task = try start(arguments) { [self] outcome in
                    if end(number) { return reply(outcome) }
                    peer.emit(
                        .log,
                        [
                            "level": "error",
                            "message": .string(
                                "The SDK has called the completion of `\(C.name)`, which was cancelled or had its answer."
                            ),
                        ])
                }
                if let task { keep(task, of: number) }
            } catch {
                _ = end(number)
                throw error
            }
        }
    }

    private func begin(_ command: String, _ fail: @escaping @Sendable (ControlError) -> Void) -> Int {
        state.withLock { state in
            state.count += 1
            state.running.append(Request(number: state.count, command: command, fail: fail))
            return state.count
        }
    }

    private func keep(_ task: any PowerAuthOperationTask, of number: Int) {
        let task = Transferred(task)
        state.withLock { state in
            guard let index = state.running.firstIndex(where: { $0.number == number }) else { return }
            state.running[index].task = task
        }
    }

    /// True if the request had not ended before.
    private func end(_ number: Int) -> Bool {
        state.withLock { state in
            guard let index = state.running.firstIndex(where: { $0.number == number }) else { return false }
            state.running.remove(at: index)
            return true
        }
    }

    private func cancel(_ command: String?) throws {
        let request = state.withLock { state in
            state.running.last { $0.task != nil && (command == nil || $0.command == command) }
        }
        guard let request, let task = request.task?.value else {
            throw ControlError.device(
                .wrongState, "no request of \(command.map { "`\($0)`" } ?? "any command") is under way")
        }
        task.cancel()
        // A task that has reported already is no longer cancelled, and its command gets what was reported.
        guard task.isCancelled, end(request.number) else { return }
        request.fail(
            ControlError(
                .cancelled, message: "`cancelRequest` has cancelled the request of `\(request.command)`"))
    }
}
