// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LabVocabulary

/// The calls of one app as steps of a branch.
struct StressBranch {
    let app: String
    private(set) var steps: [StressScenario.Lines] = []
    /// The calls, and the faults during calls, that no step repeats.
    private(set) var remarks: [String] = []
    /// The password after the calls so far.
    private var password = StressSecrets.first
    private var hasExternalKey = false
    /// Whether the app has removed the activation since its last one: without that, another one is refused.
    private var hasRemoved = false

    init(app: String) { self.app = app }

    /// Adds the steps of a call, between those that arm and end its fault.
    mutating func add(_ call: StressPlan.Call) throws {
        guard call.action != .activateOld else {
            remarks.append("\(app) \(call): a step would have to decide by the answer of another one.")
            return
        }
        var countsPasses = false
        var fault: ArmFault?
        switch call.fault {
        case nil: break
        case .killAt(let point, let pass):
            countsPasses = true
            fault = ArmFault {
                $0.point = point.rawValue
                $0.peer = app
                $0.action = .kill
                $0.pass = pass
            }
        case .holdAt(let point, let length):
            fault = ArmFault {
                $0.point = point.rawValue
                $0.peer = app
                $0.action = .delay
                $0.delay = length
            }
        case .killAfter, .suspendAfter:
            remarks.append("\(app) \(call): only the call; a fault comes at a fault point, and not at a time.")
        }
        let made = try repeated(call, countsPasses: countsPasses)
        guard !made.isEmpty else { return }
        guard let fault else {
            steps += made
            return
        }
        // Here and not before the block: passes are counted from now on.
        steps.append(try StressScenario.step("faults", fault))
        steps += made
        // A fault that has not fired would make the scenario fail.
        steps.append(try StressScenario.step("faults", DisarmFaults { $0.peer = app }))
        if fault.action == .kill { steps.append(try StressScenario.step(app, Launch(), mayFail: true)) }
    }

    /// - Parameter countsPasses: Whether the driver's questions are repeated, because the app passes fault points for
    ///   them, too.
    private mutating func repeated(_ call: StressPlan.Call, countsPasses: Bool) throws -> [StressScenario.Lines] {
        var made: [StressScenario.Lines] = []
        if countsPasses { for question in Self.questions(before: call.action) { made.append(try step(question)) } }
        made += try commands(of: call, countsPasses: countsPasses)
        if countsPasses { for question in Self.questions(after: call.action) { made.append(try step(question)) } }
        return made
    }

    private mutating func commands(of call: StressPlan.Call, countsPasses: Bool) throws -> [StressScenario.Lines] {
        let (token, current) = (call.token ?? "", password)
        switch call.action {
        case .activate:
            if hasRemoved { begin() }
            return try activation(call, countsPasses: countsPasses)
        case .activateOld: return []
        case .validActivation: return [try step(HasValidActivation())]
        case .status: return [try step(FetchActivationStatus())]
        case .knowledgeSignature: return [try step(ValidatePassword { $0.password = current })]
        case .biometrySignature:
            return [
                try StressScenario.step(StressConfiguration.device, AnswerBiometry { $0.answer = .success }),
                try step(
                    Post {
                        $0.path = "/session/login"
                        $0.uriId = "/session/login"
                        $0.biometry = true
                    }),
            ]
        case .requestToken: return [try step(RequestAccessToken { $0.name = token })]
        case .tokenHeader:
            return [try step(HasLocalToken { $0.name = token }), try step(GenerateHeader { $0.name = token })]
        case .removeToken: return [try step(RemoveAccessToken { $0.name = token })]
        case .changePassword:
            password = Secret("changed-\(call.number)")
            let new = password
            return [
                try step(
                    ChangePassword {
                        $0.from = current
                        $0.to = new
                    })
            ]
        case .externalKey:
            hasExternalKey.toggle()
            guard hasExternalKey else { return [try step(RemoveExternalEncryptionKey())] }
            return [try step(AddExternalEncryptionKey { $0.key = StressSecrets.externalKey })]
        case .addBiometry: return [try step(AddBiometryFactor { $0.password = current })]
        case .removeBiometry: return [try step(RemoveBiometryFactor())]
        case .removeActivation:
            hasRemoved = true
            return [try step(RemoveActivation { $0.password = current })]
        case .removeLocally:
            hasRemoved = true
            return [try step(RemoveActivationLocal())]
        case .replace:
            begin()
            let removal = try step(RemoveActivationLocal())
            return [removal] + (try activation(call, countsPasses: countsPasses))
        case .tellWatch:
            guard app == StressConfiguration.appWithWatch else { return [] }
            let content: [String: JSONValue] = ["call": .string("\(app)/\(call.number)")]
            return [
                try step(SendActivationStatusToWatch()), try step(TransferUserInfo { $0.userInfo = content }),
            ]
        case .relaunch: return [try step(Relaunch())]
        }
    }

    /// A new activation has the first password, and no external key.
    private mutating func begin() { (password, hasExternalKey, hasRemoved) = (StressSecrets.first, false, false) }

    private func activation(_ call: StressPlan.Call, countsPasses: Bool) throws -> [StressScenario.Lines] {
        let made = try StressScenario.activation(
            by: app, code: "\(app)Code\(call.number)", mayFail: true, countsPasses: countsPasses)
        guard countsPasses else { return made }
        return [try step(HasPendingActivation()), try step(HasValidActivation())] + made
    }

    /// What the driver asks the app before an action that concerns an existing activation.
    private static func questions(before action: StressAction) -> [any Command] {
        switch action {
        case .knowledgeSignature, .changePassword, .externalKey, .addBiometry, .removeActivation:
            [ActivationIdentifier(), HasExternalEncryptionKey()]
        case .biometrySignature: [ActivationIdentifier(), HasExternalEncryptionKey(), HasBiometryFactor()]
        case .requestToken, .tokenHeader, .removeToken: [ActivationIdentifier()]
        default: []
        }
    }

    /// What the driver asks the app once such an action is done: whether the activation is still the same.
    private static func questions(after action: StressAction) -> [any Command] {
        switch action {
        case .requestToken, .tokenHeader, .removeToken, .changePassword, .externalKey: [ActivationIdentifier()]
        default: []
        }
    }

    private func step(_ command: some Command) throws -> StressScenario.Lines {
        try StressScenario.step(app, command, mayFail: true)
    }
}
