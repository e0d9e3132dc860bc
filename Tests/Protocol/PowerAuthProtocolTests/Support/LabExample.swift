import Foundation
import PowerAuthProtocol

/// The inputs of the worked example (protocol.md, section 19.1).
enum LabExample {
    static let applicationKeyText = "AAECAwQFBgcICQoLDA0ODw=="
    static let applicationSecretText = "EBESExQVFhcYGRobHB0eHw=="
    static let activationId = "7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11"
    static let temporaryKeyId = "2b1f0c6e-9a54-4e5a-8a3c-0d9b7f3e6c21"
    static let nonce = counting(16, from: 0x20)
    static let nonceText = "ICEiIyQlJicoKSorLC0uLw=="
    static let timestamp: UInt64 = 1_735_689_600_000
    static let counterBytes = counting(16, from: 0xA0)

    static func key(_ label: String) throws -> PrivateKey {
        try PrivateKey(bigEndian: Digest.sha256(label.utf8Data))
    }

    static func masterKey() throws -> PrivateKey { try key("lab master server key") }
    static func deviceKey() throws -> PrivateKey { try key("lab device key") }
    static func serverKey() throws -> PrivateKey { try key("lab server key") }
    static func ephemeralKey() throws -> PrivateKey { try key("lab ephemeral key") }

    static func counter() throws -> CounterData { try CounterData(counterBytes) }

    static func masterSecret() throws -> MasterSecretKey {
        try .derive(private: deviceKey(), public: serverKey().publicKey)
    }

    static func keys() throws -> DerivedKeys { DerivedKeys(masterSecret: try masterSecret()) }
}
