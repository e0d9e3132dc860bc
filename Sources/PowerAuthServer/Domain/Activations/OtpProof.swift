import GRDB

/// A one-time password compared with an activation's hash *before* the transaction, because the slow hash
/// must not hold the write lock; inside the transaction only the hash's identity is checked again.
struct OtpProof: Sendable {
    /// Whether the caller gave a password with text in it.
    let isGiven: Bool
    /// The hash that the password was compared with; nil when there was nothing to compare.
    private let comparedHash: String?
    private let matches: Bool

    /// Compares the password with the hash of the activation that `find` returns, if both exist.
    static func prepare(
        _ context: ServiceContext, otp: String?, find: (Database) throws -> Activation?
    ) throws -> OtpProof {
        guard let otp = otp.nonBlank else { return OtpProof(isGiven: false, comparedHash: nil, matches: false) }
        guard let hash = try context.read(find)?.otp.hash else {
            return OtpProof(isGiven: true, comparedHash: nil, matches: false)
        }
        return OtpProof(isGiven: true, comparedHash: hash, matches: OtpHash.matches(otp, hash: hash))
    }

    /// Applies the rules of server.md, section 20.3, at one phase: counts and saves a wrong password.
    /// - Returns: the refusal to hand out (what was saved stays), or nil to go on.
    func refusal(
        of activation: inout Activation, at phase: CommitPhase, in change: Change
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
