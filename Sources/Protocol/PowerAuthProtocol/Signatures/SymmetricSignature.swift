// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// The symmetric signature of a request (protocol.md, sections 9.1 and 9.3).
public enum SymmetricSignature {
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
        let request = SignedRequest(
            method: method, uriId: uriId, nonce: nonce, body: body, applicationSecretText: applicationSecretText)
        return request.normalizedData
    }

    /// Completes data that a front server normalised without the secret.
    public static func appendSecret(_ applicationSecretText: String, to data: Data) -> Data {
        data + [UInt8(ascii: "&")] + Data(applicationSecretText.utf8)
    }

    /// One component of 32 bytes a factor.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a factor combination that is not valid.
    public static func components(keys: SignatureKeys, counter: CounterData, data: Data) throws -> [Data] {
        try data.withUnsafeBytes { data in
            try withComponents(keys: keys, counter: counter, data: data) { components in
                stride(from: 0, to: components.count, by: 32).map { Data(components[$0..<($0 + 32)]) }
            }
        }
    }

    /// Lends the components, 32 bytes each and one after the other, for the time of the call.
    static func withComponents<Result>(
        keys: SignatureKeys, counter: CounterData, data: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard keys.factors.isValid else {
            throw ProtocolError.invalidFormat(
                field: "signature factors", reason: "knowledge and biometry need possession; a factor is required")
        }
        let count = keys.count
        let mac = HMACSHA256()
        // HMAC(keys[j], CTR) serves every component from j on; then the components; then the chain's value.
        return try withUnsafeTemporaryAllocation(byteCount: 32 * (2 * count + 1), alignment: 8) { scratch in
            defer { OPENSSL_cleanse(scratch.baseAddress, scratch.count) }
            func slot(_ index: Int) -> UnsafeMutableRawBufferPointer {
                UnsafeMutableRawBufferPointer(rebasing: scratch[(32 * index)..<(32 * index + 32)])
            }
            let chain = slot(2 * count)
            var index = 0
            func add(_ key: borrowing SecretBytes) {
                key.withUnsafeBytes { key in counter.withUnsafeBytes { mac.compute(key: key, $0, into: slot(index)) } }
                chain.copyMemory(from: UnsafeRawBufferPointer(slot(index)))
                // The chain of component i runs over keys 1 … i, whose values are already there.
                for link in 0..<index {
                    mac.compute(key: UnsafeRawBufferPointer(slot(link + 1)), UnsafeRawBufferPointer(chain), into: chain)
                }
                mac.compute(key: UnsafeRawBufferPointer(chain), data, into: slot(count + index))
                index += 1
            }
            if let key = keys.possession { add(key.bytes) }
            if let key = keys.knowledge { add(key.bytes) }
            if let key = keys.biometry { add(key.bytes) }
            return try body(UnsafeRawBufferPointer(rebasing: scratch[(32 * count)..<(64 * count)]))
        }
    }

    /// The signature of an online request in the form of `version`.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a factor combination that is not valid.
    public static func online(
        version: ProtocolVersion, keys: SignatureKeys, counter: CounterData, data: Data
    ) throws -> String {
        try signature(form: .online(version), keys: keys, counter: counter, data: data)
    }

    /// The signature in a given form.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a factor combination that is not valid,
    ///   ``ProtocolError/invalidLength(field:expected:actual:)`` for an impossible number of digits.
    public static func signature(
        form: SignatureForm, keys: SignatureKeys, counter: CounterData, data: Data
    ) throws -> String {
        try data.withUnsafeBytes { data in
            try withComponents(keys: keys, counter: counter, data: data) { try form.format($0) }
        }
    }

    /// The signature of a request, normalised on the way.
    /// - Throws: as ``signature(form:keys:counter:data:)``.
    public static func signature(
        form: SignatureForm, keys: SignatureKeys, counter: CounterData, request: SignedRequest
    ) throws -> String {
        try request.withNormalizedBytes { data in
            try withComponents(keys: keys, counter: counter, data: data) { try form.format($0) }
        }
    }

    /// A fresh nonce for an online signature: Base64 text of 16 random bytes, 24 characters.
    public static func randomNonce() -> String { Random.nonZeroText(16) }

    /// An offline signature (protocol.md, section 9.8).
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
        return try signature(
            form: .decimal(length: length), keys: keys, counter: counter,
            request: SignedRequest(
                method: "POST", uriId: uriId, nonce: nonce, body: body, applicationSecretText: offlineSecretText))
    }

    /// Requires a nonce of 24 characters that decode to exactly 16 bytes (protocol.md, section 22, item 9: 24
    /// characters may also hold 17 or 18 bytes).
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for another number of characters,
    ///   ``ProtocolError/invalidEncoding(field:)`` for anything that is not Base64 of 16 bytes.
    public static func validateNonce(_ nonce: String) throws {
        guard nonce.utf8.count == 24 else {
            throw ProtocolError.invalidLength(field: "nonce", expected: "24 characters", actual: nonce.utf8.count)
        }
        guard StrictBase64.decode(nonce)?.count == 16 else { throw ProtocolError.invalidEncoding(field: "nonce") }
    }

    /// What a client may sign: a known method and a uriId (protocol.md, section 9.1).
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` or ``ProtocolError/missing(field:)``.
    public static func validateRequest(method: String, uriId: String) throws {
        guard ["GET", "POST", "HEAD", "PUT", "DELETE", "PATCH"].contains(method) else {
            throw ProtocolError.invalidFormat(
                field: "method", reason: "it must be GET, POST, HEAD, PUT, DELETE or PATCH")
        }
        guard !uriId.isEmpty else { throw ProtocolError.missing(field: "uriId") }
    }
}

/// The server's search for the counter a received signature was made with (protocol.md, section 9.6).
public enum ServerSignatureVerification {
    /// Keys and signed data that may have made the signature. Online there is one; offline there is one for
    /// every accepted factor combination and every accepted one-time code.
    public struct Candidate: Sendable {
        /// The factor keys.
        public let keys: SignatureKeys
        /// The signed bytes, see ``SymmetricSignature/normalize(method:uriId:nonce:body:applicationSecretText:)``.
        public let data: Data

        /// Takes keys and data.
        public init(keys: SignatureKeys, data: Data) {
            self.keys = keys
            self.data = data
        }
    }

    /// Where a signature was found.
    public struct Match: Sendable, Equatable {
        /// How far ahead of the server the client was, 0 or more.
        public let distance: Int
        /// Index of the candidate that matched.
        public let candidate: Int
        /// What the server stores: the counter data after the matched one. The numeric counter grows by `distance + 1`.
        public let nextCounter: CounterData
    }

    /// Tries every candidate at every counter of the window `[counter, counter + lookAhead)`.
    ///
    /// Each comparison takes constant time. Nil leaves the stored counter as it is.
    /// - Throws: ``ProtocolError`` for a candidate with a factor combination or form that is not valid.
    public static func match(
        signature: String, form: SignatureForm, candidates: [Candidate], counter: CounterData, lookAhead: Int
    ) throws -> Match? {
        try CounterWindow.match(
            signature, candidates: candidates, counter: counter, lookAhead: lookAhead, next: { $0.next() }
        ) { candidate, counter in
            try SymmetricSignature.signature(
                form: form, keys: candidate.keys, counter: counter, data: candidate.data)
        }.map { Match(distance: $0.distance, candidate: $0.candidate, nextCounter: $0.nextCounter) }
    }

    /// The same for one set of keys and the form of an online request.
    public static func match(
        signature: String, version: ProtocolVersion, keys: SignatureKeys, data: Data, counter: CounterData,
        lookAhead: Int
    ) throws -> Match? {
        try match(
            signature: signature, form: .online(version), candidates: [Candidate(keys: keys, data: data)],
            counter: counter, lookAhead: lookAhead)
    }
}
