public import Foundation

/// A key of the application that additionally protects knowledge and biometry (sdk.md, section 5.14).
extension PowerAuthSDK {
    /// True when a key is set in memory. It does not tell whether the activation uses one.
    public var hasExternalEncryptionKey: Bool { session.readBoolTask { $0.hasExternalEncryptionKey } }

    /// Provides the key before an activation, or to an activation that uses one.
    ///
    /// - Parameter externalEncryptionKey: 16 bytes.
    /// - Throws: `wrongParameter` for another key than the one that is set, or for one of another size;
    ///   `invalidActivationState` when none is set and the activation uses none.
    public func setExternalEncryptionKey(_ externalEncryptionKey: Data) throws {
        try nsError {
            try session.read { core in
                try check(
                    core.setExternalEncryptionKey(externalEncryptionKey), wrongState: "Activation is not using EEK")
            }
        }
        setConfiguredExternalEncryptionKey(externalEncryptionKey)
    }

    /// Starts to protect the activation with the key.
    ///
    /// - Parameter externalEncryptionKey: 16 bytes.
    /// - Throws: `missingActivation` without an activation, `invalidActivationState` when a key is set or in use,
    ///   `wrongParameter` for a key of another size, `encryption` otherwise.
    public func addExternalEncryptionKey(_ externalEncryptionKey: Data) throws {
        try changeKey { core in
            if core.hasExternalEncryptionKey {
                throw NSError.powerAuth(.invalidActivationState, "EEK is already set")
            }
            guard core.hasValidActivation else { throw NSError.powerAuth(.missingActivation) }
            try check(
                core.addExternalEncryptionKey(externalEncryptionKey), wrongState: "Activation is already using EEK")
        }
        setConfiguredExternalEncryptionKey(externalEncryptionKey)
    }

    /// Stops to protect the activation with the key.
    ///
    /// - Throws: `invalidActivationState` when no key is set or in use, `missingActivation` without an activation,
    ///   `encryption` otherwise.
    public func removeExternalEncryptionKey() throws {
        try changeKey { core in
            guard core.hasExternalEncryptionKey else {
                throw NSError.powerAuth(.invalidActivationState, "EEK is not set")
            }
            guard core.hasValidActivation else { throw NSError.powerAuth(.missingActivation) }
            try check(core.removeExternalEncryptionKey(), wrongState: "EEK is not set")
        }
        setConfiguredExternalEncryptionKey(nil)
    }

    /// Runs a change of state and key as a write task.
    ///
    /// A state that cannot be stored is loaded again, but the key is in memory only: it would stay changed, fit the state no
    /// more, and neither signatures nor another change would be possible.
    private func changeKey(_ change: (PowerAuthCoreSession) throws -> Void) throws(NSError) {
        var undo: (() -> Void)?
        do throws(NSError) {
            try nsError {
                try session.write { core in
                    let before = core.sessionSetup.externalEncryptionKey
                    try change(core)
                    undo = { core.restoreExternalEncryptionKey(before) }
                }
            }
        } catch {
            // Not as a task, which may be refused for the same reason; the core has a lock of its own.
            undo?()
            throw error
        }
    }

    private func check(_ code: PowerAuthCoreErrorCode, wrongState: String) throws(NSError) {
        switch code {
        case .ok: return
        case .wrongState: throw .powerAuth(.invalidActivationState, wrongState)
        case .wrongParam: throw .powerAuth(.wrongParameter, "Invalid key size")
        case .encryption: throw .powerAuth(.encryption)
        }
    }
}
