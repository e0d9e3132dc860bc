import PowerAuthProtocol

extension ActivationState: NamedChoice {
    /// The upper-case name used by the back-office API.
    var name: String {
        switch self {
        case .created: "CREATED"
        case .pendingCommit: "PENDING_COMMIT"
        case .active: "ACTIVE"
        case .blocked: "BLOCKED"
        case .removed: "REMOVED"
        }
    }
}
