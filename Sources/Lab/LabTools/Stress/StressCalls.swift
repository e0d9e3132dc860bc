// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabControl
import LabCore
import LabVocabulary
import ScenarioEngine

/// The result of a call.
struct StressAnswer {
    var outcome: RecordedCall.Outcome
    var error: ControlError?
    /// Whether the requested object exists; nil if the call does not show that.
    var found: Bool?
    /// Whether the app needs a new SDK object before it can be used.
    var needsNewObject = false

    static let done = StressAnswer(outcome: .done)
    /// There was nothing to do.
    static let needless = StressAnswer(outcome: .notDone)

    init(outcome: RecordedCall.Outcome, found: Bool? = nil) {
        self.outcome = outcome
        self.found = found
    }

    init(_ error: any Error) {
        let error = ControlError.failed(error)
        // An error from the app itself means not done; after all others the call may have been done before the answer
        // was lost.
        let isOpen = error.domain == ControlError.urlLoadingDomain || Self.openErrors.contains(error.name ?? "")
        outcome = isOpen ? .unknown : .notDone
        self.error = error
    }

    /// Errors after which it is unknown whether the server has carried out the request.
    private static let openErrors = Set([
        "networkError", "operationCancelled", "network_unknown", "network_generic", "network_timeOut",
        "network_noInternetConnection", "canceled",
    ]).union([LabErrorName.peerDied, .timedOut, .interrupted].map(\.rawValue))
}

/// Carries out the actions of a plan, each in one or several commands.
struct StressCalls {
    let app: String
    let instance: InstanceConnection
    let secrets: StressSecrets
    /// The operation's name in traces.
    let operation: String
    let patience: LabDuration

    func perform(_ call: StressPlan.Call) -> StressAnswer {
        do {
            return try carryOut(call)
        } catch is NeedsNewObject {
            var answer = StressAnswer.needless
            answer.needsNewObject = true
            return answer
        } catch {
            return StressAnswer(error)
        }
    }

    private func carryOut(_ call: StressPlan.Call) throws -> StressAnswer {
        let token = call.token ?? ""
        switch call.action {
        case .activate: return try activate()
        case .activateOld: return try activateOld()
        case .validActivation: return StressAnswer(outcome: .done, found: try ask(HasValidActivation()))
        case .status: try fetchStatus()
        case .knowledgeSignature:
            return try using { known in try ask(ValidatePassword { $0.password = known.password }) }
        case .biometrySignature: return try using { _ in try signWithBiometry() }
        case .requestToken: _ = try ask(RequestAccessToken { $0.name = token })
        case .tokenHeader:
            let found = try ask(HasLocalToken { $0.name = token })
            if found { _ = try ask(GenerateHeader { $0.name = token }) }
            return StressAnswer(outcome: .done, found: found)
        case .removeToken: try ask(RemoveAccessToken { $0.name = token })
        case .changePassword: return try changePassword()
        case .externalKey: return try changeKey()
        case .addBiometry:
            return try overlapping { known in try ask(AddBiometryFactor { $0.password = known.password }) }
        case .removeBiometry: _ = try ask(RemoveBiometryFactor())
        case .removeActivation:
            return try overlapping { known in try ask(RemoveActivation { $0.password = known.password }) }
        case .removeLocally: try ask(RemoveActivationLocal())
        case .replace:
            try ask(RemoveActivationLocal())
            return try activate()
        case .tellWatch:
            guard app == StressConfiguration.appWithWatch else { return .needless }
            _ = try ask(SendActivationStatusToWatch())
            try ask(TransferUserInfo { $0.userInfo = ["call": .string(operation)] })
        case .relaunch: break
        }
        return .done
    }

    /// Makes a complete activation, as an app and its bank would.
    private func activate() throws -> StressAnswer {
        // Removes the incomplete result of an earlier call.
        if try ask(HasPendingActivation()) { try ask(RemoveActivationLocal()) }
        if try ask(HasValidActivation()) { return .needless }
        let code = try ask(InitActivation(), of: "server")
        // Even if the app died meanwhile: it may have stored the activation before.
        defer { _ = try? ask(CommitActivation { $0.activationId = code.activationId }, of: "server") }
        do {
            _ = try ask(CreateActivation { $0.activationCode = code.activationCode })
        } catch let error as ControlError where error.name == "invalidActivationState" {
            // Another app was faster.
            return .needless
        }
        try secrets.making(code.activationId, hasExternalKey: { try ask(HasExternalEncryptionKey()) }) {
            _ = try ask(PersistActivation { $0.password = StressSecrets.first })
        }
        return .done
    }

