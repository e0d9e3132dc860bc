import Foundation
import TestSupport
import Testing

/// The public test vectors beside the package, read in place.
enum Vectors {
    /// The checkout may be reached through a link; the vectors lie beside the real one.
    static let directory = Project.root.resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "shared/vectors")

    static var arePresent: Bool { FileManager.default.fileExists(atPath: directory.path) }

    static let condition = ConditionTrait.enabled(
        if: arePresent, "the test vectors are expected in ../shared/vectors beside the package")

    struct File<Input: Decodable, Output: Decodable>: Decodable {
        let data: [Record]

        struct Record: Decodable {
            let input: Input
            let output: Output
        }
    }

    /// The records of a file whose values are all texts.
    static func texts(_ name: String) throws -> [(input: [String: String], output: [String: String])] {
        let file: File<[String: String], [String: String]> = try read(name)
        return file.data.map { ($0.input, $0.output) }
    }

    static func read<Input, Output>(_ name: String) throws -> File<Input, Output> {
        let data = try Data(contentsOf: directory.appendingPathComponent(name + ".json"))
        return try JSONDecoder().decode(File<Input, Output>.self, from: data)
    }
}

extension [String: String] {
    /// The decoded Base64 value of a member.
    func bytes(_ name: String) throws -> Data {
        let text = try text(name)
        return try #require(Data(base64Encoded: text), "Base64 in \(name)")
    }

    func text(_ name: String) throws -> String { try #require(self[name], "member \(name)") }
}
