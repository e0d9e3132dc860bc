public import Foundation

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
        /// What the server stores: the counter data after the matched one. The numeric counter grows by
        /// `distance + 1`.
        public let nextCounter: CounterData
    }

    /// Tries every candidate at every counter of the window `[counter, counter + lookAhead)`.
    ///
    /// Each comparison takes constant time. Nil leaves the stored counter as it is.
    /// - Throws: ``ProtocolError`` for a candidate with a factor combination or form that is not valid.
    public static func match(
        signature: String, form: SignatureForm, candidates: [Candidate], counter: CounterData, lookAhead: Int
    ) throws -> Match? {
        var current = counter
        for distance in 0..<max(0, lookAhead) {
            for (index, candidate) in candidates.enumerated() {
                let expected = try SymmetricSignature.signature(
                    form: form, keys: candidate.keys, counter: current, data: candidate.data)
                if constantTimeEquals(expected, signature) {
                    return Match(distance: distance, candidate: index, nextCounter: current.next())
                }
            }
            current = current.next()
        }
        return nil
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
