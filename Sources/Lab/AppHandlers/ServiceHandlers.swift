import Foundation
import LabKit
import LabPeer
import PowerAuth2

/// The commands about what the server says of itself and of the user.
enum ServiceHandlers {
    static func register(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK) {
        requests.handle(FetchUserInfo.self) { _, reply in
            try sdk().fetchUserInfo { userInfo, error in
                reply(Outcome.of(userInfo.map { [String: JSONValue](propertyList: $0.allClaims) }, error))
            }
        }
        requests.handle(FetchServerStatus.self) { _, reply in
            try sdk().fetchServerStatus { status, error in
                reply(Outcome.of(status.map(FetchServerStatus.Result.init), error))
            }
        }
        peer.handle(SynchronizeTime.self) { _, reply in
            let time = try sdk().timeSynchronizationService
            time.synchronizeTime(
                callback: { error in
                    reply(Outcome.of(.init { $0.localTimeAdjustment = time.localTimeAdjustment }, error))
                }, callbackQueue: nil)
        }
        peer.handle(SendRequest.self) { arguments, reply in
            try ApplicationRequest(arguments, sdk: sdk(), reply: reply).send()
        }
    }
}

extension FetchServerStatus.Result {
    fileprivate init(_ status: PowerAuthServerStatus) {
        self.init { $0.serverTime = status.serverTime.timeIntervalSince1970 }
    }
}
