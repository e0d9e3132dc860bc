internal import LabKit

/// What a stress run asks an app for.
enum StressAction: String, CaseIterable {
    /// Makes an activation, when there is none.
    case activate
    /// Asks whether there is one.
    case validActivation
    /// Asks the server for the state of the activation; one that has ended there is removed here, too.
    case status
    /// Sends a request that is signed with possession and knowledge.
    case knowledgeSignature
    /// Sends a request that is signed with possession and biometry.
    case biometrySignature
    /// Asks for a token, which the server makes when no app has it.
    case requestToken
    /// Looks for a token and makes a header with it.
    case tokenHeader
    /// Removes a token from the server and the device.
    case removeToken
    /// Adds the biometry factor, or replaces it.
    case addBiometry
    /// Removes the biometry factor.
    case removeBiometry
    /// Removes the activation from the server and the device.
    case removeActivation
    /// Removes the activation from the device.
    case removeLocally
    /// Ends the process in order and starts it anew.
    case relaunch

    /// How often it is drawn, among the sum of all.
    var weight: UInt64 {
        switch self {
        case .activate: 90
        case .validActivation: 180
        case .status: 80
        case .knowledgeSignature: 240
        case .biometrySignature: 90
        case .requestToken: 80
        case .tokenHeader: 110
        case .removeToken: 40
        case .addBiometry: 50
        case .removeBiometry: 16
        case .removeActivation: 10
        case .removeLocally: 10
        case .relaunch: 12
        }
    }

    /// How often an app is killed at a point on the way: more often during what is seldom, and most of it done for nothing.
    var killsPerThousand: Int {
        switch self {
        case .activate, .addBiometry, .removeBiometry, .removeActivation, .removeLocally: 200
        default: 40
        }
    }

    /// Whether it is about one of the tokens.
    var hasToken: Bool { [.requestToken, .tokenHeader, .removeToken].contains(self) }

    /// The fault points on its way: where a plan kills the app during it.
    var faultPoints: [FaultPoint] {
        let task: [FaultPoint] = [.statusLockTaken, .statusLockReleased]
        let save: [FaultPoint] = [.counterBumped, .stateSave, .keychainWrite, .stateSaved]
        let exchange: [FaultPoint] = [.httpRequestSent, .httpResponseReceived]
        let signature = task + save + [.queueLockTake, .queueLockTaken, .queueLockReleased] + exchange
        return switch self {
        case .activate:
            task + save + exchange + [
                .operationLockTaken, .operationStarted, .operationCleared, .operationLockReleased,
            ]
        case .validActivation, .tokenHeader: task
        case .status: task + exchange
        case .knowledgeSignature, .biometrySignature: signature
        case .requestToken: signature + [.tokenCounterBumped]
        case .removeToken: signature + [.tokenCounterBumped, .keychainDelete]
        case .addBiometry: signature + [.biometryKeyKept, .biometryKeyDropped, .biometryKeyInPlace]
        case .removeBiometry: task + save + [.biometryFactorRemoved, .keychainDelete]
        case .removeActivation: signature + [.tokenCounterBumped, .keychainDelete]
        case .removeLocally: task + save + [.tokenCounterBumped, .keychainDelete]
        case .relaunch: []
        }
    }

    /// All points at which plans kill, in the order of the listings.
    static let allFaultPoints = FaultPoint.all.filter { point in
        allCases.contains { $0.faultPoints.contains(point) }
    }
}
