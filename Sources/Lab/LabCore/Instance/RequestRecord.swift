// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import Synchronization

/// The requests of an instance's server in a file of the instance: what the memory of a server loses when it dies.
///
/// A request is recorded on arrival and again when it is answered, each time in a line with one `write`; so a death at
/// any moment leaves all earlier lines. Nothing is masked: the file ends with its instance, and its readers mask it.
///
/// Thread rule: any thread; the state is guarded by the mutex.
public final class RequestRecord: Sendable {
    private let path: String
    private let capacity: Int
    private let state: Mutex<State>

    private struct State {
        var file: FileDescriptor
        var size = 0
        var count = 0
    }

    /// Begins the record of an incarnation.
    /// - Parameters:
    ///   - path: The file, from `InstanceLayout.requestsPath`.
    ///   - capacity: How large it may become, in bytes; then it becomes the older one, and an older one gives way.
    /// - Throws: `SystemError` when the file cannot be made.
    public init(path: String, capacity: Int = 4_194_304) throws {
        self.path = path
        self.capacity = capacity
        state = Mutex(State(file: try Self.open(path)))
    }

    /// Records that a request has arrived.
    /// - Parameter fields: What is known of it, in the members of `ListRequests.Request`.
    /// - Returns: Its number, from 1, in the order of arrival.
    public func begin(_ fields: [String: JSONValue]) -> Int {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        add(fields, to: number)
        return number
    }

    /// Notes more about a request; what was known before is replaced.
    ///
    /// A full disk loses the line and nothing else: a record must not change what it watches.
    /// - Parameter number: From ``begin(_:)``.
    public func add(_ fields: [String: JSONValue], to number: Int) {
        var fields = fields
        fields["number"] = .integer(Int64(number))
        var line = JSONValue.object(fields).encoded()
        line.append(0x0A)
        state.withLock { state in
            if state.size > 0, state.size + line.count > capacity { startAnew(&state) }
            state.size += line.count
            _ = line.withUnsafeBytes { try? state.file.write($0) }
        }
    }

    private func startAnew(_ state: inout State) {
        guard (try? Files.rename(path, to: Self.older(path))) != nil, let file = try? Self.open(path) else { return }
        (state.file, state.size) = (file, 0)
    }

    private static func open(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_APPEND | O_TRUNC)
    }

    /// Where a file goes that has become too long.
    private static func older(_ path: String) -> String { path + ".older" }

    /// What all servers of an instance have recorded, one incarnation after the other: requests in the order of their
    /// arrival, the oldest ones left out when there were very many.
    ///
    /// Each has the members of `ListRequests.Request`, as far as the server has come with it, and its `incarnation`.
    /// - Parameter layout: The instance, which has not ended.
    public static func read(_ layout: InstanceLayout) -> [JSONValue] {
        let names = (try? Files.list(layout.serverDirectory)) ?? []
        // Not all have a file: one may have died while it started.
        let incarnations = names.compactMap { name in
            Int(name.drop { !$0.isNumber }.prefix { $0.isNumber }).flatMap { incarnation in
                name == Files.name(of: layout.requestsPath(incarnation: incarnation)) ? incarnation : nil
            }
        }
        return incarnations.sorted().flatMap { read(layout.requestsPath(incarnation: $0), incarnation: $0) }
    }

    private static func read(_ path: String, incarnation: Int) -> [JSONValue] {
        var known: [Int64: [String: JSONValue]] = [:]
        for file in [older(path), path] {
            // A line that a killed server left unfinished is skipped.
            let lines = ((try? Files.read(file)) ?? Data()).split(separator: 0x0A)
            for fields in lines.compactMap({ try? JSONValue.parse(Data($0)).objectValue }) {
                guard let number = fields["number"]?.integerValue else { continue }
                known[number, default: [:]].merge(fields) { _, new in new }
            }
        }
        // Of some, only the end is in what was kept.
        return known.filter { $0.value["method"] != nil }.sorted { $0.key < $1.key }.map { _, fields in
            .object(fields.merging(["incarnation": .integer(Int64(incarnation))]) { old, _ in old })
        }
    }
}
