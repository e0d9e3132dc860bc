// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol

/// The lab's control over the server beyond that of a client. Only a server started by a lab, or with lab powers
/// enabled, has it.
struct TestControls: Sendable {
    let faults = TrafficFaults()
    let traffic = TrafficJournal()
    /// Nil where it would be unused.
    var record: RequestRecord?
    let identityProvider = LabIdentityProvider()
}

/// A clock that a lab can move.
///
/// Thread rule: any thread; must not block for long.
public protocol AdjustableServerClock: ServerClock {
    /// Moves the clock forward.
    /// - Throws: when it refuses to, in words for the caller.
    func advance(milliseconds: Int64) throws
}

/// The token of one server's `/lab`: decrypted bodies, faults and snapshots are for users who may read the server's
/// directory, and not for other users of the machine, who can also reach loopback.
///
/// It is kept in the directory, so that a restarted server has the same token.
public struct LabAccess: Sendable {
    /// The header that carries it.
    public static let header = "X-Lab-Token"

    /// The file, for its owner alone: the whole header, as `curl -H @lab-token` sends it.
    public let path: String
    /// 16 random bytes in hexadecimal digits.
    public let token: String

    /// Reads the token of a server's directory, or makes it. Blocks.
    /// - Throws: if the file cannot be written.
    init(directory: String) throws {
        path = directory + "/lab-token"
        if let known = Self.token(in: path) {
            token = known
            return
        }
        token = Random.bytes(16).hexadecimal
        // Never readable for others, not even briefly: the old content may have been read by others.
        try? FileManager.default.removeItem(atPath: path)
        try PrivateFiles.makeFile(path)
        try Data("\(Self.header): \(token)\n".utf8).write(to: URL(filePath: path))
    }

    /// The token in a file that only its owner can read.
    private static func token(in path: String) -> String? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular,
            (attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600,
            let content = FileManager.default.contents(atPath: path),
            let match = String(decoding: content, as: UTF8.self).wholeMatch(of: /X-Lab-Token: ([0-9a-f]{32})\n/)
        else { return nil }
        return String(match.1)
    }

    /// Whether a request shows the token; compared in constant time.
    func admits(_ request: ServerRequest) -> Bool {
        request.header(Self.header).map { constantTimeEquals($0, token) } ?? false
    }
}
