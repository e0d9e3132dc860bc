// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import ScenarioLanguage

/// A secret that every encoding changes, and its encodings as other programs write them.
///
/// They are literals, or made by code other than the masking code.
enum Canary {
    /// Its Base64 has padding and both characters that are not in the alphabet of URLs.
    static let secret = "c4n4ry>>>???/\"é xy"

    /// The ways in which an encoding writes the secret. A new encoding needs its own here.
    static func texts(of encoding: SecretEncoding) -> [String] {
        switch encoding {
        case .plain: [secret]
        case .json:
            [
                #"c4n4ry>>>???/\"é xy"#, #"c4n4ry>>>???\/\"é xy"#, #"c4n4ry>>>???/\"\u00e9 xy"#,
                #"c4n4ry>>>???\/\"\u00e9 xy"#,
            ]
        case .jsonInJSON: [#"c4n4ry>>>???/\\\"é xy"#, #"c4n4ry>>>???\\/\\\"é xy"#, #"c4n4ry>>>???/\\\"\\u00e9 xy"#]
        case .percent:
            [
                "c4n4ry%3E%3E%3E%3F%3F%3F%2F%22%C3%A9%20xy", "c4n4ry%3e%3e%3e%3f%3f%3f%2f%22%c3%a9%20xy",
                "c4n4ry%3E%3E%3E%3F%3F%3F%2F%22%C3%A9+xy", "c4n4ry%3E%3E%3E%3F%3F%3F/%22%C3%A9%20xy",
                secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "",
                secret.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? "",
            ]
        case .base64:
            ["YzRuNHJ5Pj4+Pz8/LyLDqSB4eQ==", "YzRuNHJ5Pj4+Pz8/LyLDqSB4eQ", #"YzRuNHJ5Pj4+Pz8\/LyLDqSB4eQ=="#]
        case .base64URL: ["YzRuNHJ5Pj4-Pz8_LyLDqSB4eQ==", "YzRuNHJ5Pj4-Pz8_LyLDqSB4eQ"]
        case .insideBase64:
            ["user:", "user:1", "user:12"].flatMap { before in
                let text = Data("\(before)\(secret), and more".utf8).base64EncodedString()
                return [text, inURLs(text)]
            }
        case .hexadecimal:
            ["63346e3472793e3e3e3f3f3f2f22c3a9207879", "63346E3472793E3E3E3F3F3F2F22C3A9207879"]
        }
    }

    /// Every text that reveals the secret.
    static var all: [String] { SecretEncoding.allCases.flatMap(texts) }

    /// Pieces of output that reveal the secret. Each of its texts contains one, however often the text is quoted.
    static func traces(in output: String) -> [String] { pieces.filter(output.contains) }

    private static let pieces: [String] = {
        let digits = "c4n4ry".utf8.map { String($0, radix: 16) }.joined()
        // One for each offset at which it can begin in longer bytes.
        let base64 = ["", "1", "12"].map { before in
            String(Data("\(before)\(secret)".utf8).base64EncodedString().dropFirst(4).prefix(6))
        }
        return ["c4n4ry", digits, digits.uppercased()] + base64
    }()

    private static func inURLs(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_")
    }
}
