// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
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
    public init(secrets: [String] = []) { for secret in secrets { insert(secret) } }

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

    /// The secrets so far.
    package var secrets: Set<String> { known.withLock { $0.secrets } }

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

/// The encodings in which a secret can occur in the output or records of a run: those that apps, servers and their
/// error messages use.
enum SecretEncoding: CaseIterable, Sendable {
    /// Unencoded.
    case plain
    /// A text in JSON; some writers escape slashes, and every non-ASCII character.
    case json
    /// A JSON text inside a JSON text, and one level deeper: the body of a request in an app's error in a report.
    case jsonInJSON
    /// The percent-encoding of URLs and forms.
    case percent
    /// Base64 with and without padding.
    case base64
    /// The alphabet of Base64 that URLs and file names use, with and without padding.
    case base64URL
    /// A part of longer bytes in Base64, as in `Authorization: Basic`.
    case insideBase64
    /// Hexadecimal digits, in lower or upper case.
    case hexadecimal

    /// The secret in this encoding; several spellings if writers differ.
    package func texts(of secret: String) -> [String] {
        switch self {
        case .plain: [secret]
        case .json: Self.inJSON(secret)
        case .jsonInJSON: Self.inJSON(secret).flatMap(Self.inJSON).flatMap { [$0, Self.quoted($0)] }
        case .percent: Self.percent(secret).flatMap(Self.withSlashesAsJSON)
        case .base64: Self.base64(secret).flatMap(Self.withSlashesAsJSON)
        case .base64URL: Self.base64(secret).map(Self.inURLAlphabet)
        case .insideBase64:
            Self.insideBase64(secret).flatMap { Self.withSlashesAsJSON($0) + [Self.inURLAlphabet($0)] }
        case .hexadecimal: [false, true].map { Self.digits(Data(secret.utf8), isUpper: $0) }
        }
    }

    private static func inJSON(_ text: String) -> [String] {
        let written = quoted(text)
        let ascii = written.utf16.map { unit in
            unit < 0x80
                ? String(UnicodeScalar(UInt8(unit))) : "\\u" + Data([UInt8(unit >> 8), UInt8(unit & 0xFF)]).hexadecimal
        }.joined()
        return [written, ascii].flatMap { [$0, $0.replacing("/", with: "\\/")] }
    }

    private static func quoted(_ text: String) -> String {
        String(JSONValue.string(text).description.dropFirst().dropLast())
    }

    /// A writer that escapes slashes changes the JSON spelling of Base64, and again when that is quoted.
    private static func withSlashesAsJSON(_ text: String) -> [String] {
        guard text.contains("/") else { return [text] }
        return [text] + ["\\/", "\\\\/"].map { text.replacing("/", with: $0) }
    }

    private static func percent(_ text: String) -> [String] {
        // The standards for URLs, their parts and forms differ in the characters that stay unencoded.
        let kept = ["", "-._~", "-._~!*'()", "-._~!$&'()*+,;=:@/", "-._~!$&'()*+,;=:@/?"]
        let encoded = kept.flatMap { kept in
            [true, false].map { isUpper in percent(text, keeping: kept, isUpper: isUpper) }
        }
        return encoded + encoded.map { $0.replacing("%20", with: "+") }
    }

    private static func percent(_ text: String, keeping kept: String, isUpper: Bool) -> String {
        text.utf8.map { byte in
            let scalar = UnicodeScalar(byte)
            switch scalar {
            case "0"..."9", "A"..."Z", "a"..."z": return String(scalar)
            case _ where kept.unicodeScalars.contains(scalar): return String(scalar)
            default: return "%" + digits(Data([byte]), isUpper: isUpper)
            }
        }.joined()
    }

    private static func base64(_ text: String) -> [String] {
        let padded = Data(text.utf8).base64EncodedString()
        return [padded, padded.replacing("=", with: "")]
    }

    private static func inURLAlphabet(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_")
    }

    /// The digits that do not depend on the surrounding bytes, one text for each of the three possible offsets. For a
    /// short secret they are too few to distinguish it from other words.
    private static func insideBase64(_ text: String) -> [String] {
        (0..<3).compactMap { before in
            let bytes = Data(repeating: 0, count: before) + Data(text.utf8)
            let first = (before * 8 + 5) / 6
            let last = bytes.count * 8 / 6
            guard last - first >= 8 else { return nil }
            return String(bytes.base64EncodedString().dropFirst(first).prefix(last - first))
        }
    }

    private static func digits(_ bytes: Data, isUpper: Bool) -> String {
        isUpper ? bytes.hexadecimal.uppercased() : bytes.hexadecimal
    }
}
