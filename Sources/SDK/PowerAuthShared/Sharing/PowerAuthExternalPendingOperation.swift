/// The kinds of operation that only one of the sharing applications may do at a time
/// (sharing.md, section 8.1).
public enum PowerAuthExternalPendingOperationType: Int, Sendable {
    /// An activation was started and not persisted yet.
    case activation = 1
    /// The protocol of the activation is being upgraded.
    case protocolUpgrade = 2
}

/// A critical operation that another application is doing. Immutable. Thread rule: any thread.
public final class PowerAuthExternalPendingOperation: Sendable {
    /// What the other application does.
    public let externalOperationType: PowerAuthExternalPendingOperationType
    /// The `appIdentifier` of the application that started it.
    public let externalApplicationId: String

    package init(type: PowerAuthExternalPendingOperationType, applicationId: String) {
        externalOperationType = type
        externalApplicationId = applicationId
    }
}
