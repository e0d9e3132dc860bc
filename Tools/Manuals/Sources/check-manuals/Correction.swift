// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A mistake in a manual that no compiler accepts, and its replacement.
struct Correction: Sendable {
    /// What is wrong, for the table.
    let reason: String
    /// Returns the corrected text; nil if the mistake does not occur.
    let apply: @Sendable (String) -> String?

    private init(_ reason: String, _ apply: @escaping @Sendable (String) -> String?) {
        self.reason = reason
        self.apply = apply
    }

    /// - Parameters:
    ///   - pattern: regular expression of the mistake.
    ///   - replacement: template of the replacement.
    private init(_ reason: String, pattern: String, with replacement: String) {
        self.init(reason) { text in
            let corrected = text.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression)
            return corrected == text ? nil : corrected
        }
    }

    /// A class of the SDK as the manual sketches it.
    static let outline = Correction(
        "an outline of a class has no initialiser", pattern: #"(?m)^(\s*)public let (\w+): (\w+|\[\w+\])$"#,
        with: "$1public var $2: $3 { fatalError() }")

    static let all = [
        Correction(
            "words stand where a statement belongs", pattern: #"\{\s*\.\.\.[^{}]*\.\.\.\s*\}"#, with: "{ return }"),
        Correction("words stand where a declaration belongs", pattern: #"(?m)^\s*\.\.\. .* \.\.\.\s*$"#, with: ""),
        Correction("the arguments are left out", pattern: #"\(\.\.\.\)"#, with: "()"),
        Correction("null is not Swift", pattern: #"\bnull\b"#, with: "nil"),
        Correction("the initialiser has no parameter list", pattern: #"\binit \{"#, with: "init() {"),
        Correction(
            "a value is taken from nowhere instead of from the status", pattern: #"= customObject\b"#,
            with: "= status.customObject"),
        Correction("one name is declared twice") { renamingSecondGuard($0) },
        Correction(
            "a case holds only a comment", pattern: #"(?m)^(\s*case [^\n]*:)(?=\n(\s*//[^\n]*\n)+\s*(case\b|\}))"#,
            with: "$1 break"),
        Correction("a name is misspelt", pattern: #"\bWMTUserOperatio\b"#, with: "WMTUserOperation"),
        outline,
        Correction(
            "a payload cannot be coded", pattern: #"(?m)^struct (My\w+) \{$"#, with: "struct $1: Codable {"),
        Correction(
            "a signed request has no authentication", pattern: #"(?m)^(\s*data: MyEndpointType[^\n]*,)$"#,
            with: "$1 signedWith: auth,"),
        Correction("a quote is missing", pattern: #"\["MyCustomHeader: ""#, with: #"["MyCustomHeader": ""#),
    ]

    /// Applies every correction that the text needs.
    static func correct(_ text: String) -> (text: String, reasons: [String]) {
        var text = text
        var reasons: [String] = []
        for correction in all {
            guard let corrected = correction.apply(text) else { continue }
            text = corrected
            reasons.append(correction.reason)
        }
        return (text, reasons)
    }

    /// Renames the second of two constants that `guard` declares in the block's outermost scope.
    private static func renamingSecondGuard(_ text: String) -> String? {
        var names: Set<String> = []
        var changed = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard let match = line.firstMatch(of: /^\s*guard let (\w+) =/) else { return String(line) }
            if names.insert(String(match.1)).inserted { return String(line) }
            changed = true
            return String(line).replacing("let \(match.1) =", with: "let other\(match.1) =", maxReplacements: 1)
        }
        return changed ? lines.joined(separator: "\n") : nil
    }
}
