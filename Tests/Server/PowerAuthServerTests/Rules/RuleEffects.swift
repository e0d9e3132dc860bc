/// What a call does to the number of failures of one record that had some before, and not the most it may have.
enum FailureCount: Equatable, Sendable {
    case left
    case cleared
    /// One more than before.
    case counted
    /// Anything else, which no call may do.
    case wrong(from: Int, to: Int)

    init(from before: Int, to after: Int) {
        self =
            switch after {
            case before: .left
            case 0: .cleared
            case before + 1: .counted
            default: .wrong(from: before, to: after)
            }
    }
}

/// What a call does on the server beside its answer. What is not named does not happen.
struct RuleEffects: Equatable, Sendable {
    /// The failures of the activation that the call is about.
    var activation = FailureCount.left
    /// The failed approvals of the operation that the call is about.
    var operation = FailureCount.left
    /// The wrong PUKs of the recovery code that the call is about.
    var recovery = FailureCount.left
    /// The items of histories, oldest first: status, and reason where there is one.
    var history: [String] = []
    /// The operations that are saved, oldest first: status and failures.
    var operations: [String] = []
    /// The signatures that are verified, oldest first: whether they are right.
    var verified: [Bool] = []
}

extension RuleEffects: CustomStringConvertible {
    /// Only what happens.
    var description: String {
        var parts: [String] = []
        if activation != .left { parts.append("activation \(activation)") }
        if operation != .left { parts.append("operation \(operation)") }
        if recovery != .left { parts.append("recovery code \(recovery)") }
        if !history.isEmpty { parts.append("history \(history)") }
        if !operations.isEmpty { parts.append("operations \(operations)") }
        if !verified.isEmpty { parts.append("verified \(verified)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }
}
