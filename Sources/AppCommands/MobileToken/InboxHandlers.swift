import Foundation
import LabKit
import LabPeer
import PeerCommands
import WultraMobileTokenSDK

/// The commands about the user's inbox.
enum InboxHandlers {
    static func register(on peer: Peer, app: MobileTokenApp) {
        peer.handle(GetUnreadCount.self) { _, reply in
            try app.ready().inbox.getUnreadCount { result in
                reply(result.map { count in .init { $0.countUnread = count.countUnread } }.mapError { $0 })
            }
        }
        peer.handle(GetMessageList.self) { arguments, reply in
            try app.ready().inbox.getMessageList(
                pageNumber: arguments.pageNumber, pageSize: arguments.pageSize, onlyUnread: arguments.onlyUnread
            ) { reply($0.map { $0.map(InboxMessage.init) }.mapError { $0 }) }
        }
        peer.handle(GetMessageDetail.self) { arguments, reply in
            try app.ready().inbox.getMessageDetail(messageId: arguments.messageId) { result in
                reply(result.map(InboxMessage.init).mapError { $0 })
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
            ) { reply($0.map { $0.map(InboxMessage.init) }.mapError { $0 }) }
        }
    }
}

extension InboxMessage {
    fileprivate init(_ message: WMTInboxMessage) {
        self.init {
            $0.id = message.id
            $0.type = Format(message.type)
            $0.subject = message.subject
            $0.summary = message.summary
            $0.read = message.read
            $0.timestampCreated = message.timestampCreated.timeIntervalSince1970
        }
    }

    fileprivate init(_ message: WMTInboxMessageDetail) {
        self.init {
            $0.id = message.id
            $0.type = Format(message.type)
            $0.subject = message.subject
            $0.summary = message.summary
            $0.read = message.read
            $0.timestampCreated = message.timestampCreated.timeIntervalSince1970
            $0.body = message.body
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
