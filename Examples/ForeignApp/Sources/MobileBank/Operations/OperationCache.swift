// SPDX-License-Identifier: Apache-2.0

import BankShared
import Foundation
import WultraMobileTokenSDK

/// The operations that were shown last, for a start without network.
public final class OperationCache<Operation: WMTUserOperation> {
    private struct Snapshot: Codable {
        let savedAt: Date
        let operations: [Operation]
    }

    private let file: URL
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    /// - Parameter folder: that of the app group unless another one is given.
    public init?(folder: URL? = GroupDefaults.folder()) {
        guard let folder = folder else { return nil }
        file = folder.appendingPathComponent("operations.json")
        encoder.dateEncodingStrategy = .millisecondsSince1970
        decoder.dateDecodingStrategy = .millisecondsSince1970
        encoder.outputFormatting = [.sortedKeys]
    }

    public func save(_ operations: [Operation], at date: Date = Date()) throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = try encoder.encode(Snapshot(savedAt: date, operations: operations))
        try data.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
    }

    /// - Returns: what has not expired yet.
    public func load(at date: Date = Date()) -> [Operation] {
        guard let data = try? Data(contentsOf: file), let snapshot = try? decoder.decode(Snapshot.self, from: data)
        else { return [] }
        return snapshot.operations.filter { $0.operationExpires > date }
    }

    public func clear() throws {
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }
}
