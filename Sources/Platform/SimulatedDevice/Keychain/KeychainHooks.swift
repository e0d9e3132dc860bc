import LabKit

/// What a keychain reports to its environment; closures, so that the keychain needs no sandbox.
struct KeychainHooks: Sendable {
    /// Passes a fault point with the item that the call is about; throws what was armed there.
    var pass: @Sendable (FaultPoint, () -> String) throws -> Void = { _, _ in }
    /// Reserves so many bytes of the storage; throws if it is full.
    var takeRoom: @Sendable (Int) throws -> Void = { _ in }
    /// An item was added or changed.
    var written: @Sendable (KeychainKey) -> Void = { _ in }
    /// An item was deleted.
    var deleted: @Sendable (KeychainKey) -> Void = { _ in }
    /// An item's bytes do not match their checksum.
    var damaged: @Sendable (KeychainKey) -> Void = { _ in }
    /// The database, or an armed fault, made a call fail.
    var failed: @Sendable (any Error) -> Void = { _ in }
}
