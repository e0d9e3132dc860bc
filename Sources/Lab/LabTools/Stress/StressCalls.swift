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
    /// The activation that the app had before and after a call about a token; nil if it changed, or is unknown.
    var activationId: String?
    /// The token that the app was given or has found.
    var tokenIdentifier: String?
    /// The number of the password that the call signs with; nil if it uses none.
    var password: Int?
    /// The number of the password that the call sets; nil if it sets none.
    var newPassword: Int?
    /// Whether the app needs a new SDK object before it can be used.
    var needsNewObject = false

    static let done = StressAnswer(outcome: .done)
    /// There was nothing to do.
    static let needless = StressAnswer(outcome: .notDone)

    init(outcome: RecordedCall.Outcome, found: Bool? = nil, tokenIdentifier: String? = nil) {
        self.outcome = outcome
        self.found = found
        self.tokenIdentifier = tokenIdentifier
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

    /// The answer as the record holds it.
    var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = ["outcome": .string(outcome.rawValue)]
        // Only the lab's own `timedOut` means that a process did not answer.
        let name = error.flatMap { $0.domain == ControlError.urlLoadingDomain ? nil : $0.name }
        fields["error"] = name.map { .string($0) }
        fields["message"] = error.map { .string($0.message) }
        fields["found"] = found.map { .bool($0) }
        fields["activationId"] = activationId.map { .string($0) }
        fields["tokenIdentifier"] = tokenIdentifier.map { .string($0) }
        fields["password"] = password.map { .integer(Int64($0)) }
        fields["newPassword"] = newPassword.map { .integer(Int64($0)) }
        return fields
    }
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
            return try using { known in
                signed(with: known) { try ask(ValidatePassword { $0.password = known.password }) }
            }
        case .biometrySignature:
            return try using { _ in
                try signWithBiometry()
                return .done
            }
        case .requestToken: return try withSameActivation { try request(token) }
        case .tokenHeader: return try withSameActivation { try use(token) }
        case .removeToken:
            return try withSameActivation {
                try ask(RemoveAccessToken { $0.name = token })
                return .done
            }
        case .changePassword: return try changePassword()
        case .externalKey: return try changeKey()
        case .addBiometry:
            return try overlapping { known in
                signed(with: known) { try ask(AddBiometryFactor { $0.password = known.password }) }
            }
        case .removeBiometry: _ = try ask(RemoveBiometryFactor())
        case .removeActivation:
            return try overlapping { known in
                signed(with: known) { try ask(RemoveActivation { $0.password = known.password }) }
            }
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

    private func request(_ token: String) throws -> StressAnswer {
        let given = try ask(RequestAccessToken { $0.name = token })
        return StressAnswer(outcome: .done, tokenIdentifier: given.tokenIdentifier)
    }

    /// Looks a token up and creates a header with it.
    private func use(_ token: String) throws -> StressAnswer {
        let held = try ask(LocalToken { $0.name = token })
        if held != nil { _ = try ask(GenerateHeader { $0.name = token }) }
        return StressAnswer(outcome: .done, found: held != nil, tokenIdentifier: held?.tokenIdentifier)
    }

    /// Performs a call about the existing activation. The answer names it only if it exists afterwards, too: otherwise
    /// the call may have been about another one.
    private func withSameActivation(_ body: () throws -> StressAnswer) throws -> StressAnswer {
        let before = try ask(ActivationIdentifier())
        var answer = try body()
        // The call is done, even if the app dies before it answers this question.
        if let after = try? ask(ActivationIdentifier()), after == before { answer.activationId = after }
        return answer
    }

    /// Performs a call that signs with the password of an activation; the answer says with which one.
    private func signed(with known: StressSecrets.Activation, _ body: () throws -> Void) -> StressAnswer {
        var answer = StressAnswer.done
        do { try body() } catch { answer = StressAnswer(error) }
        answer.password = known.passwordNumber
        return answer
    }

    /// Uses the secrets of the existing activation.
    private func using(_ body: (StressSecrets.Activation) throws -> StressAnswer) throws -> StressAnswer {
        try secrets.using {
            guard let activationId = try ask(ActivationIdentifier()) else { return .needless }
            guard let known = secrets.activation(activationId) else { return try dropUnknown() }
            try prepare(for: known)
            return try body(known)
        }
    }

    /// Like ``using(_:)``, but other apps may make an activation meanwhile, if that cannot make the password wrong.
    private func overlapping(_ body: (StressSecrets.Activation) throws -> StressAnswer) throws -> StressAnswer {
        var answer = StressAnswer.needless
        let isDone = try secrets.overlapping(named: { try ask(ActivationIdentifier()) }) { known in
            try prepare(for: known)
            answer = try body(known)
        }
        return isDone ? answer : try using(body)
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
        var answer = StressAnswer.needless
        do {
            _ = try secrets.changingPassword(named: { try ask(ActivationIdentifier()) }) { known, changed in
                try prepare(for: known)
                answer = change(known, into: changed)
                switch answer.outcome {
                case .done: return (try? ask(ActivationIdentifier())) ?? nil
                case .unknown: return nil
                case .notDone: throw NotChanged()
                }
            }
        } catch is NotChanged {
            // The answer says why.
        }
        return answer
    }

    /// The password is certainly the former one.
    private struct NotChanged: Error {}

    private func change(_ known: StressSecrets.Activation, into changed: StressSecrets.Activation) -> StressAnswer {
        var answer = signed(with: known) {
            try ask(
                ChangePassword {
                    $0.from = known.password
                    $0.to = changed.password
                })
        }
        answer.newPassword = changed.passwordNumber
        return answer
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
