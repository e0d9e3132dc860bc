import Foundation
import LabSystem

/// A private directory of a test, removed when the test lets go of it. Its path is short, because that of a Unix socket
/// in it has little room.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// Makes an empty directory.
    public init() throws {
        path = "/tmp/lab-test-\(UUID().uuidString.prefix(8).lowercased())"
        try Files.createNewDirectory(path)
    }

    deinit { try? Files.removeTree(path) }

    /// The path of a file in it.
    public func file(_ name: String) -> String { "\(path)/\(name)" }
}
