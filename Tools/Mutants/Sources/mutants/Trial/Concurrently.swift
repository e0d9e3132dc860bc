// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Gives each value to a closure, as many at a time as there are cores.
///
/// - Returns: What the closure gave, in the order of the values.
func concurrently<Value: Sendable, Outcome: Sendable>(
    _ values: [Value], _ body: @Sendable (Value) throws -> Outcome
) throws -> [Outcome] {
    let outcomes = Mutex<[Int: Result<Outcome, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: values.count) { index in
        let outcome = Result { try body(values[index]) }
        outcomes.withLock { $0[index] = outcome }
    }
    return try outcomes.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() }
}
