// SPDX-License-Identifier: Apache-2.0

import CZlib
import Foundation
import LabCore
import LabSystem
import Synchronization

/// The directory with the records of a run: `.lab/runs/<id>`, with `latest` pointing at the last one.
package final class RunDirectory: Sendable {
    /// Absolute path.
    package let path: String
    /// Held while the run writes there, so that other runs do not remove its directory.
    private let lock: FileLock
    private let names = Mutex<[String: String]>([:])

    private init(path: String, lock: FileLock) {
        self.path = path
        self.lock = lock
    }

    static let lockName = ".running"

    /// Creates a directory with a new name, and removes those of the oldest runs.
    /// - Parameters:
    ///   - records: Absolute path of the directory that holds `runs`.
    ///   - kept: Number of directories to keep, including the new one.
    package static func create(in records: String, keeping kept: Int) throws -> RunDirectory {
        let runs = "\(records)/runs"
        try Files.createDirectory(runs, mode: 0o755)
        let (id, lock) = try makeNew(in: runs)
        try Files.symlink("\(runs)/latest", to: id)
        for old in try all(in: records).dropFirst(max(1, kept)) { removeUnused(old) }
        return RunDirectory(path: "\(runs)/\(id)", lock: lock)
    }

    private static func makeNew(in runs: String) throws -> (id: String, lock: FileLock) {
        while true {
            let id = name(at: RealTimeClock.nanoseconds())
            // It gets its name only after it is locked, so that no other run removes it in between as an old one.
            let unfinished = "\(runs)/.\(id).\(ProcessInfo.processInfo.processIdentifier)"
            try Files.createNewDirectory(unfinished)
            let lock = try FileLock(path: "\(unfinished)/\(lockName)")
            _ = try lock.tryLock()
            do {
                try Files.renameExclusively(unfinished, to: "\(runs)/\(id)")
                return (id, lock)
            } catch let error as SystemError where error.errno == EEXIST {
                // If two runs start within some microseconds, the later one takes the next name.
                try Files.removeTree(unfinished)
            }
        }
    }

    /// Date, time and a part of a second in hexadecimal, so that names sort in the order of the runs.
    package static func name(at time: Int64) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        let rest = time % 1_000_000_000
        // The formatter rounds: in the last half of a millisecond it would write the next second.
        let second = LabTime(nanoseconds: time - rest).date
        return formatter.string(from: second) + String(format: "-%04x", Int(rest * 65_536 / 1_000_000_000))
    }

    /// The directories of all recorded runs, newest first.
    /// - Parameter records: Absolute path of the directory that holds `runs`.
    package static func all(in records: String) throws -> [String] {
        let runs = "\(records)/runs"
        guard Files.isDirectory(runs) else { return [] }
        // Other files kept there must not be removed by the lab.
        return try Files.list(runs).filter { $0.wholeMatch(of: #/\d{8}-\d{6}-[0-9a-f]{1,4}/#) != nil }.reversed()
            .map { "\(runs)/\($0)" }
    }

    private static func removeUnused(_ path: String) {
        if let lock = try? FileLock(path: "\(path)/\(lockName)", create: false), (try? lock.tryLock()) != true {
            return
        }
        // The next run retries a failed removal.
        try? Files.removeTree(path)
    }

    /// Computes the checksums of all records, so that later changes are detected.
    /// - Returns: Why they could not be written, for example because the disk is full; nil on success.
    package func seal() -> String? {
        do {
            try RecordChecksums.write(in: path)
            return nil
        } catch {
            return "the checksums of the record \(path) could not be written: \(error)"
        }
    }

    /// Absolute path of the page about the run, which is written at its end.
    package var page: String { "\(path)/\(PageReport.fileName)" }

    /// The directory of one scenario in the first round, unique in the run.
    package func scenario(_ id: String) -> String {
        let name = id.hasSuffix(".yaml") ? String(id.dropLast(5)) : id
        let plain = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "." ? $0 : "-" })
        return names.withLock { names in
            // `a/b` and `a-b` become the same name; in one directory their traces would look like those of one run.
            var (slug, number) = (plain, 1)
            while let owner = names[slug], owner != id {
                number += 1
                slug = "\(plain)-\(number)"
            }
            names[slug] = id
            return "\(path)/\(slug)"
        }
    }
}

