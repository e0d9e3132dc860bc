// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints

/// The calls about a token, seen from outside: the apps behave as if they had one store and asked it one after another.
///
/// Each token of each activation is an object of its own. A call belongs to an activation that the app had before and
/// after it, because no activation returns. A call that was on its way while the activation changed, or whose outcome is
/// unknown, may have changed the token of each activation that existed meanwhile.
struct TokenOrder: Checker {
    let name = "token order"
    let rule = "The calls about a token fit one order, in which each answer follows from the calls before it."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var births: [String: UInt64] = [:]
        for event in history.events {
            try budget.spend()
            // The driver records an activation later than others do.
            guard event.name != .callCompleted, let activation = event.text("activationId") else { continue }
            if births[activation] == nil { births[activation] = event.time }
        }
        var calls: [String: [TokenCall]] = [:]
        for call in history.calls {
            try budget.spend()
            guard let token = call.token, let judged = TokenCall(call) else { continue }
            calls[token, default: []].append(judged)
        }
        var finding = Finding()
        for (token, calls) in calls.sorted(by: { $0.key < $1.key }) {
            for object in Self.objects(of: token, calls, births) { try object.judge(&finding, &budget) }
        }
        return finding
    }

    /// A token of each activation with what has happened to it.
    /// - Parameter births: When an activation was seen first.
    private static func objects(
        of token: String, _ calls: [TokenCall], _ births: [String: UInt64]
    ) -> [ObjectHistory<TokenModel>] {
        let open = calls.filter { $0.activation == nil }
        let activations = Set(calls.compactMap(\.activation)).sorted()
        return activations.map { activation in
            var object = ObjectHistory("the token `\(token)` of the activation \(activation)", model: TokenModel())
            let own = calls.filter { $0.activation == activation }
            let (begin, end) = (births[activation] ?? 0, own.compactMap(\.operation.completed).max() ?? 0)
            for call in own + open.filter({ $0.mayReach(from: begin, to: end) }) {
                object.add(call.operation, shownBy: call.events)
            }
            return object
        }
    }
}

/// A call about a token that may have had an effect, or whose answer shows one.
private struct TokenCall {
    let operation: ConcurrentOperation<TokenModel.Input, TokenModel.Output>
    /// The activation that the answer is about; nil when that, or the answer, is unknown.
    let activation: String?
    let events: [TraceEvent?]
    /// When the app was no longer busy with it; nil if that is not known: it may still be busy with a call that it has
    /// not answered in time.
    private let ended: UInt64?

    /// Nil for a call that says nothing about the token.
    init?(_ call: RecordedCall) {
        guard call.outcome != .notDone, let input = TokenModel.Input(rawValue: call.call) else { return nil }
        let output = call.outcome == .done && call.activationId != nil ? TokenModel.Output(call, input) : nil
        // An answer that does not count is of interest only if the call can have changed something.
        guard output != nil || input != .look else { return nil }
        operation = ConcurrentOperation(
            process: call.incarnation.description, invoked: call.invoked.time, completed: call.completed?.time,
            input: input, output: output)
        activation = output == nil ? nil : call.activationId
        events = [call.invoked, call.completed]
        ended = call.error == LabErrorName.timedOut.rawValue ? nil : call.completed?.time
    }

    /// Whether it was on its way at a time in which an activation was there.
    func mayReach(from begin: UInt64, to end: UInt64) -> Bool {
        operation.invoked <= end && (ended ?? .max) >= begin
    }
}

/// One token: it is there or not, and a removed one does not return.
///
/// A look is no observation: it may show the identifier of a token whose request was not answered.
struct TokenModel: DescribedModel {
    /// A call of the driver, under its name.
    enum Input: String {
        case request = "requestToken"
        case look = "tokenHeader"
        case remove = "removeToken"
    }

    enum Output {
        /// The token is there; its identifier is nil if it was not recorded.
        case found(identifier: String?)
        case missing
        case removed
    }

    struct State: Hashable {
        enum Token: Hashable {
            case absent
            /// The identifier is nil as long as no answer shows it.
            case present(identifier: String?)
        }

        var token = Token.absent
        /// The identifiers of removed tokens.
        var removed: Set<String> = []
    }

    let initial = State()

    func step(_ state: State, _ input: Input, _ output: Output?) -> [State] {
        switch (input, output) {
        case (.remove, _): return [without(state)]
        case (.request, nil): return state.token == .absent ? [with(nil, state)].compactMap(\.self) : [state]
        case (.request, .found(let identifier)?): return [with(identifier, state)].compactMap(\.self)
        case (.look, .found(let identifier)?):
            return state.token == .absent ? [] : [with(identifier, state)].compactMap(\.self)
        case (.look, .missing?): return state.token == .absent ? [state] : []
        case (.look, nil): return [state]
        case (.request, _), (.look, .removed?): return []
        }
    }

    /// The state in which a token with an identifier is there; nil if it is another one, or was removed.
    private func with(_ identifier: String?, _ state: State) -> State? {
        var known = identifier
        if case .present(let current) = state.token {
            guard current == nil || identifier == nil || current == identifier else { return nil }
            known = identifier ?? current
        }
        if let known, state.removed.contains(known) { return nil }
        return State(token: .present(identifier: known), removed: state.removed)
    }

    private func without(_ state: State) -> State {
        var next = State(removed: state.removed)
        if case .present(let identifier?) = state.token { next.removed.insert(identifier) }
        return next
    }

    func words(for state: State) -> String {
        let removed = state.removed.isEmpty ? "" : " (removed: \(state.removed.sorted().joined(separator: ", ")))"
        return switch state.token {
        case .absent: "is not there\(removed)"
        case .present(nil): "is there\(removed)"
        case .present(let identifier?): "is there as \(identifier)\(removed)"
        }
    }

    func words(for input: Input, _ output: Output?) -> String {
        switch (input, output) {
        case (.request, .found(let identifier)?): "was given it\(identifier.map { " as \($0)" } ?? "")"
        case (.request, _): "requested it"
        case (.look, .found(let identifier)?): "found it\(identifier.map { " as \($0)" } ?? "")"
        case (.look, _): "did not find it"
        case (.remove, _): "removed it"
        }
    }
}

extension TokenModel.Output {
    /// The answer of a call that was done; nil if it is not recorded.
    fileprivate init?(_ call: RecordedCall, _ input: TokenModel.Input) {
        switch (input, call.found) {
        case (.request, _), (.look, true?): self = .found(identifier: call.tokenIdentifier)
        case (.look, false?): self = .missing
        case (.look, nil): return nil
        case (.remove, _): self = .removed
        }
    }
}
