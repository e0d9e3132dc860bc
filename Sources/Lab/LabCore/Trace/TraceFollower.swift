// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem

/// Follows all trace files of a directory, also those that appear later, and reports each event as it is written.
///
/// What has been written when the following begins, and what several processes have written meanwhile, is reported in the
/// order of time.
///
/// Thread rule: any thread may stop it; the callback runs on the follower's own thread.
public final class TraceFollower: Sendable {
    private let stopping: EventDescriptor
    private let thread: ThreadHandle

    /// Starts following.
    ///
    /// - Parameters:
    ///   - directory: where the traces of a run lie; made if missing.
    ///   - onEvent: gets each event once, in order for each file.
    public init(directory: String, onEvent: @escaping @Sendable (TraceEvent) -> Void) throws {
        try Files.createDirectory(directory)
        // The watch begins before the first look at the files, so that nothing falls in between.
        let watch = try DirectoryWatch(directory)
        let stopping = try EventDescriptor()
        self.stopping = stopping
        thread = runOnThread(name: "traces") {
            var follower = ReadingProgress(directory: directory)
            follower.readAll(onEvent)
            while true {
                let ready = try? Polling.waitReadable([watch.rawDescriptor, stopping.rawDescriptor])
                let names = try? watch.changes()
                if let names, ready?[1] != true {
                    follower.read(names, onEvent)
                } else {
                    follower.readAll(onEvent)
                }
                if ready?[1] ?? true { return }
            }
        }
    }

    /// Ends following, after everything written before this call has been reported. Must not be called from the callback.
    public func stop() {
        stopping.signal()
        thread.join()
    }
}

/// How far each file of a directory has been read.
private struct ReadingProgress {
    private struct Progress {
        var offset = 0
        var lines = LineSplitter()
        /// Events that were read and not reported yet, the earliest last.
        var pending: [TraceEvent] = []
        let file: FileDescriptor

        /// Reads on until there is an event, or the end of the file.
        mutating func fill() {
            while pending.isEmpty, let piece = try? file.read(count: 65_536, at: offset), !piece.isEmpty {
                offset += piece.count
                pending = lines.add(piece).compactMap(TraceEvent.init(line:)).reversed()
            }
        }
    }

    private let directory: String
    private var progress: [String: Progress] = [:]

    init(directory: String) { self.directory = directory }

    mutating func readAll(_ onEvent: (TraceEvent) -> Void) {
        read((try? Files.list(directory)) ?? [], onEvent)
    }

    /// Reports what is new in some files, in the order of time; one piece of each file is in memory.
    mutating func read(_ names: some Sequence<String>, _ onEvent: (TraceEvent) -> Void) {
        var entries = Set(names).filter { $0.hasSuffix(".jsonl") }.sorted().compactMap { name in
            (progress[name] ?? open(name)).map { (name: name, progress: $0) }
        }
        while true {
            for index in entries.indices { entries[index].progress.fill() }
            let next = entries.indices.filter { !entries[$0].progress.pending.isEmpty }
                .min { time(entries[$0].progress) < time(entries[$1].progress) }
            guard let next, let event = entries[next].progress.pending.popLast() else { break }
            onEvent(event)
        }
        for entry in entries { progress[entry.name] = entry.progress }
    }

    private func time(_ progress: Progress) -> UInt64 { progress.pending.last?.time ?? .max }

    private func open(_ name: String) -> Progress? {
        (try? FileDescriptor.open("\(directory)/\(name)")).map { Progress(file: $0) }
    }
}
