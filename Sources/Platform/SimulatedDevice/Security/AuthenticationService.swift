// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabCore
import LabPoints
import LabSystem
import Synchronization

/// The system service that asks the owner of the device for a finger, a face or the passcode, for one app.
///
/// Thread rule: any thread. ``authenticate(_:in:)`` blocks while the dialog is open, so never call it on the
/// concurrency runtime's cooperative pool.
package final class AuthenticationService: Sendable {
    /// How long the animation of a confirmed face fills the screen, in nanoseconds of lab time. A request in that time
    /// fails, as on the real devices (sdk.md, section 9.9).
    static let animation: Int64 = 1_000_000_000

    let security: DeviceSecurity
    private let app: String
    private let clock: LabClock
    private let trace: TraceWriter?
    private let touch: @Sendable (Bool) -> Void
    private let isBusy = Mutex(false)
    private let presenter = HandlerSlot<AuthenticationPrompt>()

    /// - Parameter touch: called before each access to what apps change of the device, with whether it is a write.
    init(
        security: DeviceSecurity, app: String, clock: LabClock, trace: TraceWriter?,
        touch: @escaping @Sendable (Bool) -> Void
    ) {
        self.security = security
        self.app = app
        self.clock = clock
        self.trace = trace
        self.touch = touch
    }

    /// The sensor of the device; nil without one.
    package var sensor: BiometrySensor? {
        switch security.state.hardware {
        case .touchID: .finger
        case .faceID: .face
        case .none: nil
        }
    }

    /// Identity of the enrolled set, or nil.
    package var enrolment: Int? { security.state.enrolment }

    /// Why a policy cannot be fulfilled now; nil when a dialog may open.
    package func obstacle(to policy: AuthenticationPolicy) -> AuthenticationFailure? {
        touch(false)
        return security.state.obstacle(to: policy)
    }

    /// Sets what presents a dialog for which no answer is ready: to a person at a terminal. Called on the thread that
    /// waits for the answer; it must not block.
    package func onPrompt(_ present: @escaping @Sendable (AuthenticationPrompt) -> Void) { presenter.set(present) }

    /// Runs `body` unless another biometric request of the process is under way (sdk.md, section 9.9).
    /// - Returns: nil when `body` was not run.
    package func exclusively<T, E>(_ body: () throws(E) -> T) throws(E) -> T? {
        guard beginExclusiveUse() else { return nil }
        defer { endExclusiveUse() }
        return try body()
    }

    /// Reserves biometry for one request of the process; ended by ``endExclusiveUse()``, on any thread.
    /// - Returns: false when another request is under way.
    package func beginExclusiveUse() -> Bool {
        isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
    }

    /// Ends what ``beginExclusiveUse()`` began.
    package func endExclusiveUse() { isBusy.withLock { $0 = false } }

    /// Confirms the owner: at once when the context was confirmed before, otherwise by a dialog that blocks the thread.
    package func authenticate(
        _ policy: AuthenticationPolicy, in context: AuthenticationContext
    ) throws(AuthenticationFailure) -> AuthenticationGrant {
        if context.isInvalid { throw .invalidContext }
        if let obstacle = obstacle(to: policy) { throw obstacle }
        if let grant = context.grant(at: now), Self.suffices(grant, for: policy) { return grant }
        guard context.isInteractionAllowed else { throw .notInteractive }
        let prompt = AuthenticationPrompt(
            id: "\(getpid()).\(UInt64.random(in: 0...UInt64.max))", app: app, pid: getpid(), reason: context.reason,
            fallbackTitle: context.fallbackTitle, allowsPasscode: policy == .biometryOrPasscode)
        let grant = try ask(prompt, policy, context)
        context.remember(grant, at: now)
        return grant
    }

    private static func suffices(_ grant: AuthenticationGrant, for policy: AuthenticationPolicy) -> Bool {
        switch grant {
        case .biometry: true
        case .passcode: policy == .biometryOrPasscode
        }
    }

    private var now: Int64 { clock.now().nanoseconds }

    // MARK: The dialog

    private func ask(
        _ prompt: AuthenticationPrompt, _ policy: AuthenticationPolicy, _ context: AuthenticationContext
    ) throws(AuthenticationFailure) -> AuthenticationGrant {
        let isAnswered = try open(prompt)
        // Before the event: its observer asks for the answer, maybe at the same terminal.
        if !isAnswered { presenter(prompt) }
        trace?.emit(
            .biometryPrompted, ["reason": .string(prompt.reason), "allowsPasscode": .bool(prompt.allowsPasscode)])
        let outcome: Result<AuthenticationGrant, AuthenticationFailure>
        do throws(AuthenticationFailure) {
            outcome = .success(try converse(prompt, policy, context, isShown: !isAnswered))
        } catch {
            outcome = .failure(error)
        }
        close(prompt)
        switch outcome {
        case .success: trace?.emit(.biometryAnswered, ["outcome": "success"])
        case .failure(let failure): trace?.emit(.biometryAnswered, ["outcome": .string(String(describing: failure))])
        }
        return try outcome.get()
    }

    /// Puts the dialog on the screen: one at a time, never over the animation of a confirmed face, never on a locked
    /// screen.
    /// - Returns: whether an answer is ready.
    private func open(_ prompt: AuthenticationPrompt) throws(AuthenticationFailure) -> Bool {
        let now = now
        let outcome = changing { record -> Result<Bool, AuthenticationFailure> in
            if record.state.isLocked { return .failure(.systemCancel) }
            if let other = record.prompt, ProcessTable.isAlive(other.pid) { return .failure(.systemCancel) }
            if let end = record.animationEnds, now < end, end - now <= Self.animation {
                return .failure(.authenticationFailed)
            }
            record.prompt = prompt
            return .success(!record.answers.isEmpty)
        }
        return try (outcome ?? .failure(.systemCancel)).get()
    }

    private func close(_ prompt: AuthenticationPrompt) {
        _ = changing { record in
            if record.prompt?.id == prompt.id { record.prompt = nil }
        }
    }

    private enum Step {
        case granted(AuthenticationGrant)
        case refused(AuthenticationFailure)
        case goOn
        case noAnswer
    }

    private func converse(
        _ prompt: AuthenticationPrompt, _ policy: AuthenticationPolicy, _ context: AuthenticationContext, isShown: Bool
    ) throws(AuthenticationFailure) -> AuthenticationGrant {
        var misses = 0
        var isShown = isShown
        while true {
            let count = security.changeCount
            if context.isInvalid { throw .appCancel }
            let step = changing { record in take(&record, prompt, policy, &misses) } ?? .refused(.systemCancel)
            switch step {
            case .granted(let grant): return grant
            case .refused(let failure): throw failure
            case .goOn: continue
            case .noAnswer: break
            }
            if !isShown {
                isShown = true
                presenter(prompt)
            }
            // Nothing can be waited for when the kernel refuses; the system takes the dialog away then.
            guard (try? security.wait(whileChangesAre: count)) != nil else { throw .systemCancel }
        }
    }

    /// Takes the next answer of the user.
    private func take(
        _ record: inout DeviceSecurity.Record, _ prompt: AuthenticationPrompt, _ policy: AuthenticationPolicy,
        _ misses: inout Int
    ) -> Step {
        guard record.prompt?.id == prompt.id else { return .refused(.systemCancel) }
        guard !record.answers.isEmpty else { return .noAnswer }
        switch record.answers.removeFirst() {
        case .success: return confirm(&record, policy)
        case .mismatch:
            misses += 1
            return miss(&record, policy, attempts: 1, endsDialog: misses >= record.state.attemptsOfOneDialog)
        case .failure:
            return miss(&record, policy, attempts: max(1, record.state.attemptsOfOneDialog - misses), endsDialog: true)
        case .lockout: return miss(&record, policy, attempts: SecurityState.attemptsBeforeLockout, endsDialog: true)
        case .cancel: return .refused(.userCancel)
        case .systemCancel: return .refused(.systemCancel)
        case .fallback:
            // The button of the dialog that takes the passcode too only leads to the keypad.
            if policy == .biometryOrPasscode { return .goOn }
            // A hidden button cannot be pressed: the user has nothing left but to cancel.
            return .refused(prompt.fallbackTitle == "" ? .userCancel : .userFallback)
        case .passcode:
            guard policy == .biometryOrPasscode else { return .refused(.userCancel) }
            record.state.succeed()
            return .granted(.passcode)
        }
    }

    private func confirm(_ record: inout DeviceSecurity.Record, _ policy: AuthenticationPolicy) -> Step {
        // Where biometry cannot help, the dialog shows the keypad only, and the user enters the passcode.
        if policy == .biometryOrPasscode, record.state.obstacle(to: .biometry) != nil {
            record.state.succeed()
            return .granted(.passcode)
        }
        guard let enrolment = record.state.enrolment else { return .refused(.biometryNotEnrolled) }
        record.state.succeed()
        if record.state.hardware == .faceID { record.animationEnds = now + Self.animation }
        return .granted(.biometry(enrolment: enrolment))
    }

    private func miss(
        _ record: inout DeviceSecurity.Record, _ policy: AuthenticationPolicy, attempts: Int, endsDialog: Bool
    ) -> Step {
        for _ in 0..<attempts { record.state.miss() }
        if record.state.isLockedOut {
            // The keypad is left, where there is one.
            return policy == .biometryOrPasscode ? .goOn : .refused(.biometryLockout)
        }
        return endsDialog ? .refused(.authenticationFailed) : .goOn
    }

    /// Changes the device's state; nil when it cannot be changed, as at the end of an instance.
    private func changing<T>(_ body: (inout DeviceSecurity.Record) -> T) -> T? {
        touch(true)
        do {
            return try security.change(body)
        } catch {
            trace?.emitFailure("authentication service", error)
            return nil
        }
    }
}
