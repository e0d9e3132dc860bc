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

    /// Number of factors that take part.
    var count: Int { (possession == nil ? 0 : 1) + (knowledge == nil ? 0 : 1) + (biometry == nil ? 0 : 1) }
}
