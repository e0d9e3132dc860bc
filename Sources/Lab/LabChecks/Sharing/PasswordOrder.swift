// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints

/// The passwords of an activation, seen from outside: the server accepts a signature exactly with the current one.
///
/// The driver gives each password a number, and every activation begins with number 0. The server says which activation
/// a signature was for. Its refusal counts only where nothing else explains it (``AcceptedSignatures``).
struct PasswordOrder: Checker {
    let name = "password order"
    let rule = """
        The calls with a password fit one order, in which the server accepts the password that was set last and \
        refuses any other one.
        """

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var states: [String: [TraceEvent]] = [:]
        var signatures: [String: [TraceEvent]] = [:]
        for event in history.events {
            try budget.spend()
            switch event.name {
            case .serverActivation: states[event.text("activationId") ?? "", default: []].append(event)
            case .serverSignature where Self.isOfPassword(event):
                if let operation = event.operation { signatures[operation, default: []].append(event) }
            default: break
            }
        }
        var objects: [String: ObjectHistory<PasswordModel>] = [:]
        func add(_ operation: PasswordModel.Operation, _ activation: String, _ events: [TraceEvent?]) {
            let title = "the password of the activation \(activation)"
            objects[activation, default: ObjectHistory(title, model: PasswordModel())].add(operation, shownBy: events)
        }
        for call in history.calls {
            try budget.spend()
            guard let password = call.password else { continue }
            for signature in signatures[call.operation] ?? [] {
                guard let activation = signature.text("activationId") else { continue }
                let isAccepted = signature.fields["valid"] == true
                guard isAccepted || Self.counts(signature, of: call, states[activation] ?? [], history) else {
                    continue
                }
                add(
                    call.signature(with: password, isAccepted, at: signature.time), activation,
                    [call.invoked, signature])
            }
            // The app changes the password of the activation for which the server has accepted the former one.
            guard let accepted = signatures[call.operation]?.last(where: { $0.fields["valid"] == true }),
                let activation = accepted.text("activationId"), let change = call.change(of: password)
            else { continue }
            add(change, activation, [call.invoked, call.completed])
        }
        var finding = Finding()
        for (_, object) in objects.sorted(by: { $0.key < $1.key }) { try object.judge(&finding, &budget) }
        return finding
    }

    /// Whether possession and knowledge have signed.
    private static func isOfPassword(_ signature: TraceEvent) -> Bool {
        signature.text("type")?.lowercased() == "possession_knowledge"
    }

    /// Whether a refusal is one of the password: the activation was active all the time, and the app lives.
    private static func counts(
        _ refusal: TraceEvent, of call: RecordedCall, _ states: [TraceEvent], _ history: RecordedHistory
    ) -> Bool {
        AcceptedSignatures.isActive(states, from: call.invoked.time, to: refusal.time)
            && history.lives(call.incarnation, after: refusal.time)
    }
}

/// The password of one activation, as its number.
struct PasswordModel: DescribedModel {
    /// The number of the current password.
    typealias State = Int64
    typealias Operation = ConcurrentOperation<Input, Output>

    enum Input {
        case sign(with: Int64)
        case change(from: Int64, to: Int64)
    }

    enum Output {
        case accepted, refused, changed
    }

    let initial: State = 0

    func step(_ state: State, _ input: Input, _ output: Output?) -> [State] {
        switch input {
        case .sign(let password): (password == state) == (output == .refused) ? [] : [state]
        case .change(let old, let new): old == state ? [new] : []
        }
    }

    func isObservation(_ input: Input) -> Bool {
        if case .sign = input { true } else { false }
    }

    func words(for state: State) -> String { "is number \(state)" }

    func words(for input: Input, _ output: Output?) -> String {
        switch input {
        case .sign(let password):
            "signed with number \(password), which the server \(output == .refused ? "refused" : "accepted")"
        case .change(let old, let new): "changed number \(old) into number \(new)"
        }
    }
}

extension RecordedCall {
    /// Its signature, as the server has judged it.
    fileprivate func signature(with password: Int64, _ isAccepted: Bool, at time: UInt64) -> PasswordModel.Operation {
        PasswordModel.Operation(
            process: incarnation.description, invoked: invoked.time, completed: time, input: .sign(with: password),
            output: isAccepted ? .accepted : .refused)
    }

    /// Its change of the password; nil if it certainly changes none.
    fileprivate func change(of password: Int64) -> PasswordModel.Operation? {
        guard let newPassword, outcome != .notDone else { return nil }
        return PasswordModel.Operation(
            process: incarnation.description, invoked: invoked.time, completed: completed?.time,
            input: .change(from: password, to: newPassword), output: outcome == .done ? .changed : nil)
    }
}
