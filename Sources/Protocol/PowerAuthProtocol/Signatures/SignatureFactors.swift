// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The factors that take part in a signature, with the mask values of protocol.md, section 9.4.
public struct SignatureFactors: OptionSet, Sendable, Hashable {
    /// The mask.
    public let rawValue: Int

    /// Takes a mask.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Something the user has.
    public static let possession = Self(rawValue: 0x0001)
    /// Something the user knows.
    public static let knowledge = Self(rawValue: 0x0010)
    /// Something the user is.
    public static let biometry = Self(rawValue: 0x0100)

    /// Not empty, nothing unknown, and not knowledge and biometry without possession.
    public var isValid: Bool { SignatureType(self) != nil }
}

/// The valid factor combinations under their header values (protocol.md, section 9.4).
public enum SignatureType: String, Sendable, CaseIterable, Codable {
    /// One factor.
    case possession
    /// One factor that no standard endpoint accepts.
    case knowledge
    /// One factor that no standard endpoint accepts.
    case biometry
    /// Two factors.
    case possessionKnowledge = "possession_knowledge"
    /// Two factors.
    case possessionBiometry = "possession_biometry"
    /// Three factors.
    case possessionKnowledgeBiometry = "possession_knowledge_biometry"

    /// The type of a factor combination, nil for one that is not valid.
    public init?(_ factors: SignatureFactors) {
        switch factors {
        case .possession: self = .possession
        case .knowledge: self = .knowledge
        case .biometry: self = .biometry
        case [.possession, .knowledge]: self = .possessionKnowledge
        case [.possession, .biometry]: self = .possessionBiometry
        case [.possession, .knowledge, .biometry]: self = .possessionKnowledgeBiometry
        default: return nil
        }
    }

    /// Reads a header value regardless of case, as servers do.
    public init?(header: String) { self.init(rawValue: header.lowercased()) }

    /// The factors of this type.
    public var factors: SignatureFactors {
        switch self {
        case .possession: .possession
        case .knowledge: .knowledge
        case .biometry: .biometry
        case .possessionKnowledge: [.possession, .knowledge]
        case .possessionBiometry: [.possession, .biometry]
        case .possessionKnowledgeBiometry: [.possession, .knowledge, .biometry]
        }
    }
}

/// The factor keys of one signature, each under its own type; they are used in the order possession,
/// knowledge, biometry.
public struct SignatureKeys: Sendable {
    /// `K_POSSESSION`, when the factor takes part.
    public let possession: PossessionKey?
    /// `K_KNOWLEDGE`, when the factor takes part.
    public let knowledge: KnowledgeKey?
    /// `K_BIOMETRY`, when the factor takes part.
    public let biometry: BiometryKey?

    /// Takes the keys of the factors that take part.
    public init(possession: PossessionKey? = nil, knowledge: KnowledgeKey? = nil, biometry: BiometryKey? = nil) {
        self.possession = possession
        self.knowledge = knowledge
        self.biometry = biometry
    }

    /// Selects from the keys of an activation, as the server does.
    public init(_ keys: DerivedKeys, factors: SignatureFactors) {
        possession = factors.contains(.possession) ? keys.possession : nil
        knowledge = factors.contains(.knowledge) ? keys.knowledge : nil
        biometry = factors.contains(.biometry) ? keys.biometry : nil
    }

    /// The factors whose keys are present.
    public var factors: SignatureFactors {
        var factors: SignatureFactors = []
        if possession != nil { factors.insert(.possession) }
        if knowledge != nil { factors.insert(.knowledge) }
        if biometry != nil { factors.insert(.biometry) }
        return factors
    }

    var count: Int { (possession == nil ? 0 : 1) + (knowledge == nil ? 0 : 1) + (biometry == nil ? 0 : 1) }
}

/// How the components of a signature are written (protocol.md, section 9.3).
public enum SignatureForm: Sendable, Equatable {
    /// Base64 of the last 16 bytes of each component.
    case base64
    /// Decimal digits, so many a component.
    case decimal(length: Int)

    /// The online form of a version: decimal in 3.0, Base64 later.
    public static func online(_ version: ProtocolVersion) -> Self { version == .v3_0 ? .decimal(length: 8) : .base64 }

    /// Writes components of 32 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for an impossible number of digits, or for
    ///   bytes that are not components.
    public func format(_ components: [Data]) throws -> String {
        guard components.allSatisfy({ $0.count == 32 }) else {
            throw ProtocolError.invalidLength(
                field: "signature component", expected: "32 bytes", actual: components.map(\.count).max() ?? 0)
        }
        return try components.reduce(into: Data()) { $0.append($1) }.withUnsafeBytes { try format($0) }
    }

    /// Writes components that follow each other, 32 bytes each.
    func format(_ components: UnsafeRawBufferPointer) throws -> String {
        let starts = stride(from: 0, to: components.count, by: 32)
        switch self {
        case .base64:
            return withUnsafeTemporaryAllocation(byteCount: components.count / 2, alignment: 1) { halves in
                for start in starts {
                    UnsafeMutableRawBufferPointer(rebasing: halves[(start / 2)...])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: components[(start + 16)..<(start + 32)]))
                }
                return StrictBase64.encode(UnsafeRawBufferPointer(halves))
            }
        case .decimal(let length):
            return try starts.map {
                try Decimalization.decimal(Data(components[($0 + 28)..<($0 + 32)]), length: length)
            }.joined(separator: "-")
        }
    }
}
