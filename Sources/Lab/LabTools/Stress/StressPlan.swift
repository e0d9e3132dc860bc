// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints

/// The calls of the apps in a stress round, and the faults injected meanwhile.
///
/// A pure function of seed and configuration. How far an app gets in its list depends on timing; the list does not.
struct StressPlan {
    struct Call: Equatable {
        /// Its index in the list of its app, from 1.
        let number: Int
        let action: StressAction
        /// The token it concerns; nil if none.
        let token: String?
        let fault: Fault?
    }

    /// A fault injected into an app during a call.
    enum Fault: Equatable {
        /// It is killed at a fault point.
        case killAt(FaultPoint, pass: Int)
        /// It is killed some time after the call has begun.
        case killAfter(LabDuration)
        /// It is delayed at a fault point.
        case holdAt(FaultPoint, for: LabDuration)
        /// It is suspended for some time, some time after the call has begun.
        case suspendAfter(LabDuration, for: LabDuration)
    }

    let seed: UInt64
    let processes: Int

    /// The endless list of an app's calls.
    func calls(of app: String) -> some Sequence<Call> {
        var stream = SeedStream(seed: seed, "stress sharing", "\(processes)", app)
        return sequence(state: 0) { number -> Call? in
            number += 1
            return Self.call(number, from: &stream)
        }
    }

    private static let tokens = ["accounts", "cards", "payments"]
    private static let weights = StressAction.allCases.map(\.weight)

    private static func call(_ number: Int, from stream: inout SeedStream) -> Call {
        // All begin with the same action, so that every run begins with a race.
        let action = number == 1 ? .activate : drawnAction(from: &stream)
        let token = tokens[stream.below(UInt64(tokens.count))]
        let fault = number == 1 ? nil : drawnFault(during: action, from: &stream)
        return Call(number: number, action: action, token: action.hasToken ? token : nil, fault: fault)
    }

    private static func drawnAction(from stream: inout SeedStream) -> StressAction {
        var drawn = UInt64(stream.below(weights.reduce(0, +)))
        for action in StressAction.allCases {
            if drawn < action.weight { return action }
            drawn -= action.weight
        }
        return .validActivation
    }

    /// Of a thousand calls, ten are hit by a kill at a random moment and ten by a suspension; of those whose answer
    /// changes the activation, many are held while other apps act.
    private static func drawnFault(during action: StressAction, from stream: inout SeedStream) -> Fault? {
        let points = action.faultPoints
        let drawn = stream.below(1_000)
        let held = action.killsPerThousand + 20 + action.holdsPerThousand
        guard drawn < held, !points.isEmpty else { return nil }
        // Many calls are still running then.
        let moment = LabDuration(nanoseconds: Int64(stream.below(20_000)) * 1_000)
        if drawn < action.killsPerThousand {
            return .killAt(points[stream.below(UInt64(points.count))], pass: [1, 1, 1, 2, 2, 3][stream.below(6)])
        }
        if drawn < action.killsPerThousand + 10 { return .killAfter(moment) }
        if drawn >= action.killsPerThousand + 20 {
            return .holdAt(.httpResponseReceived, for: .milliseconds(50 + Int64(stream.below(200))))
        }
        return .suspendAfter(moment, for: .milliseconds(1 + Int64(stream.below(60))))
    }

    /// The names of the apps.
    var apps: [String] { (1...processes).map { "app\($0)" } }

    /// The first calls of every app, a line each.
    func text(calls count: Int) -> String {
        apps.map { Self.text(of: $0, calls(of: $0).prefix(count)) }.joined()
    }

    /// Calls of an app, a line each.
    static func text(of app: String, _ calls: some Sequence<Call>) -> String {
        "\(app)\n" + calls.map { "  \($0)\n" }.joined()
    }
}

extension StressPlan.Call: CustomStringConvertible {
    var description: String {
        var line = "\(number)  \(action.rawValue)"
        if let token { line += " \(token)" }
        if let fault { line += ", \(fault)" }
        return line
    }
}

extension StressPlan.Fault: CustomStringConvertible {
    var description: String {
        switch self {
        case .killAt(let point, let pass): "killed at \(point), pass \(pass)"
        case .holdAt(let point, let length): "held at \(point) for \(length)"
        case .killAfter(let moment): "killed after \(moment)"
        case .suspendAfter(let moment, let length): "suspended after \(moment) for \(length)"
        }
    }
}

extension SeedStream {
    fileprivate mutating func below(_ limit: UInt64) -> Int { Int(next() % limit) }
}

