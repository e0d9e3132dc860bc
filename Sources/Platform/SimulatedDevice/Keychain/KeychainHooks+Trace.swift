import LabKit

extension KeychainHooks {
    /// Hooks that write to a trace; nil drops the events.
    static func tracing(
        _ trace: TraceWriter?, storage: AppStorage, pass: @escaping @Sendable (FaultPoint, () -> String) throws -> Void
    ) -> KeychainHooks {
        KeychainHooks(
            pass: pass, takeRoom: { bytes in try storage.takeRoom(bytes, for: "keychain") },
            written: { trace?.emit(.keychainWritten, $0.fields) },
            deleted: { trace?.emit(.keychainDeleted, $0.fields) },
            damaged: { trace?.emit(.keychainCorrupted, $0.fields) },
            failed: { trace?.emitFailure("keychain", $0) })
    }
}

extension KeychainKey {
    /// The identity as fields of a trace event.
    fileprivate var fields: [String: JSONValue] {
        ["service": .string(service), "account": .string(account), "accessGroup": .string(accessGroup)]
    }
}
