import Foundation
import LabKit
import LabPeer
import PeerCommands
import WultraMobileTokenSDK

/// The commands about push messages of Mobile Token.
enum PushHandlers {
    static func register(on peer: Peer, app: MobileTokenApp) {
        peer.handle(RegisterDeviceToken.self) { arguments, reply in
            guard let token = Data(hexadecimal: arguments.token) else {
                throw ControlError.badArgument("`token` expects hexadecimal digits, two for each byte.")
            }
            _ = try app.ready().push.registerDeviceTokenForPushNotifications(token: token) { reply($0.done) }
        }
        peer.handleSync(ParseNotification.self) { arguments in
            WMTPushParser.parseNotification(arguments.userInfo.propertyList).map(ParseNotification.Message.init)
        }
    }
}

extension Data {
    /// The bytes that hexadecimal digits stand for; nil for anything else.
    fileprivate init?(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
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
