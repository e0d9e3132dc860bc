import Foundation
import PowerAuthProtocol

/// Which biometry factor a session has.
///
/// Every factor is locked with a key of its own, so its locked form identifies the factor. The key itself cannot be
/// recognised: a wrong one unlocks a wrong factor without an error (protocol.md, section 14).
package enum BiometryFactorIdentity: Hashable, Sendable {
    /// There is no activation, or it has no biometry factor.
    case none
    /// A name of the factor: 32 hexadecimal digits, which change when the factor is replaced, and with nothing else. They
    /// betray neither the factor nor its key.
    case named(String)
    /// There is a factor, but this process lacks the external encryption key around it and cannot sign with it.
    case hidden
}

extension SessionMachine {
    func biometryFactorIdentity() -> BiometryFactorIdentity {
        guard let record = try? activated(), let locked = record.biometryKey else { return .none }
        guard record.usesExternalEncryptionKey else { return .named(Self.name(of: locked)) }
        guard let key = externalEncryptionKey, let inner = try? FactorKeyProtection.unwrap(locked, externalKey: key)
        else { return .hidden }
        return .named(Self.name(of: inner))
    }

    private static func name(of locked: Data) -> String {
        Digest.sha256(locked).prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

extension PowerAuthCoreSession {
    /// Which biometry factor the activation has. The same before and after an external encryption key is added or removed.
    package var biometryFactorIdentity: BiometryFactorIdentity {
        (try? read { machine in machine.biometryFactorIdentity() }) ?? .none
    }
}
