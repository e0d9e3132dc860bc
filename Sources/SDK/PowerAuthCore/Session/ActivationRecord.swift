import Foundation
import PowerAuthProtocol

/// What a session keeps of a completed activation, and all that is persisted (protocol.md, section 16.3).
///
/// Factor keys are stored locked; nothing in here is a plain key.
struct ActivationRecord: Equatable, Sendable {
    /// The signature counter, whose form gives the protocol version of the activation.
    enum Counter: Equatable, Sendable {
        /// Numeric counter of protocol V2.
        case numeric(UInt64)
        /// Hash-based counter of protocol V3, with the low byte of the server's counter if it is known.
        case hash(CounterData, byte: UInt8?)
    }

    /// Size of a locked factor key and of the salt, in bytes.
    static let keySize = 16
    /// Iterations of PBKDF2; stored data with fewer are refused.
    static let passwordIterations: UInt32 = 10_000

    var counter: Counter
    let activationId: String
    var passwordIterations = Self.passwordIterations
    /// Salt of the password, 16 bytes.
    var passwordSalt: Data
    /// `C_POSSESSION`, 16 bytes.
    var possessionKey: Data
    /// `C_KNOWLEDGE`, 16 bytes.
    var knowledgeKey: Data
    /// `C_BIOMETRY`, 16 bytes; `nil` without a biometry factor.
    var biometryKey: Data?
    /// `C_TRANSPORT`, 16 bytes.
    var transportKey: Data
    /// Server's public key of the activation, 33 or 65 bytes.
    let serverPublicKey: Data
    /// Device's public key, 33 bytes; empty in very old data.
    let devicePublicKey: Data
    /// `C_DEVICE_PRIVATE`.
    let devicePrivateKey: Data
    /// `C_RECOVERY`; `nil` if the server issued no recovery data.
    var recoveryData: Data?
    var usesExternalEncryptionKey = false
    var pendingUpgradeVersion = PowerAuthCoreProtocolVersion.NA

    var protocolVersion: PowerAuthCoreProtocolVersion {
        switch counter {
        case .numeric: .V2
        case .hash: .V3
        }
    }

    /// Counter data for the next signature.
    var counterData: CounterData {
        switch counter {
        case .numeric(let value): CounterData(legacyCounter: value)
        case .hash(let data, _): data
        }
    }

    /// Moves the counter after a signature.
    mutating func advanceCounter() {
        switch counter {
        case .numeric(let value): counter = .numeric(value &+ 1)
        case .hash(let data, let byte): counter = .hash(data.next(), byte: byte.map { $0 &+ 1 })
        }
    }

    /// Requires an acceptable size of every field; data from outside are used only then.
    /// - Throws: ``ProtocolError`` naming the field.
    func validate() throws(ProtocolError) {
        guard passwordIterations >= Self.passwordIterations else {
            throw .invalidFormat(field: "password iterations", reason: "fewer than \(Self.passwordIterations)")
        }
        let keys = [
            ("password salt", passwordSalt), ("possession key", possessionKey), ("knowledge key", knowledgeKey),
            ("transport key", transportKey), ("biometry key", biometryKey ?? possessionKey),
        ]
        for (field, key) in keys where key.count != Self.keySize {
            throw .invalidLength(field: field, expected: "\(Self.keySize) bytes", actual: key.count)
        }
        guard !activationId.isEmpty else { throw .missing(field: "activation id") }
        guard !serverPublicKey.isEmpty else { throw .missing(field: "server public key") }
        guard !devicePrivateKey.isEmpty else { throw .missing(field: "device private key") }
    }
}
