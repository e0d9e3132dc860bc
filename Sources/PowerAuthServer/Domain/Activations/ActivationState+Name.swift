import PowerAuthProtocol

extension ActivationState {
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

    /// Finds a state by its upper-case name.
    init?(name: String) {
        guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = state
    }
}
