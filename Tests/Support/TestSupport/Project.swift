// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The package whose tests run, read in place.
public enum Project {
    /// Its folder.
    public static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// A file or folder of it, by its path from the root.
    public static func file(_ path: String) -> URL { root.appending(path: path) }

    /// The path of a file or folder of it.
    public static func path(_ path: String) -> String { file(path).path }

    /// The text of a file of it.
    public static func text(of path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }

    /// The text of a Swift file below the line of its licence, as pages show it.
    public static func code(of path: String) throws -> String {
        try text(of: path).replacing("// SPDX-License-Identifier: Apache-2.0\n\n", with: "", maxReplacements: 1)
    }
}
