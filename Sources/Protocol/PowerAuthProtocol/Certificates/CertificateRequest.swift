// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A PKCS#10 request for a certificate of a P-256 or P-384 key, with the names that the certificate is for (RFC 2986; protocol.md,
/// section 10.1).
///
/// Immutable, and checked when it is made, so that signing cannot fail for what a caller has written.
public struct CertificateRequest: Sendable, Equatable {
    /// The subject, an ASN.1 `Name`.
    private let subject: Data
    /// The content of the attributes: the extension with the other names, or nothing.
    private let attributes: Data

    /// - Parameters:
    ///   - distinguishedNames: the parts of the subject by their short names (``subjectParts``, in any case). A value is
    ///     not empty, has no control character, and at most as many characters as RFC 5280, appendix A.1, allows. The
    ///     order in the request is that of ``subjectParts``.
    ///   - subjectAltNames: other names: `DNS:`, `IP:`, `email:` or `URI:` with the name behind, or the name alone, from
    ///     which its kind is found. They are ASCII; a host name with other letters is written as Punycode.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` without any name, for an unknown part and for an
    ///   unusable value, ``ProtocolError/invalidLength(field:expected:actual:)`` for a wrong number of characters.
    public init(distinguishedNames: [String: String], subjectAltNames: [String] = []) throws(ProtocolError) {
        guard !distinguishedNames.isEmpty || !subjectAltNames.isEmpty else {
            throw .invalidFormat(field: "subject", reason: "it has neither a distinguished nor an alternative name")
        }
        subject = DER.sequence(try SubjectPart.relativeNames(of: distinguishedNames))
        guard !subjectAltNames.isEmpty else {
            attributes = Data()
            return
        }
        var names: [Data] = []
        for name in subjectAltNames { names.append(try AlternativeName.encoded(name)) }
        // Where the subject is empty, a reader must not ignore the names (RFC 5280, section 4.2.1.6).
        let isCritical = distinguishedNames.isEmpty ? [DER.true] : []
        let alternatives = DER.sequence(
            [DER.objectIdentifier(2, 5, 29, 17)] + isCritical + [DER.element(.octetString, DER.sequence(names))])
        attributes = DER.sequence([
            DER.objectIdentifier(1, 2, 840, 113_549, 1, 9, 14), DER.element(.set, DER.sequence([alternatives])),
        ])
    }

    /// The short names of the parts that a subject may have, from the most general to the most specific.
    public static var subjectParts: [String] { SubjectPart.all.map(\.name) }

    /// The complete request in DER, with the key's public half and its signature (ECDSA with SHA-256).
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func signed(by key: PrivateKey) throws -> Data {
        try signed(
            curve: DER.objectIdentifier(1, 2, 840, 10_045, 3, 1, 7), point: key.publicKey.uncompressed,
            algorithm: DER.objectIdentifier(1, 2, 840, 10_045, 4, 3, 2)
        ) { try key.sign($0) }
    }

    /// The same for a key of protocol 4 (ECDSA with SHA-384).
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public func signed(by key: P384PrivateKey) throws -> Data {
        try signed(
            curve: DER.objectIdentifier(1, 3, 132, 0, 34), point: key.publicKey.uncompressed,
            algorithm: DER.objectIdentifier(1, 2, 840, 10_045, 4, 3, 3)
        ) { try key.sign($0) }
    }

    private func signed(curve: Data, point: Data, algorithm: Data, _ sign: (Data) throws -> Data) throws -> Data {
        let keyInfo = DER.sequence([
            DER.sequence([DER.objectIdentifier(1, 2, 840, 10_045, 2, 1), curve]), DER.bitString(point),
        ])
        let content = DER.sequence([DER.zero, subject, keyInfo, DER.element(.attributes, attributes)])
        return DER.sequence([content, DER.sequence([algorithm]), DER.bitString(try sign(content))])
    }

    /// A complete request as text (RFC 7468, section 7): lines of 64 characters, with a line feed behind the last one.
    /// - Parameter request: what ``signed(by:)`` returns.
    public static func pem(_ request: Data) -> String {
        let body = request.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE REQUEST-----\n\(body)\n-----END CERTIFICATE REQUEST-----\n"
    }
}

/// A part that a subject may have, with the rules for its value (RFC 5280, appendix A.1, and RFC 4519).
private struct SubjectPart {
    /// The short name of RFC 4514 or OpenSSL.
    let name: String
    let identifier: Data
    let type: DER.Tag
    /// Number of characters.
    let length: ClosedRange<Int>

    private init(_ name: String, _ identifier: Data, _ length: ClosedRange<Int>, _ type: DER.Tag = .utf8String) {
        (self.name, self.identifier, self.type, self.length) = (name, identifier, type, length)
    }

    static let all = [
        SubjectPart("DC", DER.objectIdentifier(0, 9, 2342, 19_200_300, 100, 1, 25), 1...63, .ia5String),
        SubjectPart("C", DER.objectIdentifier(2, 5, 4, 6), 2...2, .printableString),
        SubjectPart("ST", DER.objectIdentifier(2, 5, 4, 8), 1...128),
        SubjectPart("L", DER.objectIdentifier(2, 5, 4, 7), 1...128),
        SubjectPart("STREET", DER.objectIdentifier(2, 5, 4, 9), 1...128),
        SubjectPart("O", DER.objectIdentifier(2, 5, 4, 10), 1...64),
        SubjectPart("OU", DER.objectIdentifier(2, 5, 4, 11), 1...64),
        SubjectPart("title", DER.objectIdentifier(2, 5, 4, 12), 1...64),
        SubjectPart("SN", DER.objectIdentifier(2, 5, 4, 4), 1...64),
        SubjectPart("GN", DER.objectIdentifier(2, 5, 4, 42), 1...64),
        SubjectPart("CN", DER.objectIdentifier(2, 5, 4, 3), 1...64),
        SubjectPart("serialNumber", DER.objectIdentifier(2, 5, 4, 5), 1...64, .printableString),
        SubjectPart("UID", DER.objectIdentifier(0, 9, 2342, 19_200_300, 100, 1, 1), 1...256),
        SubjectPart("emailAddress", DER.objectIdentifier(1, 2, 840, 113_549, 1, 9, 1), 1...255, .ia5String),
    ]

