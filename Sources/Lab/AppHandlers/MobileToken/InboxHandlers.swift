// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPeer
import LabVocabulary
import WultraMobileTokenSDK

/// The commands about the user's inbox, and about the app's part in push messages.
enum InboxHandlers {
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
        peer.handle(GetUnreadCount.self) { _, reply in
            try app.ready().inbox.getUnreadCount { result in
                reply(result.map { count in .init { $0.countUnread = count.countUnread } }.mapError { $0 })
            }
        }
        peer.handle(GetMessageList.self) { arguments, reply in
            try app.ready().inbox.getMessageList(
                pageNumber: arguments.pageNumber, pageSize: arguments.pageSize, onlyUnread: arguments.onlyUnread
            ) { reply($0.map { $0.map { InboxMessage($0) } }.mapError { $0 }) }
        }
        peer.handle(GetMessageDetail.self) { arguments, reply in
            try app.ready().inbox.getMessageDetail(messageId: arguments.messageId) { result in
                reply(result.map { InboxMessage($0, body: $0.body) }.mapError { $0 })
            }
        }
        peer.handle(MarkRead.self) { arguments, reply in
            try app.ready().inbox.markRead(messageId: arguments.messageId) { reply($0.done) }
        }
        peer.handle(MarkAllRead.self) { _, reply in
            try app.ready().inbox.markAllRead { reply($0.done) }
        }
        peer.handle(GetAllMessages.self) { arguments, reply in
            try app.ready().inbox.getAllMessages(
                pageSize: arguments.pageSize, messageLimit: arguments.messageLimit, onlyUnread: arguments.onlyUnread
            ) { reply($0.map { $0.map { InboxMessage($0) } }.mapError { $0 }) }
        }
    }
}

/// What a message has in a list and in its detail.
private protocol ListedInboxMessage {
    var id: String { get }
    var type: WMTInboxContentType { get }
    var subject: String { get }
    var summary: String { get }
    var read: Bool { get }
    var timestampCreated: Date { get }
}

extension WMTInboxMessage: ListedInboxMessage {}
extension WMTInboxMessageDetail: ListedInboxMessage {}

extension InboxMessage {
    fileprivate init(_ message: some ListedInboxMessage, body: String? = nil) {
        self.init {
            $0.id = message.id
            $0.type = Format(message.type)
            $0.subject = message.subject
            $0.summary = message.summary
            $0.read = message.read
            $0.timestampCreated = message.timestampCreated.timeIntervalSince1970
            $0.body = body
        }
    }
}

extension InboxMessage.Format {
    fileprivate init(_ type: WMTInboxContentType) {
        self =
            switch type {
            case .text: .text
            case .html: .html
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
