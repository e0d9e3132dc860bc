import Dispatch
import LabKit
import LabSystem
import Synchronization

/// Counts across threads.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .acquiring) }
    func increase() { count.add(1, ordering: .acquiringAndReleasing) }
}

/// Collects numbers across threads.
final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])
    var sorted: [Int] { numbers.withLock { $0 }.sorted() }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

/// Holds requests without answering them.
final class Responders: Sendable {
    private let kept = Mutex<[ControlResponder]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func add(_ responder: ControlResponder) {
        kept.withLock { $0.append(responder) }
        arrived.signal()
    }

    var isEmpty: Bool { kept.withLock { $0.isEmpty } }

    func waitForOne() { arrived.wait() }

    func answerAll() {
        for responder in kept.withLock({ $0 }) { responder.succeed() }
    }
}

/// A call of the command `hang` that has reached its server and gets no answer; the server answers all other commands.
struct HangingCall {
    let server: ControlServer
    let client: ControlClient
    /// Keeps the call.
    let kept: Responders
    private let interrupted = Flag()
    private let caller: ThreadHandle

    init(_ layout: InstanceLayout, timeout: LabDuration = ControlClient.patience) throws {
        let kept = Responders()
        server = try ControlServer(layout, .peer("main")) { request, responder in
            if request.command == "hang" { kept.add(responder) } else { responder.succeed() }
        }
        client = try ControlClient(layout, .peer("main"))
        caller = runOnThread(name: "caller") { [client, interrupted] in
            do {
                _ = try client.call(ControlRequest(command: "hang"), timeout: timeout)
            } catch {
                if (error as? ControlError)?.name == "interrupted" { interrupted.set() }
            }
        }
        self.kept = kept
        kept.waitForOne()
    }

    /// Waits for the end of the call.
    ///
    /// - Returns: Whether it ended as interrupted.
    func endsInterrupted() -> Bool {
        caller.join()
        return interrupted.isSet
    }
}
