internal import CZlib
internal import Foundation
internal import LabKit
internal import LabSystem

/// The checksums of everything that a run has recorded, written at its end. A changed byte in a record is an error, and
/// never another course of the run; a run that was killed has none.
struct RecordChecksums: Codable, Equatable {
    /// What a file was when the run ended.
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

    /// Notes every file of a run's directory.
    static func write(in run: String) throws {
        var files: [String: Entry] = [:]
        for path in try paths(in: run) { files[path] = try entry(of: "\(run)/\(path)") }
        try Files.write(JSONValue(encoding: RecordChecksums(files: files)).encoded(), to: "\(run)/\(fileName)")
    }

    private init(files: [String: Entry]) { self.files = files }

    /// The checksums of a run; nil without them, because the run was killed or is still running.
    ///
    /// - Throws: ``DamagedRecord`` when they cannot be read.
    init?(of run: String) throws {
        let path = "\(run)/\(Self.fileName)"
        guard Files.exists(path) else { return nil }
        guard let value = try? JSONValue.parse(Files.read(path)),
            let read = try? value.decode(RecordChecksums.self), read.version == 1
        else { throw DamagedRecord(run: run, files: [Self.fileName]) }
        self = read
    }

    /// Refuses a run whose records are not as they were written.
    ///
    /// - Parameter names: only these files of the directory; nil means all.
    /// - Throws: ``DamagedRecord``.
    static func verify(_ run: String, _ names: Set<String>? = nil) throws {
        guard let checksums = try RecordChecksums(of: run) else { return }
        let damaged = try checksums.files.filter { names?.contains($0.key) ?? true }
            .filter { try entry(of: "\(run)/\($0.key)") != $0.value }
        guard damaged.isEmpty else { throw DamagedRecord(run: run, files: damaged.keys.sorted()) }
    }

    /// What a file is now; nil when it is missing.
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
            // The lock of the run, and a page that compares it with another one, which is drawn when it is asked for.
            return name == RunDirectory.lockName || name == fileName || path.hasPrefix("against-") ? [] : [path]
        }
    }
}

/// A run's records are not as they were written.
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
