// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import ScenarioEngine

/// The header that the resources below `/lab` of an instance's server require from every HTTP client.
///
/// Commands do not need it: `CallResource` reaches the same resources on the instance's control socket.
public struct LabHeader: Sendable, Equatable {
    /// `X-Lab-Token`.
    public let name: String
    /// The token of the instance. A secret: it opens decrypted bodies, faults and snapshots.
    public let value: String

    /// Reads it from the file of the instance that only its user can read.
    ///
    /// - Throws: `LabFailure` when the server has not made it yet.
    init(of layout: InstanceLayout) throws {
        let path = layout.serverDirectory + "/lab-token"
        let line = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard let match = line.wholeMatch(of: /([A-Za-z-]+): ([0-9a-f]+)\n/) else {
            throw LabFailure("\(path) holds no token. The server makes it when it starts; wait until it is ready.")
        }
        (name, value) = (String(match.1), String(match.2))
    }
}

extension Lab {
    /// What the resources below `/lab` want, called over HTTP.
    ///
    /// - Throws: `LabFailure` when the server has never been ready.
    public func labHeader() throws -> LabHeader { try LabHeader(of: instance.layout) }
}
