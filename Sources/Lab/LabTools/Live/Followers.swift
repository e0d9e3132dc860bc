// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LabCore
import LabPoints
import LabSystem
import ScenarioEngine
import ScenarioLanguage
import Synchronization

/// Follows the histories of the steps that a running instance gets from its page and from each `lab shell`.
///
/// Thread rule: any thread may stop it; the callback runs on the follower's own thread.
final class HistoryFollower: Sendable {
    /// The folder of the page's own history, in the instance's record directory.
    static let ownFolder = "dashboard"
    /// The name prefix of the shells' folders.
    private static let shellPrefix = "shell-"

    private let stopping: EventDescriptor
    private let thread: ThreadHandle

    /// Starts following an existing record directory; `onEvent` gets each event once, in order for each history.
    init(in runDirectory: String, onEvent: @escaping @Sendable (HistoryEvent) -> Void) throws {
        let watch = try DirectoryWatch(runDirectory)
        let stopping = try EventDescriptor()
        self.stopping = stopping
        thread = runOnThread(name: "histories") {
            var histories: [String: FollowedHistory] = [:]
            var isStopping = false
            while !isStopping {
                Self.look(in: runDirectory, &histories, onEvent)
                let watches = [watch] + histories.values.map(\.watch)
                let ready = try? Polling.waitReadable([stopping.rawDescriptor] + watches.map(\.rawDescriptor))
                isStopping = ready?[0] ?? true
                _ = try? watch.changes()
            }
            // Events written before the stop are reported, too.
            Self.look(in: runDirectory, &histories, onEvent)
        }
    }

    /// Ends following, after everything written before this call has been reported. Must not be called from the callback.
    func stop() {
        stopping.signal()
        thread.join()
    }

    private static func look(
        in runDirectory: String, _ histories: inout [String: FollowedHistory], _ onEvent: (HistoryEvent) -> Void
    ) {
        for name in (try? Files.list(runDirectory)) ?? [] where name == ownFolder || name.hasPrefix(shellPrefix) {
            if histories[name] == nil { histories[name] = try? FollowedHistory(name, in: runDirectory) }
            histories[name]?.read(onEvent)
        }
    }
}

/// The position up to which a history has been read.
private struct FollowedHistory {
    let watch: DirectoryWatch
    private let name: String
    private let path: String
    private var offset = 0
    private var lines = LineSplitter()

    /// - Parameter name: the folder of the history.
    init(_ name: String, in runDirectory: String) throws {
        let directory = "\(runDirectory)/\(name)"
        watch = try DirectoryWatch(directory)
        self.name = name
        path = "\(directory)/\(History.fileName)"
    }

    mutating func read(_ onEvent: (HistoryEvent) -> Void) {
        _ = try? watch.changes()
        guard let file = try? FileDescriptor.open(path) else { return }
        while let piece = try? file.read(count: 65_536, at: offset), !piece.isEmpty {
            offset += piece.count
            for line in lines.add(piece) {
                guard var event = HistoryEvent(line: line) else { continue }
                event.source = name
                onEvent(event)
            }
        }
    }
}

/// Fetches the requests of apps from a running instance's server, whenever it has answered some.
///
/// Thread rule: any thread; the callback runs on a thread of its own.
final class RequestFollower: Sendable {
    /// Time during which answers are collected before one query to the server.
    private static let pause = DispatchTimeInterval.milliseconds(50)

    private struct State {
        /// Number of the last request that was fetched.
        var last: Int64 = 0
        var isWaiting = false
        var isOver = false
    }

    private let instance: InstanceConnection
    private let redactor: Redactor
    private let onRequests: @Sendable ([JSONValue]) -> Void
    /// Queries of the page must not wait for those of a step.
    private let clients: ControlClients
    private let queue = DispatchQueue(label: "requests")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - redactor: masks the secrets that were typed on the page.
    ///   - onRequests: gets each request once, oldest first.
    init(of instance: InstanceConnection, redactor: Redactor, onRequests: @escaping @Sendable ([JSONValue]) -> Void) {
        self.instance = instance
        self.redactor = redactor
        self.onRequests = onRequests
        clients = ControlClients(instance.layout)
    }

    /// Handles an event of the instance; an event of the server may mean that there are new requests.
    func note(_ event: TraceEvent) {
        switch event.name {
        // A restarted server counts from the beginning.
        case .processStarted where event.process == "server": state.withLock { $0.last = 0 }
        case .serverResponse, .serverFaulted: ask()
        default: break
        }
    }

    /// Stops asking. A pending query still ends by itself.
    func stop() { state.withLock { $0.isOver = true } }

    private func ask() {
        let isFirst = state.withLock { state in
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.fetch() } }
    }

    private func fetch() {
        let last: Int64? = state.withLock { state in
            state.isWaiting = false
            return state.isOver ? nil : state.last
        }
        guard let last else { return }
        let new = ScenarioTraffic(instance: instance, redactor: redactor).requests(after: last, over: clients)
        guard !new.isEmpty else { return }
        state.withLock { $0.last = new.compactMap { $0["number"]?.integerValue }.max() ?? $0.last }
        onRequests(new)
    }
}
