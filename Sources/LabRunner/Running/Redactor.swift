internal import Foundation
public import LabKit
internal import Synchronization

/// The one printer of everything a run writes: replaces secrets in every text, in every encoding in which
/// they could turn up.
///
/// Thread rule: any thread.
public final class Redactor: Sendable {
    private let needles = Mutex<[Needle]>([])

    private struct Needle: Equatable {
        let text: String
        /// A short secret such as a PIN is looked for as a word of its own, or every `1234` in a port
        /// number would be hidden.
        let isWholeWord: Bool
    }

    /// A redactor that knows some secrets.
    public init(secrets: [String] = []) {
        for secret in secrets { insert(secret) }
    }

    /// Adds a secret.
    public func insert(_ secret: String) {
        guard !secret.isEmpty else { return }
        let bytes = Data(secret.utf8)
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        let jsonText = JSONValue.string(secret).description.dropFirst().dropLast()
        let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
        let base64 = bytes.base64EncodedString()
        let encodings = [
            secret, String(jsonText), percent, base64, base64.replacing("=", with: ""), hex, hex.uppercased(),
        ]
        needles.withLock { needles in
            for text in encodings {
                let needle = Needle(text: text, isWholeWord: text.count < 8)
                if !needles.contains(needle) { needles.append(needle) }
            }
            needles.sort { $0.text.count > $1.text.count }
        }
    }

    /// A text without secrets.
    public func redact(_ text: String) -> String {
        let needles = needles.withLock { $0 }
        var text = text
        for needle in needles where text.contains(needle.text) {
            text =
                needle.isWholeWord
                ? replaceWords(needle.text, in: text) : text.replacing(needle.text, with: Secret.mask)
        }
        return text
    }

    private func replaceWords(_ word: String, in text: String) -> String {
        var result = ""
        var rest = Substring(text)
        func isWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        while let range = rest.range(of: word) {
            let before = range.lowerBound > rest.startIndex ? rest[rest.index(before: range.lowerBound)] : result.last
            let after = range.upperBound < rest.endIndex ? rest[range.upperBound] : nil
            result += rest[..<range.lowerBound]
            result += isWord(before) || isWord(after) ? word : Secret.mask
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// A value without secrets.
    public func redact(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(redact(text))
        case .array(let elements): .array(elements.map(redact))
        case .object(let members): .object(members.mapValues(redact))
        default: value
        }
    }
}
