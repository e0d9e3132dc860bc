// SPDX-License-Identifier: Apache-2.0

/// An operation on a shared object. It takes effect at one moment between its start and its answer.
///
/// Without an answer its outcome is unknown: it may have taken effect at any moment after its start, or never.
package struct ConcurrentOperation<Input, Output> {
    /// Who asked for it.
    package let process: String
    /// When it began, in nanoseconds of the clock that all operations of the object have in common.
    package let invoked: UInt64
    /// When its answer was there, in nanoseconds of the same clock; nil without an answer.
    package let completed: UInt64?
    /// What was asked for.
    package let input: Input
    /// The answer; nil when the outcome is unknown.
    package let output: Output?

    /// An operation. Its outcome is known only with both `completed` and `output`.
    package init(process: String, invoked: UInt64, completed: UInt64? = nil, input: Input, output: Output? = nil) {
        self.process = process
        self.invoked = invoked
        self.completed = output == nil ? nil : completed
        self.input = input
        self.output = completed == nil ? nil : output
    }

    /// Whether it has certainly taken effect.
    package var isKnown: Bool { completed != nil }
}

extension ConcurrentOperation: Sendable where Input: Sendable, Output: Sendable {}

/// What an object does when its operations come one after another.
package protocol SequentialModel {
    /// All that the next answers depend on.
    associatedtype State: Hashable
    /// What an operation asks for.
    associatedtype Input
    /// What an operation answers.
    associatedtype Output

    /// The state before the first operation.
    var initial: State { get }

    /// The states that an operation can leave behind.
    /// - Parameters:
    ///   - state: The state before it.
    ///   - input: What was asked for.
    ///   - output: The answer; nil when it is unknown, and the operation has taken effect all the same.
    /// - Returns: An empty list if the answer is wrong in this state.
    func step(_ state: State, _ input: Input, _ output: Output?) -> [State]

    /// Whether an operation leaves every state in which its answer is right as it is, such as a look at a value. A search
    /// orders it as soon as it fits. It is false without a definition of the model's own.
    func isObservation(_ input: Input) -> Bool
}

extension SequentialModel {
    package func isObservation(_ input: Input) -> Bool { false }
}
