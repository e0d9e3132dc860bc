// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A signed text with one signature for each algorithm of a suite: the general JSON serialization of RFC 7515, section
/// 7.2.1, and the compact one where there is a single signature (protocol-4.md, sections 6 and 13).
public struct JWS: Sendable, Equatable {
    private struct Entry: Sendable, Equatable, Codable {
        let protected: String
        let signature: String
    }

    private struct General: Codable {
        let payload: String
        let signatures: [Entry]
    }

    private struct Header: Codable {
        let alg: String
        // Extensions that must be understood; there are none (RFC 7515, section 4.1.11).
        let crit: [String]?
    }

    /// ECDSA on P-384, which every suite has; its signature is `r ‖ s`.
    private static let curveAlgorithm = "ES384"

    private let payload: String
    private let entries: [Entry]

    /// Signs a payload with all keys of a suite.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    public init(payload: Data, keys: SuitePrivateKeys) throws {
        let text = Base64URL.encode(payload)
        self.payload = text
        func entry(_ algorithm: String, _ sign: (Data) throws -> Data) rethrows -> Entry {
            let protected = Base64URL.encode(Data("{\"alg\":\"\(algorithm)\"}".utf8))
            let signature = try sign(Data("\(protected).\(text)".utf8))
            return Entry(protected: protected, signature: Base64URL.encode(signature))
        }
        var entries = [try entry(Self.curveAlgorithm) { try keys.ec.sign($0, format: .jose) }]
        if let lattice = keys.lattice, let signature = keys.suite.signature {
            entries.append(try entry(signature.algorithm.rawValue, lattice.sign))
        }
        self.entries = entries
    }

    /// Reads either serialization; nothing is verified yet.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)``, ``ProtocolError/invalidEncoding(field:)``.
    public init(_ text: String) throws {
        if text.utf8.first == UInt8(ascii: "{") {
            guard let general = try? JSONDecoder().decode(General.self, from: Data(text.utf8)) else {
                throw ProtocolError.invalidFormat(field: "jws", reason: "it is not a general JSON serialization")
            }
            try self.init(general)
        } else {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else {
                throw ProtocolError.invalidFormat(field: "jws", reason: "it must have three parts")
            }
            try self.init(General(payload: parts[1], signatures: [Entry(protected: parts[0], signature: parts[2])]))
        }
    }

    private init(_ general: General) throws {
        for (field, texts) in [
            ("payload", [general.payload]), ("header", general.signatures.map(\.protected)),
            ("signature", general.signatures.map(\.signature)),
        ] where texts.contains(where: { Base64URL.decode($0) == nil }) {
            throw ProtocolError.invalidEncoding(field: "jws \(field)")
        }
        payload = general.payload
        entries = general.signatures
    }

    /// The general JSON serialization.
    public var general: String {
        // Only Base64url is in it, which needs no escapes.
        let signatures = entries.map { "{\"protected\":\"\($0.protected)\",\"signature\":\"\($0.signature)\"}" }
        return "{\"payload\":\"\(payload)\",\"signatures\":[\(signatures.joined(separator: ","))]}"
    }

    /// The compact serialization, nil for more than one signature.
    public var compact: String? {
        guard entries.count == 1 else { return nil }
        return "\(entries[0].protected).\(payload).\(entries[0].signature)"
    }

    /// The payload, once every signature of the suite is found to hold. Their order makes no difference; a missing, a
    /// further and a repeated one are refused.
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)`` for signatures of other algorithms,
    ///   ``ProtocolError/invalidEncoding(field:)``, ``ProtocolError/signatureMismatch`` when one does not hold.
    public func verified(by keys: SuitePublicKeys) throws -> Data {
        let algorithms = [Self.curveAlgorithm] + (keys.suite.signature.map { [$0.algorithm.rawValue] } ?? [])
        var signatures: [String: Entry] = [:]
        for entry in entries {
            guard let data = Base64URL.decode(entry.protected),
                let header = try? JSONDecoder().decode(Header.self, from: data), header.crit == nil
            else { throw ProtocolError.invalidEncoding(field: "jws header") }
            signatures[header.alg] = entry
        }
        guard entries.count == algorithms.count, Set(signatures.keys) == Set(algorithms) else {
            throw ProtocolError.invalidFormat(
                field: "jws header",
                reason: "there must be one signature each of alg \(algorithms.joined(separator: " and "))")
        }
        // All are checked, so that the time does not say which one is wrong.
        let verdicts = try signatures.map { algorithm, entry in
            guard let signature = Base64URL.decode(entry.signature) else {
                throw ProtocolError.invalidEncoding(field: "jws signature")
            }
            let message = Data("\(entry.protected).\(payload)".utf8)
            return algorithm == Self.curveAlgorithm
                ? keys.ec.verify(signature: signature, of: message, format: .jose)
                : keys.verifyLattice(signature: signature, of: message)
        }
        guard verdicts.allSatisfy(\.self) else { throw ProtocolError.signatureMismatch }
        guard let data = Base64URL.decode(payload) else { throw ProtocolError.invalidEncoding(field: "jws payload") }
        return data
    }
}

extension JWS: Codable {
    /// Reads a member that holds the serialization as text, or the general one as an object: the vendor's documents do
    /// not say which (protocol-4.md, section 17, item 2).
    /// - Throws: ``ProtocolError/invalidFormat(field:reason:)``, or `DecodingError` for JSON of another shape.
    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            try self.init(text)
        } else {
            try self.init(General(from: decoder))
        }
    }

    /// Writes the general serialization as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(general)
    }
}
