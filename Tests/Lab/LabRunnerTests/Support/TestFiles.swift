import Foundation

/// Places beside the tests.
enum TestFiles {
    /// The folder of this test target.
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path

    /// The folders in a folder of this test target, sorted.
    static func cases(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(folder)")) ?? []
        return names.filter { !$0.contains(".") }.sorted()
    }
}