/// The checksums of all records of a run, written at its end. A changed byte in a record is an error, never a different
/// result of the run; a killed run has no checksums.
package struct RecordChecksums: Codable, Equatable {
    /// The state of a file at the end of the run.
    package struct Entry: Codable, Equatable {
        package let bytes: Int
        /// CRC-32, as zlib computes it: it finds every change of a single byte.
        let crc32: UInt32

        package init(bytes: Int, crc32: UInt32) {
            self.bytes = bytes
            self.crc32 = crc32
        }
    }

    /// The file in the directory of a run.
    package static let fileName = "checksums.json"

    private var version = 1
    /// By the path in the directory of the run.
    private let files: [String: Entry]

    /// Computes the checksums of all files of a run's directory.
    package static func write(in run: String) throws {
        var files: [String: Entry] = [:]
        for path in try paths(in: run) { files[path] = try entry(of: "\(run)/\(path)") }
        try Files.write(JSONValue(encoding: RecordChecksums(files: files)).encoded(), to: "\(run)/\(fileName)")
    }

    private init(files: [String: Entry]) { self.files = files }

    /// The checksums of a run; nil if it was killed or is still running.
    /// - Throws: ``DamagedRecord`` if they cannot be read.
    package init?(of run: String) throws {
        let path = "\(run)/\(Self.fileName)"
        guard Files.exists(path) else { return nil }
        guard let value = try? JSONValue.parse(Files.read(path)),
            let read = try? value.decode(RecordChecksums.self), read.version == 1
        else { throw DamagedRecord(run: run, files: [Self.fileName]) }
        self = read
    }

    /// Rejects a run with modified records.
    /// - Parameter names: only these files of the directory; nil means all.
    /// - Throws: ``DamagedRecord``.
    package static func verify(_ run: String, _ names: Set<String>? = nil) throws {
        guard let checksums = try RecordChecksums(of: run) else { return }
        let damaged = try checksums.files.filter { names?.contains($0.key) ?? true }
            .filter { try entry(of: "\(run)/\($0.key)") != $0.value }
        guard damaged.isEmpty else { throw DamagedRecord(run: run, files: damaged.keys.sorted()) }
    }

    /// The current state of a file; nil if missing.
    private static func entry(of path: String) throws -> Entry? {
        guard Files.exists(path) else { return nil }
        let file = try FileDescriptor.open(path)
        var (bytes, sum) = (0, CZlib.crc32(0, nil, 0))
        while case let piece = try file.read(count: 262_144), !piece.isEmpty {
            sum = piece.withUnsafeBytes { CZlib.crc32(sum, $0.bindMemory(to: UInt8.self).baseAddress, uInt($0.count)) }
            bytes += piece.count
        }
        return Entry(bytes: bytes, crc32: UInt32(truncatingIfNeeded: sum))
    }

    private static func paths(in run: String, below directory: String = "") throws -> [String] {
        try Files.list("\(run)/\(directory)").flatMap { name -> [String] in
            let path = directory + name
            if Files.isDirectory("\(run)/\(path)") { return try paths(in: run, below: "\(path)/") }
            // The lock of the run, and pages that compare it with another one, which are created on demand.
            return name == RunDirectory.lockName || name == fileName || path.hasPrefix("against-") ? [] : [path]
        }
    }
}

/// A run's records were modified.
public struct DamagedRecord: Error, CustomStringConvertible, Sendable {
    package let run: String
    package let files: [String]

    public var description: String {
        let more = files.count > 5 ? " and \(files.count - 5) more" : ""
        return """
            the record of the run \(run) is damaged: \(files.prefix(5).joined(separator: ", "))\(more) \
            \(files.count == 1 ? "is" : "are") not as the run has written \(files.count == 1 ? "it" : "them"); play it \
            again, or remove the directory
            """
    }
}
