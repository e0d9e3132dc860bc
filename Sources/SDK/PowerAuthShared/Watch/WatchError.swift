// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The errors of the watch link (watch.md, section 7). Their texts cross the wire, so they are the vendor's, spelling
/// included.
package enum WatchError: Sendable {
    case wrongPacket
    case requestWithResponseTarget
    case noHandler(target: String)
    case cannotSerialize
    case sessionNotAvailable
    case notReachable
    case unknownResponseFormat
    case cannotProcessResponse
    case unexpectedPayload(type: String)
    case cannotSendTokenWithoutActivation
    case cannotGetTokenWithoutActivation
    case phoneInvalidData(target: String)
    case phoneUnsupportedCommand(String, target: String)
    case watchInvalidStatus(target: String)
    case watchMissingSessionInstance
    case watchUnsupportedCommand(String)
    case watchInvalidToken(target: String)
    case watchMissingTokenInstance
    case watchTokenDeserialization
    case watchStorage
    case wrongStatusFromPhone
    case tokenNotFoundOnPhone
    case wrongTokenDataFromPhone
    case wrongTokenCommandFromPhone
    case tokenRemovalOnPhone
    case tokenStoreIsGone
    case staleToken

    package var code: PowerAuthErrorCode {
        switch self {
        case .cannotSendTokenWithoutActivation, .cannotGetTokenWithoutActivation: .missingActivation
        case .tokenNotFoundOnPhone, .tokenRemovalOnPhone, .staleToken: .invalidToken
        default: .watchConnectivity
        }
    }

    package var message: String {
        switch self {
        case .wrongPacket: "PA2WCSessionManager: Wrong packet received."
        case .requestWithResponseTarget: "PA2WCSessionManager: Requests with reponse target are not allowed."
        case .noHandler(let target): "PA2WCSessionManager: Unable to handle request for target '\(target)'."
        case .cannotSerialize: "PA2WCSessionManager: Send method cannot serialize request packet."
        case .sessionNotAvailable: "PA2WCSessionManager: WCSession is currently not available for messaging."
        case .notReachable: "PA2WCSessionManager: The counterpart device is not reachable."
        case .unknownResponseFormat: "PA2WCSessionManager: Received response is in unknown data format."
        case .cannotProcessResponse: "PA2WCSessionManager: Cannot process received response."
        case .unexpectedPayload(let type): "PA2WCSessionManager: Invalid payload. \(type) class is expected."
        case .cannotSendTokenWithoutActivation:
            "Cannot send token to watch, because token store has no longer a valid activation."
        case .cannotGetTokenWithoutActivation:
            "Token for Watch cannot be obtained, because activation is no longer valid."
        case .phoneInvalidData(let target):
            "PowerAuthSDK+WatchSupport: Received packet has invalid data. Target: \(target)"
        case .phoneUnsupportedCommand(let command, let target):
            "PowerAuthSDK+WatchSupport: Unsupported command '\(command)'. Target: \(target)"
        case .watchInvalidStatus(let target):
            "PA2WatchSynchronizationService: Received status is invalid. Target: \(target)"
        case .watchMissingSessionInstance:
            "PA2WatchSynchronizationService: Target doesn't contain session instance identifier."
        case .watchUnsupportedCommand(let command): "PA2WatchSynchronizationService: Unsupported command '\(command)'"
        case .watchInvalidToken(let target):
            "PA2WatchSynchronizationService: Received token data is invalid. Target: \(target)"
        case .watchMissingTokenInstance:
            "PA2WatchSynchronizationService: Target doesn't contain token store instance identifier."
        case .watchTokenDeserialization: "PA2WatchSynchronizationService: Token data deserialization failed."
        case .watchStorage: "The keychain of the watch did not store the received data."
        case .wrongStatusFromPhone: "PowerAuthWatchSDK: Wrong status object received from iPhone."
        case .tokenNotFoundOnPhone: "Token not found on paired iPhone."
        case .wrongTokenDataFromPhone: "PA2WatchRemoteTokenProvider: Wront token data received."
        case .wrongTokenCommandFromPhone: "PA2WatchRemoteTokenProvider: Wront command received."
        case .tokenRemovalOnPhone: "Removing token on iPhone is unsupported operation"
        case .tokenStoreIsGone: "The token's SDK object has been released, so the watch cannot be addressed."
        case .staleToken: "The token belongs to an activation that has been replaced."
        }
    }

    /// The error for an application.
    package var nsError: NSError { .powerAuth(code, message) }
}
