/// The phase of an activation at which its commit (and a one-time password) is due.
enum CommitPhase: Int, NamedChoice {
    case onCommit = 0
    case onKeyExchange = 1

    var name: String {
        switch self {
        case .onCommit: "ON_COMMIT"
        case .onKeyExchange: "ON_KEY_EXCHANGE"
        }
    }
}

/// The older way to say when a one-time password is checked; still honoured.
enum OtpValidationMode: Int, NamedChoice {
    case none = 0
    case onKeyExchange = 1
    case onCommit = 2

    var name: String {
        switch self {
        case .none: "NONE"
        case .onKeyExchange: "ON_KEY_EXCHANGE"
        case .onCommit: "ON_COMMIT"
        }
    }

    /// The phase at which the mode requires the password; nil for `none`.
    var phase: CommitPhase? {
        switch self {
        case .none: nil
        case .onKeyExchange: .onKeyExchange
        case .onCommit: .onCommit
        }
    }
}

/// The one-time password rules of an activation (server.md, section 20.3).
struct OtpRequirement: Sendable, Equatable {
    var mode: OtpValidationMode
    let commitPhase: CommitPhase
    /// The stored hash of the password; nil if not set.
    var hash: String?

    /// What to do with a password (or its absence) at one phase.
    enum Check: Equatable {
        /// No password is due.
        case skip
        /// Compare with the stored hash.
        case verify
        /// Refuse without counting: a password is missing or unexpected.
        case refuse
    }

    /// Decides for the phase `phase`; `given` is true if the caller supplied a password that is not empty.
    ///
    /// An unexpected password is refused (server.md, section 30, item 2): accepting it silently would let a device skip
    /// the commit.
    func check(at phase: CommitPhase, given: Bool) -> Check {
        let due: CommitPhase? = mode.phase ?? (hash == nil ? nil : commitPhase)
        if due == phase { return given ? .verify : .refuse }
        return given ? .refuse : .skip
    }
}
