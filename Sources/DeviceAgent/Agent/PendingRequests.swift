import LabKit

/// The control requests that wait for something to happen to a process.
struct PendingRequests {
    private var next = 0
    private var waiting: [Int: ControlResponder] = [:]

    /// Keeps a request; gives the number under which it is answered.
    mutating func add(_ responder: ControlResponder) -> Int {
        next += 1
        waiting[next] = responder
        return next
    }

    /// Answers a request, once.
    mutating func answer(_ number: Int, _ answer: AppProcess.Answer) {
        guard let responder = waiting.removeValue(forKey: number) else { return }
        switch answer {
        case .launched(let pid, let incarnation, let time):
            responder.succeed(LaunchedProcess(pid: pid, incarnation: incarnation, launchedAt: time))
        case .done: responder.succeed(NoResult())
        case .refused(let name, let message): responder.fail(name, message)
        }
    }
}
