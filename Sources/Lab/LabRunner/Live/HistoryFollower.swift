import Foundation
import LabKit
import LabSystem

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

    /// Starts following.
    ///
    /// - Parameters:
    ///   - runDirectory: the instance's record directory; it exists.
    ///   - onEvent: gets each event once, in order for each history.
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