    /// Makes an activation of the protocol V2, as `lab` scenarios do.
    private func activateOld() throws -> StressAnswer {
        if try ask(HasPendingActivation()) { try ask(RemoveActivationLocal()) }
        do {
            let key = try ask(StartLegacyActivation()).devicePublicKey
            let seed: [String: JSONValue] = ["userId": "alice", "version": 2, "devicePublicKey": .string(key)]
            let seeded = try ask(
                CallResource {
                    $0.path = "/lab/seed"
                    $0.request = ["activations": [.object(seed)]]
                }, of: "server")["activations"]?[0]
            let activationId = seeded?["activationId"]?.stringValue ?? ""
            try secrets.making(activationId, hasExternalKey: { false }) {
                _ = try ask(
                    CompleteLegacyActivation {
                        $0.activationId = activationId
                        $0.serverPublicKey = seeded?["serverPublicKey"]?.stringValue ?? ""
                        $0.password = StressSecrets.first
                    })
            }
        } catch let error as ControlError where error.name == "invalidActivationState" {
            // An activation exists already.
            return .needless
        }
        return .done
    }

    /// Uses the secrets of the existing activation.
    private func using(_ body: (StressSecrets.Activation) throws -> Void) throws -> StressAnswer {
        try secrets.using {
            guard let activationId = try ask(ActivationIdentifier()) else { return .needless }
            guard let known = secrets.activation(activationId) else { return try dropUnknown() }
            try prepare(for: known)
            try body(known)
            return .done
        }
    }

    /// Like ``using(_:)``, but other apps may make an activation meanwhile, if that cannot make the password wrong.
    private func overlapping(_ body: (StressSecrets.Activation) throws -> Void) throws -> StressAnswer {
        let isDone = try secrets.overlapping(named: { try ask(ActivationIdentifier()) }) { known in
            try prepare(for: known)
            try body(known)
        }
        return isDone ? .done : try using(body)
    }

    /// Removes an activation whose secrets are unknown, as its user would do.
    private func dropUnknown() throws -> StressAnswer {
        try ask(RemoveActivationLocal())
        return .needless
    }

    /// Gives the app the application's own key if the activation needs it.
    /// - Throws: ``NeedsNewObject`` if the app has a key that the activation does not need.
    private func prepare(for activation: StressSecrets.Activation) throws {
        switch (activation.hasExternalKey, try ask(HasExternalEncryptionKey())) {
        case (true, false): try ask(SetExternalEncryptionKey { $0.key = StressSecrets.externalKey })
        case (false, true): throw NeedsNewObject()
        case (true, true), (false, false): return
        }
    }

    /// Only a new SDK object forgets the application's own key.
    private struct NeedsNewObject: Error {}

    private func changeKey() throws -> StressAnswer {
        var answer = StressAnswer.done
        let isKnown = try secrets.changingKey(named: { try ask(ActivationIdentifier()) }) { activationId, known in
            try prepare(for: known)
            do {
                if known.hasExternalKey {
                    try ask(RemoveExternalEncryptionKey())
                } else {
                    try ask(AddExternalEncryptionKey { $0.key = StressSecrets.externalKey })
                }
            } catch {
                answer = StressAnswer(error)
                return answer.outcome == .unknown ? nil : known.hasExternalKey
            }
            // It may have been another activation; if the app dies before it answers, that is unknown.
            guard let after = try? ask(ActivationIdentifier()), after == activationId else { return nil }
            return !known.hasExternalKey
        }
        return isKnown ? answer : .needless
    }

    private func changePassword() throws -> StressAnswer {
        var open: (any Error)?
        let isDone = try secrets.changingPassword(named: { try ask(ActivationIdentifier()) }) { known, password in
            try prepare(for: known)
            do {
                try ask(
                    ChangePassword {
                        $0.from = StressSecrets.first
                        $0.to = password
                    })
            } catch {
                guard StressAnswer(error).outcome == .unknown else { throw error }
                open = error
                return nil
            }
            return (try? ask(ActivationIdentifier())) ?? nil
        }
        if let open { throw open }
        return isDone ? .done : .needless
    }

    /// An activation that has ended on the server is removed, as an app would do.
    private func fetchStatus() throws {
        switch try ask(FetchActivationStatus()).state {
        case .removed, .blocked, .deadlock: try ask(RemoveActivationLocal())
        case .created, .pendingCommit, .active: break
        }
    }

    private func signWithBiometry() throws {
        guard try ask(HasBiometryFactor()) else {
            throw ControlError(
                domain: ControlError.labDomain, name: "biometryNotAvailable", message: "there is no biometry factor")
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
        try ActorSession(instance: instance).call(command, by: actor ?? app, operation: operation, timeout: patience)
    }
}
