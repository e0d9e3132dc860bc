// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The effect of an answer on the device.
///
/// An answer takes its time, and another application may meanwhile have removed the activation, put another one in its
/// place, or changed its password. So a step runs in the session task that has found the activation as the request was
/// made with it, and nothing else gets to the answer: a step cannot be written without the comparison (sharing.md, D30).
///
/// Thread rule: steps run on the thread that completes the request.
package struct LocalStep<Value>: Sendable {
    private enum Work: Sendable {
        case answer(@Sendable (RestResponse) throws -> Value)
        case read(@Sendable (PowerAuthCoreSession, RestResponse) throws -> Value)
        case write(@Sendable (PowerAuthCoreSession, RestResponse) throws -> Value)
    }

    private let work: Work
    private let parts: [ActivationSnapshot.Part]
    private let refusal: PowerAuthErrorCode?

    /// A step that uses the answer alone.
    package static func answer(_ body: @escaping @Sendable (RestResponse) throws -> Value) -> LocalStep {
        LocalStep(work: .answer(body), parts: [], refusal: nil)
    }

    /// A step that reads the session.
    /// - Parameters:
    ///   - refusal: the code for another activation; nil takes those of ``run(with:in:)``.
    ///   - body: runs in a read task.
    package static func read(
        refusal: PowerAuthErrorCode? = nil,
        _ body: @escaping @Sendable (PowerAuthCoreSession, RestResponse) throws -> Value
    ) -> LocalStep {
        LocalStep(work: .read(body), parts: [], refusal: refusal)
    }

    /// A step that changes the session.
    /// - Parameters:
    ///   - parts: what of the activation must be as it was, because the server has confirmed it.
    ///   - refusal: the code for another activation; nil takes those of ``run(with:in:)``.
    ///   - body: runs in a write task.
    package static func write(
        dependingOn parts: [ActivationSnapshot.Part] = [], refusal: PowerAuthErrorCode? = nil,
        _ body: @escaping @Sendable (PowerAuthCoreSession, RestResponse) throws -> Value
    ) -> LocalStep {
        LocalStep(work: .write(body), parts: parts, refusal: refusal)
    }

    /// Runs the step.
    /// - Returns: the step's value, or its error; `missingActivation` when the activation of the request was removed
    ///   meanwhile, `invalidActivationState` when another one is in its place or a part was changed.
    func run(with response: RestResponse, in session: any SessionInterface) -> TaskResult<Value> {
        Result { () throws(NSError) in
            try nsError {
                switch work {
                case .answer(let body):
                    if response.basis != nil { try session.read(ifStill: response.basis) { _ in } }
                    return try body(response)
                case .read(let body):
                    return try session.read(ifStill: response.basis, refusal: refusal) { core in
                        try body(core, response)
                    }
                case .write(let body):
                    return try session.write(ifStill: response.basis, parts, refusal: refusal) { core in
                        try body(core, response)
                    }
                }
            }
        }
    }
}

extension SessionInterface {
    /// Runs a read task if the activation is that of an earlier moment.
    /// - Parameters:
    ///   - basis: the earlier moment; nil compares nothing.
    ///   - refusal: the code for another activation; nil takes `missingActivation` and `invalidActivationState`.
    package func read<T>(
        ifStill basis: ActivationSnapshot?, refusal: PowerAuthErrorCode? = nil,
        _ body: (PowerAuthCoreSession) throws -> T
    ) throws -> T {
        try read { core in
            try NSError.throwChange(since: basis, core, [], refusal)
            return try body(core)
        }
    }

    /// Runs a write task if the activation, and parts of its state, are those of an earlier moment.
    /// - Parameters:
    ///   - basis: the earlier moment; nil compares nothing.
    ///   - parts: what is compared besides the activation itself.
    ///   - refusal: the code for another activation or state; nil takes `missingActivation` and
    ///     `invalidActivationState`.
    package func write<T>(
        ifStill basis: ActivationSnapshot?, _ parts: [ActivationSnapshot.Part] = [], refusal: PowerAuthErrorCode? = nil,
        _ body: (PowerAuthCoreSession) throws -> T
    ) throws -> T {
        try write { core in
            try NSError.throwChange(since: basis, core, parts, refusal)
            return try body(core)
        }
    }
}

extension NSError {
    fileprivate static func throwChange(
        since basis: ActivationSnapshot?, _ core: PowerAuthCoreSession, _ parts: [ActivationSnapshot.Part],
        _ refusal: PowerAuthErrorCode?
    ) throws(NSError) {
        guard let change = basis?.change(until: core.activationSnapshot, of: parts) else { return }
        throw lateAnswer(change, refusal)
    }

    /// The error of an answer about a former activation or state.
    fileprivate static func lateAnswer(_ change: ActivationSnapshot.Change, _ code: PowerAuthErrorCode?) -> NSError {
        switch change {
        case .removed:
            .powerAuth(
                code ?? .missingActivation, "The activation was removed while the server answered; nothing was changed."
            )
        case .replaced:
            .powerAuth(
                code ?? .invalidActivationState,
                "Another activation was made while the server answered; nothing was changed.")
        case .part:
            .powerAuth(
                code ?? .invalidActivationState,
                "The activation was changed while the server answered; nothing was changed by the answer.")
        }
    }
}
