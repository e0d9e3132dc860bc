/// The control requests that wait for something to happen to a process.
struct PendingRequests {
    private var next = 0
    private var waiting: [Int: @Sendable (AppProcess.Answer) -> Void] = [:]

    /// Keeps a request; gives the number under which it is answered.
    mutating func add(_ answer: @escaping @Sendable (AppProcess.Answer) -> Void) -> Int {
        next += 1
        waiting[next] = answer
        return next
    }

    /// Answers a request, once.
    mutating func answer(_ number: Int, _ answer: AppProcess.Answer) {
        waiting.removeValue(forKey: number)?(answer)
    }
}