    /// One relative name for each part that is given, in the order of ``all``.
    static func relativeNames(of values: [String: String]) throws(ProtocolError) -> [Data] {
        var given: [String: String] = [:]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard all.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                let known = all.map(\.name).joined(separator: ", ")
                throw .invalidFormat(field: "distinguished name \(name)", reason: "it must be one of \(known)")
            }
            guard given.updateValue(value, forKey: name.lowercased()) == nil else {
                throw .invalidFormat(field: "distinguished name \(name)", reason: "it is given twice")
            }
        }
        var names: [Data] = []
        for part in all {
            guard let value = given[part.name.lowercased()] else { continue }
            names.append(try part.relativeName(value))
        }
        return names
    }

    private func relativeName(_ value: String) throws(ProtocolError) -> Data {
        let field = "distinguished name \(name)"
        let count = value.unicodeScalars.count
        guard length.contains(count) else {
            let expected = length.count == 1 ? "\(length.lowerBound)" : "\(length.lowerBound) to \(length.upperBound)"
            throw .invalidLength(field: field, expected: "\(expected) characters", actual: count)
        }
        let (isAllowed, allowed): ((Unicode.Scalar) -> Bool, String) =
            switch type {
            case .printableString: (Self.isPrintable, "letters, digits, space and '()+,-./:=? of ASCII")
            case .ia5String: ({ $0.isASCII && !$0.isControl }, "printed characters of ASCII")
            default: ({ !$0.isControl }, "printed characters")
            }
        guard value.unicodeScalars.allSatisfy(isAllowed) else {
            throw .invalidFormat(field: field, reason: "it may have \(allowed) only")
        }
        let typed = DER.sequence([identifier, DER.element(type, Data(value.utf8))])
        return DER.element(.set, typed)
    }

    /// The characters of a `PrintableString` (X.680, clause 41.4).
    private static func isPrintable(_ character: Unicode.Scalar) -> Bool {
        character.isLetterOrDigit || " '()+,-./:=?".unicodeScalars.contains(character)
    }
}

/// Another name of the subject, an ASN.1 `GeneralName` (RFC 5280, section 4.2.1.6).
private enum AlternativeName {
    /// - Parameter name: with or without the name of its kind in front.
    static func encoded(_ name: String) throws(ProtocolError) -> Data {
        if let colon = name.firstIndex(of: ":") {
            let value = String(name[name.index(after: colon)...])
            switch name[..<colon].lowercased() {
            case "dns": return try encoded(value, .dnsName, "a host name such as *.example.com", isHost)
            case "email": return try encoded(value, .rfc822Name, "an address such as eva@example.com", isMailbox)
            case "uri": return try encoded(value, .uri, "an absolute URI such as https://example.com/", isURI)
            case "ip":
                guard let address = address(value) else {
                    throw refusal(name, "behind IP: an address of IPv4 or IPv6")
                }
                return DER.element(.ipAddress, address)
            default: break
            }
        }
        if let address = address(name) { return DER.element(.ipAddress, address) }
        if isMailbox(name) { return DER.element(.rfc822Name, Data(name.utf8)) }
        if name.contains("://"), isURI(name) { return DER.element(.uri, Data(name.utf8)) }
        return try encoded(name, .dnsName, "a host name, or one behind DNS:, IP:, email: or URI:", isHost)
    }

    private static func encoded(
        _ value: String, _ tag: DER.Tag, _ expected: String, _ isUsable: (String) -> Bool
    ) throws(ProtocolError) -> Data {
        guard isUsable(value) else { throw refusal(value, "\(expected), in ASCII") }
        return DER.element(tag, Data(value.utf8))
    }

    private static func refusal(_ name: String, _ expected: String) -> ProtocolError {
        .invalidFormat(field: "subject alternative name \(name)", reason: "expected is \(expected)")
    }

    /// A host name, whose first label may be an asterisk (RFC 1034, section 3.5).
    private static func isHost(_ name: String) -> Bool {
        guard name.utf8.count <= 253 else { return false }
        var labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.first == "*" { labels.removeFirst() }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.unicodeScalars.allSatisfy { $0.isLetterOrDigit || $0 == "-" }
        }
    }

    private static func isMailbox(_ name: String) -> Bool {
        let parts = name.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && isHost(String(parts[1]))
            && parts[0].unicodeScalars.allSatisfy { $0.isASCII && !$0.isControl && $0 != " " }
    }

    private static func isURI(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy { $0.isASCII && !$0.isControl && $0 != " " }
            && name.contains(/^[A-Za-z][A-Za-z0-9+.\-]*:./)
    }

    /// 4 or 16 bytes.
    private static func address(_ text: String) -> Data? {
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = Data(count: size)
            if bytes.withUnsafeMutableBytes({ inet_pton(family, text, $0.baseAddress) }) == 1 { return bytes }
        }
        return nil
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }

    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }
}
