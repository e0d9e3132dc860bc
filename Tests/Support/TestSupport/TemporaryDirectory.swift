// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem

/// A private directory of a test below ``TestProcess/directory``, removed when the test lets go of it.
public final class TemporaryDirectory: Sendable {
    /// Where it is; short enough for Unix sockets in it.
    public let path: String

    /// Makes an empty directory.
    public init() throws {
        path = "\(TestProcess.directory)/\(UUID().uuidString.prefix(8).lowercased())"
        try Files.createNewDirectory(path)
    }

    deinit { try? Files.removeTree(path) }

    /// The path of a file in it.
    public func file(_ name: String) -> String { "\(path)/\(name)" }
}
