// SPDX-License-Identifier: Apache-2.0

/// The algorithms of one activation of protocol 4 (protocol-4.md, section 1). A value holds all that it needs: a hybrid
/// suite exists only together with its lattice algorithms, see `PowerAuthPostQuantum`.
public struct CryptographySuite: Sendable, Equatable, CustomStringConvertible {
    /// The names of the suites on the wire.
    public enum Name: String, Sendable, CaseIterable, Codable {
        /// P-384 alone.
        case ecP384 = "EC_P384"
        /// P-384 with ML-KEM-768 and ML-DSA-65, the default of SDK 2.0.
        case ecP384MLL3 = "EC_P384_ML_L3"
        /// P-384 with ML-KEM-1024 and ML-DSA-87.
        case ecP384MLL5 = "EC_P384_ML_L5"

        /// The lattice algorithms of a hybrid suite.
        public var lattice: (kem: LatticeAlgorithm, signature: LatticeAlgorithm)? {
            switch self {
            case .ecP384: nil
            case .ecP384MLL3: (.mlkem768, .mldsa65)
            case .ecP384MLL5: (.mlkem1024, .mldsa87)
            }
        }
    }

    /// The name on the wire.
    public let name: Name
    /// ML-KEM of a hybrid suite.
    package let kem: (any LatticeKEM)?
    /// ML-DSA of a hybrid suite.
    package let signature: (any LatticeSignature)?

    /// P-384 alone.
    public static let ecP384 = Self(name: .ecP384, kem: nil, signature: nil)

    private init(name: Name, kem: (any LatticeKEM)?, signature: (any LatticeSignature)?) {
        self.name = name
        self.kem = kem
        self.signature = signature
    }

    /// A hybrid suite.
    /// - Precondition: the algorithms are those of the suite.
    public init(hybrid name: Name, kem: any LatticeKEM, signature: any LatticeSignature) {
        precondition(
            name.lattice.map { $0 == (kem.algorithm, signature.algorithm) } ?? false,
            "\(name.rawValue) has other algorithms than \(kem.algorithm) and \(signature.algorithm)")
        self.init(name: name, kem: kem, signature: signature)
    }

    /// Requires the name of this suite in a message of the other side, which must not choose a weaker one.
    func require(_ other: String) throws {
        guard other == name.rawValue else {
            throw ProtocolError.invalidFormat(field: "algorithm", reason: "it is \(other), expected \(name.rawValue)")
        }
    }

    /// Two values with one name are the same suite.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }

    /// The name on the wire.
    public var description: String { name.rawValue }

    /// What `pa_version`, the header of encryption and the derivations say.
    static let version = "4.0"
}
