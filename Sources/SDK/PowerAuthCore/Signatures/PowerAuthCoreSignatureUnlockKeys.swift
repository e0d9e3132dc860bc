public import Foundation

/// Keys that unlock the factor keys stored in a session (protocol.md, section 14.1).
/// A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreSignatureUnlockKeys {
    /// 16 bytes derived from the device's identity; not all zero. Unlocks the possession factor and the transport key.
    public var possessionUnlockKey: Data?
    /// 16 bytes that protect the transport key of an activation that is being completed, when the possession factor
    /// gets another key than the device's; nil takes ``possessionUnlockKey``. Status, encryption and vault unlock it
    /// later with the device's key, regardless of the signing key.
    package var transportUnlockKey: Data?
    /// 16 random bytes kept behind the device's biometry; not all zero.
    public var biometryUnlockKey: Data?
    /// Password of the user, at least 4 bytes.
    public var userPassword: PowerAuthCorePassword?

    /// Makes a set of unlock keys; pass those that the operation needs.
    public init(
        possessionUnlockKey: Data? = nil, biometryUnlockKey: Data? = nil, userPassword: PowerAuthCorePassword? = nil
    ) {
        self.possessionUnlockKey = possessionUnlockKey
        self.biometryUnlockKey = biometryUnlockKey
        self.userPassword = userPassword
    }
}
