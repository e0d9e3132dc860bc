import CZlib
import Foundation
import LabKit
import LabSystem

/// The checksums of all records of a run, written at its end. A changed byte in a record is an error, never a different
/// result of the run; a killed run has no checksums.
struct RecordChecksums: Codable, Equatable {
    /// The state of a file at the end of the run.
    struct Entry: Codable, Equatable {
        let bytes: Int
        /// CRC-32, as zlib computes it: it finds every change of a single byte.
        let crc32: UInt32
    }

    /// The file in the directory of a run.
    static let fileName = "checksums.json"

    private var version = 1
    /// By the path in the directory of the run.
    private let files: [String: Entry]

    /// Computes the checksums of all files of a run's directory.
    static func write(in run: String) throws {
        var files: [String: Entry] = [:]
        for path in try paths(in: run) { files[path] = try entry(of: "\(run)/\(path)") }
        try Files.write(JSONValue(encoding: RecordChecksums(files: files)).encoded(), to: "\(run)/\(fileName)")
    }

    private init(files: [String: Entry]) { self.files = files }

    /// The checksums of a run; nil if it was killed or is still running.
    ///
    /// - Throws: ``DamagedRecord`` if they cannot be read.
    init?(of run: String) throws {
        let path = "\(run)/\(Self.fileName)"
        guard Files.exists(path) else { return nil }
        guard let value = try? JSONValue.parse(Files.read(path)),
            let read = try? value.decode(RecordChecksums.self), read.version == 1
        else { throw DamagedRecord(run: run, files: [Self.fileName]) }
        self = read
    }

    /// Rejects a run with modified records.
    ///
    /// - Parameter names: only these files of the directory; nil means all.
    /// - Throws: ``DamagedRecord``.
    static func verify(_ run: String, _ names: Set<String>? = nil) throws {
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
    let run: String
    let files: [String]

    public var description: String {
        let more = files.count > 5 ? " and \(files.count - 5) more" : ""
        return """
            the record of the run \(run) is damaged: \(files.prefix(5).joined(separator: ", "))\(more) \
            \(files.count == 1 ? "is" : "are") not as the run has written \(files.count == 1 ? "it" : "them"); play it \
            again, or remove the directory
            """
    }
}
