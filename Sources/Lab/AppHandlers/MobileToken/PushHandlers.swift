import Foundation
import LabKit
import LabPeer
import WultraMobileTokenSDK

/// The commands about push messages of Mobile Token.
enum PushHandlers {
    static func register(on peer: Peer, app: MobileTokenApp) {
        peer.handle(RegisterDeviceToken.self) { arguments, reply in
            guard let token = Data(deviceTokenText: arguments.token) else {
                throw ControlError.badArgument("`token` expects hexadecimal digits, two for each byte.")
            }
            _ = try app.ready().push.registerDeviceTokenForPushNotifications(token: token) { reply($0.done) }
        }
        peer.handleSync(ParseNotification.self) { arguments in
            WMTPushParser.parseNotification(arguments.userInfo.propertyList).map(ParseNotification.Message.init)
        }
    }
}

extension ParseNotification.Message {
    fileprivate init(_ message: WMTPushMessage) {
        self.init {
            switch message {
            case .operationCreated(let id, let name, let content, _):
                $0.kind = .operationCreated
                $0.operationId = id
                $0.operationName = name
                $0.title = content?.title
                $0.message = content?.message
            case .operationFinished(let id, let name, let result, _):
                $0.kind = .operationFinished
                $0.operationId = id
                $0.operationName = name
                $0.operationResult = result.rawValue
            case .inboxMessageReceived(let id, _):
                $0.kind = .inboxMessageReceived
                $0.inboxId = id
            }
        }
    }
}
