import LabKit

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
    /// Removes a token from the server and the device.
    case removeToken
    /// Changes the password of an activation that still has its first one.
    case changePassword
    /// Adds or removes the application's own key as protection of the activation.
    case externalKey
    /// Adds the biometry factor, or replaces it.
    case addBiometry
    /// Removes the biometry factor.
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
        let task: [FaultPoint] = [.statusLockTaken, .statusLockReleased]
        let save: [FaultPoint] = [.counterBumped, .stateSave, .keychainWrite, .stateSaved]
        let exchange: [FaultPoint] = [.httpRequestSent, .httpResponseReceived]
        let signature = task + save + [.queueLockTake, .queueLockTaken, .queueLockReleased] + exchange
        let operation: [FaultPoint] = [
            .operationLockTaken, .operationStarted, .operationCleared, .operationLockReleased,
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
    static let allFaultPoints = FaultPoint.all.filter { point in
        allCases.contains { $0.faultPoints.contains(point) }
    }
}
