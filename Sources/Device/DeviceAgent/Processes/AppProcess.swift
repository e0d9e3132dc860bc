// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabControl
import LabPoints

/// The life cycle of one app's process as its device sees it: starting, running, suspended, ended (sharing.md, section
/// 21.7).
///
/// A value that decides and does nothing else: it takes what happened and gives what to do. Requests are numbers that
/// the caller chose; each one is answered exactly once.
struct AppProcess: Equatable, Sendable {
    /// Where the process is.
    enum Phase: Equatable, Sendable {
        case notRunning
        /// It was spawned and has not reported yet.
        case launching(pid: Int32)
        case running(pid: Int32)
        /// It is being stopped; `request` waits for the result.
        case suspending(pid: Int32, request: Int)
        case suspended(pid: Int32)
    }

    /// What happened, or is asked for.
    enum Input: Equatable, Sendable {
        /// Start the app; a background launch has no request.
        case launch(request: Int?)
        /// End the process and restart the app.
        case relaunch(request: Int)
        /// The process exists.
        case spawned(pid: Int32, incarnation: Int, at: UInt64)
        /// The process could not be created.
        case spawnFailed(String)
        /// A process attaches as this app.
        case attached(pid: Int32, incarnation: Int)
        /// The app has finished launching.
        case ready
        /// The process has ended.
        case ended(String, standardError: String)
        /// End the process, with a signal.
        case end(signal: Int32, request: Int)
        /// The system ends the process; `request` waits for its end.
        case terminate(TerminationCause, request: Int?)
        /// Stop the process.
        case suspend(request: Int)
        /// The process is stopped and holds these locks.
        case stopped(holding: HeldLocks)
        /// Continue the process in the foreground.
        case resume(request: Int)
        /// Continue the process in the background.
        case wake
    }

    /// What is to be done.
    enum Effect: Equatable, Sendable {
        case spawn
        case signal(pid: Int32, Int32)
        /// Look, as soon as the process is stopped, which locks it holds.
        case inspect(pid: Int32)
        /// Let the process run for a moment, then stop it again and look.
        case stopAgainSoon(pid: Int32)
        /// Answer a request.
        case answer(request: Int, Answer)
        /// The presence changed.
        case changed
        /// The process has ended.
        case gone(Int32, reason: String, isRestarting: Bool)
        /// No process could be created, or a background launch has failed: what waits for the process is lost.
        case launchFailed
        /// Tell the app that it comes to the foreground.
        case enterForeground
        /// Tell the app that it goes to the background.
        case enterBackground
        /// The system ends the process, for this reason.
        case terminating(pid: Int32, TerminationCause)
    }

    /// How a request ends.
    enum Answer: Equatable, Sendable {
        case launched(pid: Int32, incarnation: Int, at: UInt64)
        case done
        case refused(name: LabErrorName, message: String)
    }

    /// Actor name of the app.
    let name: String
    /// What happens to a process that falls asleep with a lock in a group container.
    let isLenient: Bool
    private(set) var phase = Phase.notRunning
    /// Number of the last process.
    private(set) var incarnation = 0
    /// Whether the app is in the foreground.
    private(set) var isForeground = false
    /// Whether the last process has finished launching.
    private(set) var isReady = false

    private var launchedAt: UInt64 = 0
    /// Whether a process that is starting will be in the foreground.
    private(set) var isLaunchingInForeground = false
    private var launchRequests: [Int] = []
    private var endRequests: [Int] = []
    private var startsAgain = false
    /// Whether something arrived for the process while it was being stopped.
    private var wakesAgain = false

    init(name: String, isLenient: Bool) {
        self.name = name
        self.isLenient = isLenient
    }

    /// Process identifier while there is a process.
    var pid: Int32? {
        switch phase {
        case .notRunning: nil
        case .launching(let pid), .running(let pid), .suspended(let pid), .suspending(let pid, _): pid
        }
    }

    /// Whether the process is stopped, or about to be.
    var isSuspended: Bool {
        switch phase {
        case .suspended, .suspending: true
        default: false
        }
    }

