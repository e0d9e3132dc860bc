// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The grammar all three protocol headers share: `PowerAuth key="value", key="value"` (protocol.md, section 7.5).
public struct PowerAuthHeader: Sendable, Equatable {
    /// The attributes by name.
    public let attributes: [String: String]

    /// Reads a header value: white space around it, any order, commas or white space between pairs, quotes
    /// optional. Nil when it does not start with `PowerAuth `, when anything is not a pair, or when a name
    /// occurs twice, because readers would then disagree about its value.
    public init?(_ value: String) {
        let text = Array(value.utf8)
        var start = text.startIndex
        var end = text.endIndex
        while start < end, Self.isSpace(text[start]) { start += 1 }
        while end > start, Self.isSpace(text[end - 1]) { end -= 1 }
        var rest = text[start..<end]
        let scheme = Array("PowerAuth ".utf8)
        guard rest.starts(with: scheme) else { return nil }
        rest = rest.dropFirst(scheme.count)
        var attributes: [String: String] = [:]
        while true {
            rest = rest.drop { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
            if rest.isEmpty { break }
            let name = rest.prefix(while: Self.isWord)
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
            let content: ArraySlice<UInt8>
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                content = rest.prefix { $0 != UInt8(ascii: "\"") }
                rest = rest.dropFirst(content.count)
                guard rest.popFirst() != nil else { return nil }
            } else {
                content = rest.prefix { !Self.isSpace($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
                rest = rest.dropFirst(content.count)
            }
            let key = String(decoding: name, as: UTF8.self)
            guard attributes.updateValue(String(decoding: content, as: UTF8.self), forKey: key) == nil else {
                return nil
            }
        }
        guard !attributes.isEmpty else { return nil }
        self.attributes = attributes
    }

    /// The value of an attribute, nil when it is absent or empty.
    public subscript(name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Writes pairs in the given order. Values of the protocol never contain a quote.
    package static func format(_ pairs: [(String, String)]) -> String {
        "PowerAuth " + pairs.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ", ")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Reads one attribute after the other and names the diagnostic for an absent and for a wrong value.
struct HeaderReader<Failure: Error> {
    let header: PowerAuthHeader

    init(_ value: String?, orThrow failure: Failure) throws(Failure) {
        guard let header = value.flatMap({ PowerAuthHeader($0) }) else { throw failure }
        self.header = header
    }

    func read<Value>(
        _ name: String, missing: Failure, invalid: Failure, _ parse: (String) -> Value?
    ) throws(Failure) -> Value {
        guard let text = header[name] else { throw missing }
        guard let value = parse(text) else { throw invalid }
        return value
    }
}

enum HeaderValue {
    static func uuid(_ text: String) -> String? { UUIDText.isValid(text) ? text : nil }
    /// Text that is the Base64 of 16 bytes.
    static func base64Of16(_ text: String) -> String? { StrictBase64.decode(text)?.count == 16 ? text : nil }
    static func version(_ text: String) -> ProtocolVersion? { ProtocolVersion(rawValue: text) }
    /// What the Base64 text of `size` bytes stands for.
    static func bytes(_ size: Int) -> (String) -> Data? {
        { StrictBase64.decode($0).flatMap { $0.count == size ? $0 : nil } }
    }
    /// Milliseconds since 1970 as decimal text.
    static func milliseconds(_ text: String) -> String? {
        (9...15).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? text : nil
    }
}

/// `X-PowerAuth-Encryption` (protocol.md, section 7.5).
public struct EncryptionHeader: Sendable, Equatable {
    /// Name of the HTTP header.
    public static let name = "X-PowerAuth-Encryption"

    /// Protocol version of the message.
    public let version: ProtocolVersion
    /// Base64 text of the application key.
    public let applicationKey: String
    /// Activation id, in activation scope only.
    public let activationId: String?

    /// Takes the values to write.
    public init(version: ProtocolVersion, applicationKey: String, activationId: String? = nil) {
        self.version = version
        self.applicationKey = applicationKey
        self.activationId = activationId
    }

    /// Reads and validates a header value.
    /// - Parameters:
    ///   - value: the header's value, nil when the request has none.
    ///   - scope: the scope of the endpoint.
    public init(parsing value: String?, scope: EciesScope) throws(EncryptionHeaderError) {
        let reader = try HeaderReader(value, orThrow: EncryptionHeaderError.empty)
        applicationKey = try reader.read(
            "application_key", missing: .applicationKeyEmpty, invalid: .applicationKeyInvalid, HeaderValue.base64Of16)
        switch scope {
        case .application:
            guard reader.header["activation_id"] == nil else { throw .activationIdNotExpected }
            activationId = nil
        case .activation:
            activationId = try reader.read(
                "activation_id", missing: .activationIdMissing, invalid: .activationIdInvalid, HeaderValue.uuid)
        }
        version = try reader.read("version", missing: .versionEmpty, invalid: .versionInvalid, HeaderValue.version)
    }

    /// The header's value.
    public var value: String {
        var pairs = [("version", version.rawValue), ("application_key", applicationKey)]
        if let activationId { pairs.append(("activation_id", activationId)) }
        return PowerAuthHeader.format(pairs)
    }
}

/// Why an encryption header is refused. The raw value is a diagnostic code for logs.
public enum EncryptionHeaderError: String, Error, Sendable, CaseIterable {
    /// Missing or not parseable.
    case empty = "POWER_AUTH_ENCRYPTION_INVALID_EMPTY"
    /// No application key.
    case applicationKeyEmpty = "POWER_AUTH_ENCRYPTION_APPLICATION_KEY_EMPTY"
    /// The application key is not Base64 of 16 bytes.
    case applicationKeyInvalid = "POWER_AUTH_ENCRYPTION_APPLICATION_KEY_INVALID"
    /// No activation id in activation scope.
    case activationIdMissing = "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_MISSING"
    /// The activation id is not a UUID.
    case activationIdInvalid = "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_INVALID"
    /// An activation id in application scope.
    case activationIdNotExpected = "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_NOT_EXPECTED"
    /// No version.
    case versionEmpty = "POWER_AUTH_ENCRYPTION_VERSION_EMPTY"
    /// A version that is not supported.
    case versionInvalid = "POWER_AUTH_ENCRYPTION_VERSION_INVALID"
}
