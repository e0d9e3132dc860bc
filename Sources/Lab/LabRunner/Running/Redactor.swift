import Foundation
public import LabKit
import Synchronization

/// All output of a run goes through it: it replaces secrets in every text, in every encoding in which they can occur.
///
/// Thread rule: any thread.
public final class Redactor: Sendable {
    private let known = Mutex(Known())

    private struct Known {
        var secrets: Set<String> = []
        /// Longest first: a part of a secret may be one, too.
        var needles: [Needle] = []
    }

    private struct Needle: Equatable {
        let text: String
        /// A short secret such as a PIN is replaced only as a whole word; otherwise every `1234` in a port number would
        /// be hidden.
        let isWholeWord: Bool
    }

    /// A redactor for some secrets.
    public init(secrets: [String] = []) {
        for secret in secrets { insert(secret) }
    }

    /// Adds a secret.
    public func insert(_ secret: String) {
        guard !secret.isEmpty else { return }
        known.withLock { known in
            guard known.secrets.insert(secret).inserted else { return }
            for text in SecretEncoding.allCases.flatMap({ $0.texts(of: secret) }) {
                let needle = Needle(text: text, isWholeWord: text.count < 8)
                if !known.needles.contains(needle) { known.needles.append(needle) }
            }
            known.needles.sort { $0.text.count > $1.text.count }
        }
    }

    /// A text without secrets.
    public func redact(_ text: String) -> String {
        let needles = known.withLock { $0.needles }
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
        case .object(let members):
            // If the names of several members are equal after redaction, one of them is enough.
            .object(Dictionary(members.map { (redact($0.key), redact($0.value)) }) { first, _ in first })
        default: value
        }
    }
}
