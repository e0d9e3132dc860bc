// SPDX-License-Identifier: Apache-2.0

import LabChecks

/// A number that can be read, written, and exchanged for another one. It begins with 0.
struct Register: SequentialModel {
    enum Input: Sendable {
        case read
        case write(Int)
        case exchange(Int, for: Int)
    }

    enum Output: Sendable {
        case value(Int)
        case done
    }

    let initial = 0

    func step(_ state: Int, _ input: Input, _ output: Output?) -> [Int] {
        switch (input, output) {
        case (.write(let value), _): [value]
        case (.exchange(let old, let new), _): old == state ? [new] : []
        case (.read, .value(let value)?): value == state ? [state] : []
        case (.read, _): [state]
        }
    }

    func isObservation(_ input: Input) -> Bool {
        if case .read = input { true } else { false }
    }
}

/// A queue: what came first leaves first.
struct Queue: SequentialModel {
    enum Input: Sendable {
        case enqueue(String)
        case dequeue
    }

    enum Output: Sendable {
        case done
        case item(String)
    }

    let initial: [String] = []

    func step(_ state: [String], _ input: Input, _ output: Output?) -> [[String]] {
        switch (input, output) {
        case (.enqueue(let item), _): [state + [item]]
        case (.dequeue, .item(let item)?): state.first == item ? [Array(state.dropFirst())] : []
        case (.dequeue, _): [Array(state.dropFirst())]
        }
    }
}

extension ConcurrentOperation<Register.Input, Register.Output> {
    /// A read that has found a value.
    static func read(_ value: Int, _ from: UInt64, _ to: UInt64) -> Self {
        Self(process: "reader", invoked: from, completed: to, input: .read, output: .value(value))
    }

    /// A write; without an end, its outcome is unknown.
    static func write(_ value: Int, _ from: UInt64, _ to: UInt64? = nil) -> Self {
        Self(process: "writer", invoked: from, completed: to, input: .write(value), output: to.map { _ in .done })
    }
}

extension ConcurrentOperation<Queue.Input, Queue.Output> {
    static func enqueue(_ item: String, _ from: UInt64, _ to: UInt64) -> Self {
        Self(process: "producer", invoked: from, completed: to, input: .enqueue(item), output: .done)
    }

    static func dequeue(_ item: String, _ from: UInt64, _ to: UInt64) -> Self {
        Self(process: "consumer", invoked: from, completed: to, input: .dequeue, output: .item(item))
    }
}

extension LinearizabilityCheck {
    /// The verdict of a search with time enough.
    func verdict<Model: SequentialModel>(
        on operations: [ConcurrentOperation<Model.Input, Model.Output>], of model: Model
    ) throws -> Verdict {
        var budget = Budget(seconds: 600)
        return try verdict(on: operations, of: model, &budget)
    }
}
