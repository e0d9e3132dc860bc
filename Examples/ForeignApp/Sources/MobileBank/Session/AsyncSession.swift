// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2

/// The same for screens that wait.
public final class AsyncSession {
    private let session: ActivationSession

    public init(_ session: ActivationSession) { self.session = session }

    @MainActor
    public func activate(code: String, otp: String? = nil) async throws -> String {
        try await value { session.activate(code: code, otp: otp, completion: $0) }
    }

    @MainActor
    public func refresh() async throws -> ActivationPhase { try await value { session.refresh(completion: $0) } }

    @MainActor
    public func logIn(pin: String) async throws { try await value { session.logIn(pin: pin, completion: $0) } }

    @MainActor
    public func changePin(from old: String, to new: String) async throws {
        try await value { session.changePin(from: old, to: new, completion: $0) }
    }

    @MainActor
    public func remove(pin: String) async throws {
        try await value { session.remove(pin: pin, everywhere: true, completion: $0) }
    }

    private func value<Value>(_ start: (@escaping ActivationSession.Completion<Value>) -> Void) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: $0) }
        }
    }
}