    /// Takes what happened; gives what to do.
    mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .launch(let request): return launch(request)
        case .relaunch(let request): return relaunch(request)
        case .spawned(let pid, let incarnation, let time):
            phase = .launching(pid: pid)
            self.incarnation = incarnation
            launchedAt = time
            return []
        case .spawnFailed(let message):
            phase = .notRunning
            return [.launchFailed] + refuseLaunches(message)
        case .attached(let pid, let incarnation): return attached(pid, incarnation)
        case .ready: return ready()
        case .ended(let how, let standardError): return ended(how, standardError)
        case .end(let signal, let request): return end(signal, request)
        case .terminate(let cause, let request): return terminate(cause, request)
        case .suspend(let request): return suspend(request)
        case .stopped(let locks): return stopped(holding: locks)
        case .resume(let request): return resume(request)
        case .wake: return wake()
        }
    }

    // MARK: Starting

    private mutating func launch(_ request: Int?) -> [Effect] {
        switch phase {
        case .notRunning:
            isLaunchingInForeground = request != nil
            isReady = false
            if let request { launchRequests.append(request) }
            return [.spawn]
        case .launching:
            guard let request else { return [] }
            guard !isLaunchingInForeground else { return [refusal(request, "\(name) is being launched already.")] }
            // A background launch is under way: this one makes it a launch by the user.
            isLaunchingInForeground = true
            launchRequests.append(request)
            return []
        case .running(let pid):
            guard let request else { return [] }
            guard !isForeground else {
                return [refusal(request, "\(name) is running already, as process \(pid); `relaunch` restarts it.")]
            }
            isForeground = true
            return [.enterForeground, .changed, .answer(request: request, launched(pid))]
        case .suspending(let pid, _), .suspended(let pid):
            guard let request else { return [] }
            return [refusal(request, "\(name) is suspended, as process \(pid); `resume` continues it.")]
        }
    }

    private mutating func relaunch(_ request: Int) -> [Effect] {
        guard let pid else { return launch(request) }
        startsAgain = true
        launchRequests.append(request)
        return [.signal(pid: pid, SIGKILL)]
    }

    /// The process is about to end with the device or the installation: nothing starts it again.
    mutating func forgetRestart() { startsAgain = false }

    private mutating func attached(_ pid: Int32, _ incarnation: Int) -> [Effect] {
        // The system has started it, or it attaches again; a frame from before its suspension may be late.
        guard pid != self.pid else { return [] }
        // Started by hand.
        phase = .running(pid: pid)
        self.incarnation = incarnation
        isForeground = true
        isReady = false
        return [.changed]
    }

    private mutating func ready() -> [Effect] {
        isReady = true
        guard let pid else { return [.changed] }
        if case .launching = phase {
            phase = .running(pid: pid)
            isForeground = isLaunchingInForeground
        }
        // A process that was started by hand also answers waiting launch requests.
        let answer = launched(pid)
        defer { launchRequests = [] }
        return [.changed] + launchRequests.map { .answer(request: $0, answer) }
    }

    private func launched(_ pid: Int32) -> Answer {
        .launched(pid: pid, incarnation: incarnation, at: launchedAt)
    }

    // MARK: Ending

    private mutating func end(_ signal: Int32, _ request: Int) -> [Effect] {
        guard let pid else { return [refusal(request, "\(name) is not running.")] }
        endRequests.append(request)
        // A stopped process takes no signal but SIGKILL before it continues.
        return [.signal(pid: pid, signal)] + (isSuspended && signal != SIGKILL ? [.signal(pid: pid, SIGCONT)] : [])
    }

    private mutating func terminate(_ cause: TerminationCause, _ request: Int?) -> [Effect] {
        guard let pid else { return request.map { [refusal($0, "\(name) is not running.")] } ?? [] }
        if let request { endRequests.append(request) }
        return [.terminating(pid: pid, cause), .signal(pid: pid, SIGKILL)]
    }

    private mutating func ended(_ how: String, _ standardError: String) -> [Effect] {
        guard let pid else { return [] }
        let wasLaunching = if case .launching = phase { true } else { false }
        var answers: [Effect] = endRequests.map { .answer(request: $0, .done) }
        endRequests = []
        if case .suspending(_, let request) = phase { answers.append(.answer(request: request, .done)) }
        phase = .notRunning
        isForeground = false
        isReady = false
        let restarts = startsAgain
        startsAgain = false
        if !restarts {
            let told =
                standardError.isEmpty ? "It wrote nothing to standard error." : "Its last output: \(standardError)"
            // Also pending restarts, if its device or its installation has ended before.
            let refusals = refuseLaunches("\(name) ended before it was ready (\(how)). \(told)")
            answers += refusals.isEmpty && wasLaunching ? [.launchFailed] : refusals
        }
        let gone = Effect.gone(pid, reason: how, isRestarting: restarts)
        guard restarts else { return [gone, .changed] + answers }
        isLaunchingInForeground = true
        // Waiters for the app are notified of the change, and would launch it again if it were not starting already.
        return [gone] + answers + [.spawn, .changed]
    }

    private mutating func refuseLaunches(_ message: String) -> [Effect] {
        defer { launchRequests = [] }
        return launchRequests.map {
            .answer(request: $0, .refused(name: .launchFailed, message: message))
        }
    }

    // MARK: Sleeping

    private mutating func suspend(_ request: Int) -> [Effect] {
        switch phase {
        case .notRunning, .launching: return [refusal(request, "\(name) is not running.")]
        case .suspended, .suspending: return [refusal(request, "\(name) is suspended already.")]
        case .running(let pid):
            phase = .suspending(pid: pid, request: request)
            wakesAgain = false
            let told: [Effect] = isForeground ? [.enterBackground] : []
            isForeground = false
            // News that the process does not read before it stops are read first when it continues.
            return told + [.signal(pid: pid, SIGSTOP), .inspect(pid: pid), .changed]
        }
    }

    private mutating func stopped(holding locks: HeldLocks) -> [Effect] {
        guard case .suspending(let pid, let request) = phase else { return [] }
        switch locks {
        case .system:
            // The keychain would be locked for the whole device: the process must finish its transaction first.
            return [.signal(pid: pid, SIGCONT), .stopAgainSoon(pid: pid)]
        case .groupContainer where !isLenient:
            return [.terminating(pid: pid, .lockInGroupContainer), .signal(pid: pid, SIGKILL)]
        case .none, .groupContainer:
            phase = .suspended(pid: pid)
            let asleep: [Effect] = [.changed, .answer(request: request, .done)]
            return wakesAgain ? asleep + wake() : asleep
        }
    }

    /// A wake-up during the suspension of a process is neither early nor lost: the process wakes as soon as it is
    /// suspended.
    private mutating func wake() -> [Effect] {
        switch phase {
        case .notRunning, .launching, .running: return []
        case .suspending:
            wakesAgain = true
            return []
        case .suspended(let pid):
            phase = .running(pid: pid)
            return [.signal(pid: pid, SIGCONT), .changed]
        }
    }

    private mutating func resume(_ request: Int) -> [Effect] {
        switch phase {
        case .notRunning: return [refusal(request, "\(name) is not running.")]
        case .suspended(let pid): return [.signal(pid: pid, SIGCONT)] + enterForeground(pid, request)
        case .suspending(let pid, let suspension):
            // It was about to fall asleep.
            return [.signal(pid: pid, SIGCONT)] + enterForeground(pid, request)
                + [.answer(request: suspension, .done)]
        case .running(let pid) where !isForeground: return enterForeground(pid, request)
        case .launching, .running: return [refusal(request, "\(name) is not suspended.")]
        }
    }

    private mutating func enterForeground(_ pid: Int32, _ request: Int) -> [Effect] {
        phase = .running(pid: pid)
        isForeground = true
        return [.enterForeground, .changed, .answer(request: request, .done)]
    }

    private func refusal(_ request: Int, _ message: String) -> Effect {
        .answer(request: request, .refused(name: .wrongState, message: message))
    }
}
