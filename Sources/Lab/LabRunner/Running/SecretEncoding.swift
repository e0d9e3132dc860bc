import Foundation
import LabKit

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
    func texts(of secret: String) -> [String] {
        switch self {
        case .plain: [secret]
        case .json: Self.inJSON(secret)
        case .jsonInJSON:
            Self.inJSON(secret).flatMap(Self.inJSON).flatMap { [$0, Self.quoted($0)] }
        case .percent: Self.percent(secret).flatMap(Self.withSlashesAsJSON)
        case .base64: Self.base64(secret).flatMap(Self.withSlashesAsJSON)
        case .base64URL: Self.base64(secret).map(Self.inURLAlphabet)
        case .insideBase64:
            Self.insideBase64(secret).flatMap { Self.withSlashesAsJSON($0) + [Self.inURLAlphabet($0)] }
        case .hexadecimal: Self.hexadecimal(secret)
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

    private static func hexadecimal(_ text: String) -> [String] {
        [false, true].map { digits(Data(text.utf8), isUpper: $0) }
    }

    private static func digits(_ bytes: Data, isUpper: Bool) -> String {
        isUpper ? bytes.hexadecimal.uppercased() : bytes.hexadecimal
    }
}
