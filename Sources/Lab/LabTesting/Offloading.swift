// SPDX-License-Identifier: Apache-2.0

import LabSystem

/// Runs what blocks on a thread of its own, while the caller waits without one.
func offloaded<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        runOnThread(name: "lab test") { continuation.resume(with: Result { try body() }) }
    }
}
