internal import Foundation
internal import LabKit
internal import LabSystem

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
    ///   - onLine: gets each line once, in order for each history.
    init(in runDirectory: String, onLine: @escaping @Sendable (LiveRecord.HistoryLine) -> Void) throws {
        let watch = try DirectoryWatch(runDirectory)
        let stopping = try EventDescriptor()
        self.stopping = stopping
        thread = runOnThread(name: "histories") {
            var histories: [String: FollowedHistory] = [:]
            var isStopping = false
            while !isStopping {
                Self.look(in: runDirectory, &histories, onLine)
                let watches = [watch] + histories.values.map(\.watch)
                let ready = try? Polling.waitReadable([stopping.rawDescriptor] + watches.map(\.rawDescriptor))
                isStopping = ready?[0] ?? true
                _ = try? watch.changes()
            }
            // Lines written before the stop are reported, too.
            Self.look(in: runDirectory, &histories, onLine)
        }
    }

    /// Ends following, after everything written before this call has been reported. Must not be called from the callback.
    func stop() {
        stopping.signal()
        thread.join()
    }

    private static func look(
        in runDirectory: String, _ histories: inout [String: FollowedHistory],
        _ onLine: (LiveRecord.HistoryLine) -> Void
    ) {
        for name in (try? Files.list(runDirectory)) ?? [] where name == ownFolder || name.hasPrefix(shellPrefix) {
            if histories[name] == nil { histories[name] = try? FollowedHistory("\(runDirectory)/\(name)") }
            histories[name]?.read { onLine(LiveRecord.HistoryLine(source: name, fields: $0)) }
        }
    }
}

/// The position up to which a history has been read.
private struct FollowedHistory {
    let watch: DirectoryWatch
    private let path: String
    private var offset = 0
    /// The beginning of a line that is still incomplete.
    private var rest = Data()

    init(_ directory: String) throws {
        watch = try DirectoryWatch(directory)
        path = "\(directory)/history.jsonl"
    }

    mutating func read(_ onLine: ([String: JSONValue]) -> Void) {
        _ = try? watch.changes()
        guard let file = try? FileDescriptor.open(path) else { return }
        while let piece = try? file.read(count: 65_536, at: offset), !piece.isEmpty {
            offset += piece.count
            rest.append(piece)
        }
        while let end = rest.firstIndex(of: 0x0A) {
            if let fields = try? JSONValue.parse(Data(rest[..<end])).objectValue { onLine(fields) }
            rest = Data(rest[rest.index(after: end)...])
        }
    }
}
