import Foundation
import LabSystem

/// A private directory that is removed when the test lets go of it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = "\(NSTemporaryDirectory())/labsystem-\(UUID().uuidString.prefix(8))"
        try Files.createDirectory(path)
    }

    deinit { try? Files.removeTree(path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}
