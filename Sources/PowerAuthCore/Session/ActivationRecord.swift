internal import Foundation
internal import PowerAuthProtocol

/// What a session keeps of a completed activation, and all that is persisted (protocol.md, section 16.3).
///
/// Factor keys are stored locked; nothing in here is a plain key.
struct ActivationRecord: Equatable, Sendable {
    /// The signature counter, whose form tells the protocol version of the activation.
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

    /// `true` if every field has an acceptable size; data from outside are used only then.
    var isValid: Bool {
        passwordIterations >= Self.passwordIterations && passwordSalt.count == Self.keySize && !activationId.isEmpty
            && [possessionKey, knowledgeKey, transportKey].allSatisfy { $0.count == Self.keySize }
            && (biometryKey.map { $0.count == Self.keySize } ?? true) && !serverPublicKey.isEmpty
            && !devicePrivateKey.isEmpty
    }
}