/// An action that a stress run requests from an app.
enum StressAction: String, CaseIterable {
    /// Makes an activation, if none exists.
    case activate
    /// Makes an activation as an old version of the SDK has left it, if no activation exists; fetching its status
    /// upgrades it.
    case activateOld
    /// Asks whether an activation exists.
    case validActivation
    /// Asks the server for the activation's status; an activation that has ended there is removed here, too.
    case status
    /// Sends a request that is signed with possession and knowledge.
    case knowledgeSignature
    /// Sends a request that is signed with possession and biometry.
    case biometrySignature
    /// Requests a token, which the server creates if no app has it.
    case requestToken
    /// Looks up a token and creates a header with it.
    case tokenHeader
    case removeToken
    /// Changes the password of an activation that still has its first one.
    case changePassword
    /// Adds or removes the application's own key as protection of the activation.
    case externalKey
    /// Adds the biometry factor, or replaces it.
    case addBiometry
    case removeBiometry
    /// Removes the activation from the server and the device.
    case removeActivation
    /// Removes the activation from the device.
    case removeLocally
    /// Removes the activation from the device and makes another one at once.
    case replace
    /// Sends the watch the activation's status and queues a message for it; only for the app that has a watch.
    case tellWatch
    /// Ends the process in order and restarts it.
    case relaunch

    /// Its weight in the draw.
    var weight: UInt64 {
        switch self {
        case .activate: 90
        case .activateOld: 24
        case .validActivation: 180
        case .status: 80
        case .knowledgeSignature: 240
        case .biometrySignature: 90
        case .requestToken: 80
        case .tokenHeader: 110
        case .removeToken: 40
        case .changePassword: 24
        case .externalKey: 16
        case .addBiometry: 50
        case .removeBiometry: 16
        case .removeActivation: 10
        case .removeLocally: 10
        case .replace: 24
        case .tellWatch: 60
        case .relaunch: 12
        }
    }

    /// Kills per thousand calls, at a point during the action: more for actions that are rare and mostly without
    /// effect.
    var killsPerThousand: Int {
        switch self {
        case .activate, .activateOld, .changePassword, .externalKey, .addBiometry, .removeBiometry, .removeActivation,
            .removeLocally, .replace:
            200
        default: 40
        }
    }

    /// How often its answer is held back: for actions whose answer changes the activation, so that other apps act in
    /// between.
    var holdsPerThousand: Int { [.changePassword, .addBiometry, .removeActivation].contains(self) ? 300 : 0 }

    /// Whether it concerns one of the tokens.
    var hasToken: Bool { [.requestToken, .tokenHeader, .removeToken].contains(self) }

    /// The fault points of the action: where a plan kills the app.
    var faultPoints: [FaultPoint] {
        let task: [FaultPoint] = [.statusLockTake, .statusLockTaken, .statusLockReleased]
        let save: [FaultPoint] = [.counterBumped, .stateSave, .keychainWrite, .stateSaved]
        let exchange: [FaultPoint] = [.httpRequestSent, .httpResponseReceived]
        let signature = task + save + [.queueLockTake, .queueLockTaken, .queueLockReleased] + exchange
        let operation: [FaultPoint] = [
            .operationLockTake, .operationLockTaken, .operationStarted, .operationCleared, .operationLockReleased,
        ]
        return switch self {
        case .activate: task + save + exchange + operation
        case .activateOld: task + save
        case .validActivation, .tokenHeader, .tellWatch: task
        // It may upgrade the activation.
        case .status: signature + operation
        case .externalKey: task + save
        case .knowledgeSignature, .biometrySignature: signature
        case .requestToken: signature + [.tokenCounterBumped]
        case .removeToken: signature + [.tokenCounterBumped, .keychainDelete]
        case .changePassword: signature
        case .addBiometry: signature + [.biometryKeyKept, .biometryKeyDropped, .biometryKeyInPlace]
        case .removeBiometry: task + save + [.biometryFactorRemoved, .keychainDelete]
        case .removeActivation: signature + [.tokenCounterBumped, .keychainDelete]
        case .removeLocally: task + save + [.tokenCounterBumped, .keychainDelete]
        case .replace: task + save + exchange + [.tokenCounterBumped, .keychainDelete]
        case .relaunch: []
        }
    }

    /// All points at which plans kill apps, in the order of the listings.
    static let allFaultPoints = FaultPoint.allCases.filter { point in
        allCases.contains { $0.faultPoints.contains(point) }
    }
}
