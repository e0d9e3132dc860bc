internal import COpenSSL
public import Foundation

/// The symmetric signature of a request (protocol.md, sections 9.1 and 9.3).
public enum RequestSignature {
    /// What stands for the application secret in offline signatures.
    public static let offlineSecretText = "offline"

    /// The bytes that are signed.
    /// - Parameters:
    ///   - method: HTTP method; upper-cased.
    ///   - uriId: the agreed constant, not the URL.
    ///   - nonce: Base64 text of 16 bytes, exactly as in the header.
    ///   - body: the final body; empty for none. For GET see ``canonicalQuery(_:)``.
    ///   - applicationSecretText: Base64 text of the application secret, or ``offlineSecretText``.
    public static func normalize(
        method: String, uriId: String, nonce: String, body: Data, applicationSecretText: String
    ) -> Data {
        var data = Data(method.uppercased().utf8)
        data.append(Self.separator)
        data.append(Data(uriId.utf8).base64EncodedData())
        data.append(Self.separator)
        data.append(contentsOf: nonce.utf8)
        data.append(Self.separator)
        data.append(body.base64EncodedData())
        data.append(Self.separator)
        data.append(contentsOf: applicationSecretText.utf8)
        return data
    }

    /// Completes data that a front server normalised without the secret.
    public static func appendSecret(_ applicationSecretText: String, to data: Data) -> Data {
        data + [separator] + Data(applicationSecretText.utf8)
    }

    /// One component of 32 bytes a factor.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a factor combination that is not valid.
    public static func components(keys: SignatureKeys, counter: CounterData, data: Data) throws -> [Data] {
        guard keys.factors.isValid else {
            throw ProtocolError.invalidFormat(
                field: "signature factors", reason: "knowledge and biometry need possession, and no factor is nothing")
        }
        let keys = keys.ordered
        let mac = HMACSHA256()
        // HMAC(keys[j], CTR) serves every component from j on, and the chain's current value: 32 bytes each.
        return withUnsafeTemporaryAllocation(byteCount: 32 * (keys.count + 1), alignment: 8) { scratch in
            defer { OPENSSL_cleanse(scratch.baseAddress, scratch.count) }
            let chain = UnsafeMutableRawBufferPointer(rebasing: scratch[(32 * keys.count)...])
            return keys.indices.map { index in
                let own = UnsafeMutableRawBufferPointer(rebasing: scratch[(32 * index)..<(32 * index + 32)])
                keys[index].withUnsafeBytes { key in
                    counter.withUnsafeBytes { mac.compute(key: key, $0, into: own) }
                }
                chain.copyMemory(from: UnsafeRawBufferPointer(own))
                for earlier in 0..<index {
                    // The chain of component i runs over keys 1 … i; their values are already in `scratch`.
                    let link = UnsafeRawBufferPointer(rebasing: scratch[(32 * earlier + 32)..<(32 * earlier + 64)])
                    mac.compute(key: link, UnsafeRawBufferPointer(chain), into: chain)
                }
                var component = Data(count: 32)
                component.withUnsafeMutableBytes { output in
                    data.withUnsafeBytes { mac.compute(key: UnsafeRawBufferPointer(chain), $0, into: output) }
                }
                return component
            }
        }
    }

    /// The online form of 3.1 and later: Base64 of the last 16 bytes of each component.
    public static func base64(_ components: [Data]) -> String {
        StrictBase64.encode(components.reduce(into: Data()) { $0.append($1.suffix(16)) })
    }

    /// The decimal form, components joined by dashes.
    /// - Parameter length: digits a component, 4 to 8.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for another number of digits.
    public static func decimal(_ components: [Data], length: Int = 8) throws -> String {
        try components.map { try Decimalization.decimal($0, length: length) }.joined(separator: "-")
    }

    /// The signature of an online request in the form of `version`.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a factor combination that is not valid.
    public static func online(
        version: ProtocolVersion, keys: SignatureKeys, counter: CounterData, data: Data
    ) throws -> String {
        try SignatureForm.online(version).format(components(keys: keys, counter: counter, data: data))
    }

    /// An offline signature (section 9.8).
    /// - Parameters:
    ///   - nonce: the given Base64 text of 16 bytes.
    ///   - body: the bytes to approve.
    ///   - length: digits a component, 4 to 8.
    /// - Throws: ``ProtocolError`` naming the parameter that is wrong.
    public static func offline(
        keys: SignatureKeys, counter: CounterData, uriId: String, nonce: String, body: Data, length: Int = 8
    ) throws -> String {
        try validateNonce(nonce)
        guard Decimalization.lengths.contains(length) else {
            throw ProtocolError.invalidLength(field: "component length", expected: "4 to 8 digits", actual: length)
        }
        let data = normalize(
            method: "POST", uriId: uriId, nonce: nonce, body: body, applicationSecretText: offlineSecretText)
        return try decimal(components(keys: keys, counter: counter, data: data), length: length)
    }

    /// Requires a nonce of 24 characters that decode to exactly 16 bytes (section 22.9: 24 characters may
    /// also hold 17 or 18 bytes).
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for another number of characters,
    ///   ``ProtocolError/invalidEncoding(field:)`` for anything that is not Base64 of 16 bytes.
    public static func validateNonce(_ nonce: String) throws {
        guard nonce.utf8.count == 24 else {
            throw ProtocolError.invalidLength(field: "nonce", expected: "24 characters", actual: nonce.utf8.count)
        }
        guard StrictBase64.decode(nonce)?.count == 16 else { throw ProtocolError.invalidEncoding(field: "nonce") }
    }

    /// What a client may sign: a known method and a uriId (section 9.1).
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` or ``ProtocolError/missing(field:)``.
    public static func validateRequest(method: String, uriId: String) throws {
        guard ["GET", "POST", "HEAD", "PUT", "DELETE", "PATCH"].contains(method) else {
            throw ProtocolError.invalidFormat(
                field: "method", reason: "it must be GET, POST, HEAD, PUT, DELETE or PATCH")
        }
        guard !uriId.isEmpty else { throw ProtocolError.missing(field: "uriId") }
    }

    private static let separator = UInt8(ascii: "&")
}

/// How the components of a signature are written.
public enum SignatureForm: Sendable, Equatable {
    /// Base64 of the last 16 bytes of each component.
    case base64
    /// Decimal digits, so many a component.
    case decimal(length: Int)

    /// The online form of a version: decimal in 3.0, Base64 later.
    public static func online(_ version: ProtocolVersion) -> Self {
        version == .v3_0 ? .decimal(length: 8) : .base64
    }

    /// Writes the components.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for an impossible number of digits.
    public func format(_ components: [Data]) throws -> String {
        switch self {
        case .base64: RequestSignature.base64(components)
        case .decimal(let length): try RequestSignature.decimal(components, length: length)
        }
    }
}
