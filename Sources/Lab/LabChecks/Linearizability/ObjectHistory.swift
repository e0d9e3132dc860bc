// SPDX-License-Identifier: Apache-2.0

import LabCore

/// A model whose states and operations have words for a reader who does not know its code.
protocol DescribedModel: SequentialModel {
    /// The state, after `it`: `is not there`.
    func words(for state: State) -> String
    /// A known operation, after the name of its process: `did not find it`.
    func words(for input: Input, _ output: Output?) -> String
}

/// What has happened to one object, with the events that show it.
struct ObjectHistory<Model: DescribedModel> {
    typealias Operation = ConcurrentOperation<Model.Input, Model.Output>

    /// The object, for people: `the token …`.
    private let title: String
    private let model: Model
    private var operations: [Operation] = []
    /// The events of each operation.
    private var evidence: [[TraceEvent]] = []

    init(_ title: String, model: Model) {
        self.title = title
        self.model = model
    }

    mutating func add(_ operation: Operation, shownBy events: [TraceEvent?]) {
        operations.append(operation)
        evidence.append(events.compactMap(\.self))
    }

    /// Searches an order of the operations, and adds the result to a finding.
    func judge(_ finding: inout Finding, _ budget: inout Budget) throws(Budget.Exhausted) {
        finding.examined += operations.count { $0.isKnown }
        switch try LinearizabilityCheck().verdict(on: operations, of: model, &budget) {
        case .linearizable: break
        case .broken(let ordered, let blocked): finding.breaches.append(breach(after: ordered, blocked))
        case .undecided(let configurations):
            if finding.gap == nil {
                finding.gap = "what happened to \(title) was not put in order in \(configurations) steps of the search"
            }
        }
    }

    /// What contradicts what: the operations that cannot follow, and the last one before them that changed the state.
    private func breach(after ordered: [Int], _ blocked: [Int]) -> Breach {
        var states: Set<Model.State> = [model.initial]
        var lastChange: Int?
        for index in ordered {
            let operation = operations[index]
            let next = Set(states.flatMap { model.step($0, operation.input, operation.output) })
            if next != states { lastChange = index }
            states = next
        }
        let state = Set(states.map { model.words(for: $0) }).sorted().joined(separator: " or ")
        let contradictions = blocked.map { index in
            let operation = operations[index]
            return "\(operation.process) \(model.words(for: operation.input, operation.output))"
        }
        let place = ordered.isEmpty ? "at the beginning" : "after \(ordered.count) of \(operations.count) steps"
        return Breach(
            "What happened to \(title) has no order: \(place) it \(state), "
                + "but \(contradictions.joined(separator: ", and ")).",
            ([lastChange].compactMap(\.self) + blocked).flatMap { evidence[$0] })
    }
}
