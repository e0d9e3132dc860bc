internal import LabChecks
internal import LabKit

/// What came of a call.
struct StressAnswer {
    var outcome: RecordedCall.Outcome
    var error: ControlError?
    /// Whether what was asked for is there; nil when the call does not tell.
    var found: Bool?

    /// The call was done.
    static let done = StressAnswer(outcome: .done)
    /// There was nothing to do.
    static let needless = StressAnswer(outcome: .notDone)

    init(outcome: RecordedCall.Outcome, found: Bool? = nil) {
        self.outcome = outcome
        self.found = found
    }

    /// A call that failed.
    init(_ error: any Error) {
        let error = ControlError.failed(error)
        // What the app itself answers was not done; all others may have been done before nobody answered.
        let isOpen = error.domain == ControlError.urlLoadingDomain || Self.openErrors.contains(error.name ?? "")
        outcome = isOpen ? .unknown : .notDone
        self.error = error
    }

    /// Errors after which nobody knows whether the server has done what was asked.
    private static let openErrors: Set<String> = [
        "peerDied", "timedOut", "interrupted", "networkError", "operationCancelled", "network_unknown",
        "network_generic", "network_timeOut", "network_noInternetConnection", "canceled",
    ]
}

/// Carries out the actions of a plan, each in one or several commands.
struct StressCalls {
    let app: String
    let instance: InstanceConnection
    /// What the traces call the operation.
    let operation: String
    let patience: LabDuration

    private static let password: Secret = "1234"

    func perform(_ call: StressPlan.Call) -> StressAnswer {
        do {
            return try carryOut(call)
        } catch {
            return StressAnswer(error)
        }
    }

    private func carryOut(_ call: StressPlan.Call) throws -> StressAnswer {
        let token = call.token ?? ""
        switch call.action {
        case .activate: return try activate()
        case .validActivation: return StressAnswer(outcome: .done, found: try ask(HasValidActivation()))
        case .status: try fetchStatus()
        case .knowledgeSignature: try ask(ValidatePassword { $0.password = Self.password })
        case .biometrySignature: try signWithBiometry()
        case .requestToken: _ = try ask(RequestAccessToken { $0.name = token })
        case .tokenHeader:
            let found = try ask(HasLocalToken { $0.name = token })
            if found { _ = try ask(GenerateHeader { $0.name = token }) }
            return StressAnswer(outcome: .done, found: found)
        case .removeToken: try ask(RemoveAccessToken { $0.name = token })
        case .addBiometry: try ask(AddBiometryFactor { $0.password = Self.password })
        case .removeBiometry: _ = try ask(RemoveBiometryFactor())
        case .removeActivation: try ask(RemoveActivation { $0.password = Self.password })
        case .removeLocally: try ask(RemoveActivationLocal())
        case .relaunch: break
        }
        return .done
    }

    /// Makes an activation with everything that belongs to it, as an app and its bank would.
    private func activate() throws -> StressAnswer {
        // What an earlier call has left half done.
        if try ask(HasPendingActivation()) { try ask(RemoveActivationLocal()) }
        if try ask(HasValidActivation()) { return .needless }
        let code = try ask(InitActivation(), of: "server")
        // Also when the app died meanwhile: it may have stored the activation before.
        defer { _ = try? ask(CommitActivation { $0.activationId = code.activationId }, of: "server") }
        do {
            _ = try ask(CreateActivation { $0.activationCode = code.activationCode })
        } catch let error as ControlError where error.name == "invalidActivationState" {
            // Another app has been quicker.
            return .needless
        }
        try ask(PersistActivation { $0.password = Self.password })
        return .done
    }

    /// What has ended on the server is removed, as an app would do.
    private func fetchStatus() throws {
        switch try ask(FetchActivationStatus()).state {
        case .removed, .blocked, .deadlock: try ask(RemoveActivationLocal())
        case .created, .pendingCommit, .active: break
        }
    }

    private func signWithBiometry() throws {
        guard try ask(HasBiometryFactor()) else {
            throw ControlError(name: "biometryNotAvailable", message: "there is no biometry factor")
        }
        try ask(AnswerBiometry { $0.answer = .success }, of: StressConfiguration.device)
        _ = try ask(
            Post {
                $0.path = "/session/login"
                $0.uriId = "/session/login"
                $0.biometry = true
            })
    }

    @discardableResult
    private func ask<C: Command>(_ command: C, of actor: String? = nil) throws -> C.Result {
        try TypedCall(command).perform(
            by: actor ?? app, in: instance, operation: operation, timeout: patience)
    }
}
