// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// The factor keys of one authentication code, used in the order possession, knowledge, biometry.
public struct AuthenticationKeys: Sendable {
    /// The possession factor, when it takes part.
    public let possession: Key256<KeyPurpose.Possession>?
    /// The knowledge factor, when it takes part.
    public let knowledge: Key256<KeyPurpose.Knowledge>?
    /// The biometry factor, when it takes part.
    public let biometry: Key256<KeyPurpose.Biometry>?

    /// Takes the keys of the factors that take part.
    public init(
        possession: Key256<KeyPurpose.Possession>? = nil, knowledge: Key256<KeyPurpose.Knowledge>? = nil,
        biometry: Key256<KeyPurpose.Biometry>? = nil
    ) {
        self.possession = possession
        self.knowledge = knowledge
        self.biometry = biometry
    }

    /// The factors whose keys are present.
    public var factors: SignatureFactors {
        var factors: SignatureFactors = []
        if possession != nil { factors.insert(.possession) }
        if knowledge != nil { factors.insert(.knowledge) }
        if biometry != nil { factors.insert(.biometry) }
        return factors
    }
}

/// The authentication code of a request in protocol 4 (protocol-4.md, section 9). The authenticated data is that of
/// version 3, see ``SignedRequest``.
public enum AuthenticationCode {
    /// How the components are written.
    public enum Form: Sendable, Equatable {
        /// Base64 of all components, the form of online requests.
        case base64
        /// Decimal digits, so many a component, the form without a connection.
        case decimal(length: Int)
    }

    /// One component of 32 bytes a factor.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a factor combination that is not valid.
    public static func components(keys: AuthenticationKeys, counter: HashBasedCounter, data: Data) throws -> [Data] {
        try data.withUnsafeBytes { data in
            try withComponents(keys: keys, counter: counter, data: data) { components in
                stride(from: 0, to: components.count, by: 32).map { Data(components[$0..<($0 + 32)]) }
            }
        }
    }

    /// Lends the components, 32 bytes each and one after the other, for the time of the call.
    private static func withComponents<Result>(
        keys: AuthenticationKeys, counter: HashBasedCounter, data: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard keys.factors.isValid else {
            throw ProtocolError.invalidFormat(
                field: "authentication factors", reason: "knowledge and biometry need possession; a factor is required")
        }
        let kmac = KMAC256()
        // The chain's value, then the components. The chain of a component runs over the keys of the factors up to its
        // own, and so begins as the one before.
        return try withUnsafeTemporaryAllocation(byteCount: 4 * 32, alignment: 8) { scratch in
            defer { OPENSSL_cleanse(scratch.baseAddress, scratch.count) }
            let chain = UnsafeMutableRawBufferPointer(rebasing: scratch[..<32])
            var end = 32
            func add(_ key: borrowing SecretBytes) {
                let previous = UnsafeRawBufferPointer(rebasing: scratch[..<(end == 32 ? 0 : 32)])
                key.withUnsafeBytes { key in
                    counter.withUnsafeBytes { kmac.compute(key: key, .code, $0, previous, into: chain) }
                }
                kmac.compute(
                    key: UnsafeRawBufferPointer(chain), .code, data,
                    into: UnsafeMutableRawBufferPointer(rebasing: scratch[end..<(end + 32)]))
                end += 32
            }
            if let key = keys.possession { add(key.bytes) }
            if let key = keys.knowledge { add(key.bytes) }
            if let key = keys.biometry { add(key.bytes) }
            return try body(UnsafeRawBufferPointer(rebasing: scratch[32..<end]))
        }
    }

    /// The code in a given form.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a factor combination that is not valid,
    ///   ``ProtocolError/invalidLength(field:expected:actual:)`` for an impossible number of digits.
    public static func code(
        form: Form, keys: AuthenticationKeys, counter: HashBasedCounter, data: Data
    ) throws -> String {
        try data.withUnsafeBytes { try code(form: form, keys: keys, counter: counter, data: $0) }
    }

    private static func code(
        form: Form, keys: AuthenticationKeys, counter: HashBasedCounter, data: UnsafeRawBufferPointer
    ) throws -> String {
        try withComponents(keys: keys, counter: counter, data: data) { components in
            switch form {
            case .base64: return StrictBase64.encode(components)
            case .decimal(let length):
                return try stride(from: 0, to: components.count, by: 32).map {
                    try Decimalization.decimal(Data(components[$0..<($0 + 32)]), length: length)
                }.joined(separator: "-")
            }
        }
    }

    /// The code of an online request.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for a factor combination that is not valid.
    public static func online(
        keys: AuthenticationKeys, counter: HashBasedCounter, request: SignedRequest
    ) throws -> String {
        try request.withNormalizedBytes { try code(form: .base64, keys: keys, counter: counter, data: $0) }
    }

    /// A code without a connection.
    /// - Parameters:
    ///   - nonce: the given Base64 text of 16 bytes.
    ///   - body: the bytes to approve.
    ///   - length: digits a component, 4 to 8.
    /// - Throws: ``ProtocolError`` naming the parameter that is wrong.
    public static func offline(
        keys: AuthenticationKeys, counter: HashBasedCounter, uriId: String, nonce: String, body: Data, length: Int = 8
    ) throws -> String {
        try SymmetricSignature.validateNonce(nonce)
        let request = SignedRequest(
            method: "POST", uriId: uriId, nonce: nonce, body: body,
            applicationSecretText: SymmetricSignature.offlineSecretText)
        return try code(form: .decimal(length: length), keys: keys, counter: counter, data: request.normalizedData)
    }

    /// Keys and data that may have made a code. Online there are several while a factor key has a *next* one; offline
    /// there is one for every accepted factor combination and one-time code.
    public struct Candidate: Sendable {
        /// The factor keys.
        public let keys: AuthenticationKeys
        /// The authenticated data, see ``SignedRequest/normalizedData``.
        public let data: Data

        /// Takes keys and data.
        public init(keys: AuthenticationKeys, data: Data) {
            self.keys = keys
            self.data = data
        }
    }

    /// Where a code was found.
    public struct Match: Sendable, Equatable {
        /// How far ahead of the server the client was, 0 or more.
        public let distance: Int
        /// Index of the candidate that matched, from which the server learns that a *next* key is in use (protocol-4.md,
        /// section 17, item 6).
        public let candidate: Int
        /// What the server stores: the counter after the matched one. The numeric counter grows by `distance + 1`.
        public let nextCounter: HashBasedCounter
    }

    /// Tries every candidate at every counter of the window `[counter, counter + lookAhead)`.
    ///
    /// Each comparison takes constant time. Nil leaves the stored counter as it is.
    /// - Throws: ``ProtocolError`` for a candidate with a factor combination or form that is not valid.
    public static func match(
        code: String, form: Form, candidates: [Candidate], counter: HashBasedCounter, lookAhead: Int
    ) throws -> Match? {
        try CounterWindow.match(
            code, candidates: candidates, counter: counter, lookAhead: lookAhead, next: { $0.next() }
        ) { candidate, counter in
            try self.code(form: form, keys: candidate.keys, counter: counter, data: candidate.data)
        }.map { Match(distance: $0.distance, candidate: $0.candidate, nextCounter: $0.nextCounter) }
    }
}
