// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A parameter set of ML-KEM (FIPS 203). OpenSSL 3.0 has none: the module `PowerAuthPostQuantum` implements them, so that
/// programs that need no hybrid suite do not link a second cryptographic library.
public protocol LatticeKEM: Sendable {
    /// Which one it is.
    var algorithm: LatticeAlgorithm { get }
    /// A fresh key.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    func generateKey() throws -> any DecapsulationKey
    /// The key of a seed.
    /// - Parameter seed: 64 bytes, `d` and `z`.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    func key(seed: SecretBytes) throws -> any DecapsulationKey
    /// The sender's side.
    /// - Parameter publicKey: the bytes of FIPS 203, not a container.
    /// - Returns: the cipher text, and the secret of 32 bytes.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for bytes that are not a key.
    func encapsulate(to publicKey: Data) throws -> (ciphertext: Data, secret: SecretBytes)
}

/// A private key of ML-KEM.
public protocol DecapsulationKey: Sendable {
    /// The bytes of FIPS 203.
    var publicKey: Data { get }
    /// The recipient's side. A changed cipher text of the right size gives another secret, not an error.
    /// - Returns: 32 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for a cipher text of another size.
    func decapsulate(_ ciphertext: Data) throws -> SecretBytes
}

/// A parameter set of ML-DSA (FIPS 204), pure and with an empty context.
public protocol LatticeSignature: Sendable {
    /// Which one it is.
    var algorithm: LatticeAlgorithm { get }
    /// A fresh key.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    func generateKey() throws -> any LatticeSigningKey
    /// The key of a seed of 32 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    func key(seed: SecretBytes) throws -> any LatticeSigningKey
    /// A public key of the bytes of FIPS 204.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for bytes that are not a key.
    func publicKey(_ bytes: Data) throws -> any LatticeVerificationKey
}

/// A private key of ML-DSA.
public protocol LatticeSigningKey: Sendable {
    /// The 32 bytes that the key is made from.
    var seed: SecretBytes { get }
    /// The other half.
    var publicKey: any LatticeVerificationKey { get }
    /// A signature, raw.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of entropy or memory.
    func sign(_ message: Data) throws -> Data
}

/// A public key of ML-DSA.
public protocol LatticeVerificationKey: Sendable {
    /// The bytes of FIPS 204.
    var bytes: Data { get }
    /// Checks a signature; anything malformed does not verify.
    func verify(signature: Data, of message: Data) -> Bool
}

/// The lattice algorithms of the suites; the raw value is the name in JOSE (protocol-4.md, section 1).
public enum LatticeAlgorithm: String, Sendable, CaseIterable {
    /// ML-KEM-768.
    case mlkem768 = "ML-KEM-768"
    /// ML-KEM-1024.
    case mlkem1024 = "ML-KEM-1024"
    /// ML-DSA-65.
    case mldsa65 = "ML-DSA-65"
    /// ML-DSA-87.
    case mldsa87 = "ML-DSA-87"

    /// Bytes of a public key.
    public var publicKeySize: Int {
        switch self {
        case .mlkem768: 1184
        case .mlkem1024: 1568
        case .mldsa65: 1952
        case .mldsa87: 2592
        }
    }

    /// Bytes of a cipher text or of a signature.
    public var outputSize: Int {
        switch self {
        case .mlkem768: 1088
        case .mlkem1024: 1568
        case .mldsa65: 3309
        case .mldsa87: 4627
        }
    }

    /// The last two numbers of the identifier below 2.16.840.1.101.3.4.
    private var arcs: (UInt, UInt) {
        switch self {
        case .mlkem768: (4, 2)
        case .mlkem1024: (4, 3)
        case .mldsa65: (3, 18)
        case .mldsa87: (3, 19)
        }
    }

    /// The container in which the key travels: a DER `SubjectPublicKeyInfo` without parameters.
    /// - Parameter key: as many bytes as ``publicKeySize``.
    public func container(of key: Data) -> Data { prefix + key }

    /// The key of a container.
    /// - Parameter field: the name an error shall carry.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for another algorithm, size or encoding.
    public func key(in container: Data, field: String) throws -> Data {
        // The encoding is distinguished, so there is one spelling of everything before the key.
        let prefix = prefix
        guard container.count == prefix.count + publicKeySize, container.starts(with: prefix) else {
            throw ProtocolError.invalidKey(field)
        }
        return Data(Array(container.suffix(publicKeySize)))
    }

    private var prefix: Data {
        let (family, number) = arcs
        let identifier = DER.objectIdentifier(2, 16, 840, 1, 101, 3, 4, family, number)
        let container = DER.sequence([DER.sequence([identifier]), DER.bitString(Data(count: publicKeySize))])
        return container.dropLast(publicKeySize)
    }
}
