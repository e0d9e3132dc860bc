import GRDB

/// A one-time password compared with an activation's hash *before* the transaction, because the slow hash
/// must not hold the write lock; inside the transaction only the hash's identity is checked again.
struct OtpProof: Sendable {
    /// Whether the caller gave a password with text in it.
    let isGiven: Bool
    /// The hash that the password was compared with; nil when there was nothing to compare.
    private let comparedHash: String?
    private let matches: Bool

    /// Whether the password, or its absence, was right for the activation as it was found. Nothing that costs much is worth
    /// its while otherwise.
    let isPromising: Bool

    /// Compares the password with the hash of the activation that `find` returns, if one is due there.
    /// - Parameter find: nil for an activation that is not in the state in which the phase comes.
    static func prepare(
        _ context: ServiceContext, otp: String?, at phase: CommitPhase, find: (Database) throws -> Activation?
    ) throws -> OtpProof {
        let otp = otp.nonBlank
        let found = try context.read(find).flatMap { activation in
            activation.lifecycle.expires.map { context.clock.now() > $0 } ?? false ? nil : activation
        }
        guard let found else { return OtpProof(isGiven: otp != nil, isPromising: false) }
        switch found.otp.check(at: phase, given: otp != nil) {
        case .skip: return OtpProof(isGiven: otp != nil, isPromising: true)
        case .refuse: return OtpProof(isGiven: otp != nil, isPromising: false)
        case .verify:
            let hash = found.otp.hash
            let matches = otp.flatMap { otp in hash.map { context.hashing.matches(otp, $0) } } ?? false
            return OtpProof(isGiven: true, comparedHash: hash, matches: matches, isPromising: matches)
        }
    }

    private init(isGiven: Bool, comparedHash: String? = nil, matches: Bool = false, isPromising: Bool) {
        self.isGiven = isGiven
        self.comparedHash = comparedHash
        self.matches = matches
        self.isPromising = isPromising
    }

    /// Applies the rules of server.md, section 20.3, at one phase: counts and saves a wrong password.
    /// - Returns: the error to return (the saved failure stays), or nil to continue.
    func refusal(
        of activation: inout Activation, at phase: CommitPhase, in change: WriteTransaction
    ) throws -> ServiceError? {
        switch activation.otp.check(at: phase, given: isGiven) {
        case .skip:
            return nil
        case .refuse:
            return ServiceError(.invalidActivationOtp, "one-time password missing, or not expected in this phase")
        case .verify where matches && comparedHash == activation.otp.hash:
            activation.failedAttempts = 0
            return nil
        case .verify:
            let previous = activation.status
            if activation.countFailure() {
                activation.lifecycle = .removed(activation.lifecycle.binding)
                try change.save(&activation, previous: previous, reason: HistoryReason.otpMaxFailedAttempts)
            } else {
                try change.save(&activation, previous: previous, reason: HistoryReason.otpFailedAttempt)
            }
            return ServiceError(.invalidActivationOtp, "wrong one-time password")
        }
    }
}
