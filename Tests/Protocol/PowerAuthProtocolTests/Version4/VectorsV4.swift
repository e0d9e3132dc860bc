// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import Testing

/// The test vectors of protocol 4 beside the package, read in place.
enum VectorsV4 {
    static let directory = Vectors.directory.appending(path: "v4")

    static let condition = ConditionTrait.enabled(
        if: FileManager.default.fileExists(atPath: directory.path),
        "the test vectors of protocol 4 are expected in ../shared/vectors/v4 beside the package")

    /// The records of a file; numbers are texts, too.
    static func records(_ name: String) throws -> [[String: String]] {
        let file = try JSONDecoder().decode([String: Value].self, from: Data(contentsOf: url(name)))
        guard case .records(let records) = file["vectors"] else { throw CocoaError(.fileReadCorruptFile) }
        try #require(!records.isEmpty)
        return records
    }

    static func url(_ name: String) -> URL { directory.appending(path: name + ".json") }

    private enum Value: Decodable {
        case text
        case records([[String: String]])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let records = try? container.decode([[String: Scalar]].self) else {
                self = .text
                return
            }
            self = .records(records.map { $0.mapValues(\.text) })
        }
    }

    private struct Scalar: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try (try? container.decode(String.self)) ?? String(container.decode(Int.self))
        }
    }
}

/// The inputs of tests without vectors.
enum ExampleV4 {
    static let suites = CryptographySuite.Name.allCases.map { CryptographySuite.named($0) }
    static let activationId = "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
    static let applicationKey = LabExample.applicationKeyText

    static func applicationSecret() throws -> ApplicationSecretKey {
        try ApplicationSecretKey(counting(16, from: 0x10))
    }

    static func keys() throws -> ActivationKeys { ActivationKeys(secret: try ActivationSecret(counting(32, from: 1))) }
}
