/// The five keys both sides derive from the master secret (protocol.md, section 3).
public struct DerivedKeys: Sendable {
    /// `K_POSSESSION`, index 1.
    public let possession: PossessionKey
    /// `K_KNOWLEDGE`, index 2.
    public let knowledge: KnowledgeKey
    /// `K_BIOMETRY`, index 3.
    public let biometry: BiometryKey
    /// `KEY_TRANSPORT`, index 1000.
    public let transport: TransportKey
    /// `KEY_VAULT`, index 2000.
    public let vault: VaultKey

    /// Derives all five.
    public init(masterSecret: MasterSecretKey) {
        possession = KDF.derive(masterSecret, index: 1)
        knowledge = KDF.derive(masterSecret, index: 2)
        biometry = KDF.derive(masterSecret, index: 3)
        transport = KDF.derive(masterSecret, index: 1000)
        vault = KDF.derive(masterSecret, index: 2000)
    }
}

extension MasterSecretKey {
    /// `MasterSecret`: the folded result of ECDH. The client passes its device key and the server's
    /// public key, the server the other two; both get the same.
    /// - Throws: ``ProtocolError/cryptographicFailure(_:)`` for lack of memory.
    public static func derive(private privateKey: PrivateKey, public publicKey: PublicKey) throws -> Self {
        let secret = try privateKey.sharedSecret(with: publicKey)
        return Self { output in secret.withUnsafeBytes { KDF.fold($0, into: output) } }
    }
}
