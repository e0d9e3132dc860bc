// SPDX-License-Identifier: Apache-2.0

import GRDB

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
        case .skip: return nil
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
