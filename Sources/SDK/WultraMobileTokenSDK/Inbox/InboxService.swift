import Foundation
import WultraPowerAuthNetworking

/// The inbox service (mobile-token.md, section 13).
final class InboxService: WMTInbox, Sendable {
    private struct Page: Encodable {
        let page: Int
        let size: Int
        let onlyUnread: Bool
    }

    private struct MessageId: Encodable {
        let id: String
    }

    private let calls: ServiceCalls

    init(_ networking: WPNNetworkingService) {
        calls = ServiceCalls(networking)
    }

    var acceptLanguage: String {
        get { calls.networking.acceptLanguage }
        set { calls.networking.acceptLanguage = newValue }
    }

    func getUnreadCount(completion: @escaping (Result<WMTInboxCount, WMTError>) -> Void) -> Operation? {
        value("count", WPNRequestBase(), completion)
    }

    func getMessageList(
        pageNumber: Int, pageSize: Int, onlyUnread: Bool,
        completion: @escaping (Result<[WMTInboxMessage], WMTError>) -> Void
    ) -> Operation? {
        let page = Page(page: pageNumber, size: pageSize, onlyUnread: onlyUnread)
        return value("message/list", WPNRequest(page), completion)
    }

    func getMessageDetail(
        messageId: String, completion: @escaping (Result<WMTInboxMessageDetail, WMTError>) -> Void
    ) -> Operation? {
        value("message/detail", WPNRequest(MessageId(id: messageId)), completion)
    }

    func markRead(messageId: String, completion: @escaping (Result<Void, WMTError>) -> Void) -> Operation? {
        change("message/read", WPNRequest(MessageId(id: messageId)), completion)
    }

    func markAllRead(completion: @escaping (Result<Void, WMTError>) -> Void) -> Operation? {
        change("message/read-all", WPNRequestBase(), completion)
    }

    private func value<Value: Decodable>(
        _ path: String, _ request: WPNRequestBase, _ completion: @escaping (Result<Value, WMTError>) -> Void
    ) -> Operation? {
        calls.call("/api/inbox/" + path, request) { (response: Result<WPNResponse<Value>, WMTError>) in
            completion(response.flatMap { ServiceCalls.result($0.responseObject, nil) })
        }
    }

    private func change(
        _ path: String, _ request: WPNRequestBase, _ completion: @escaping (Result<Void, WMTError>) -> Void
    ) -> Operation? {
        calls.call("/api/inbox/" + path, request) { (response: Result<WPNResponseBase, WMTError>) in
            completion(response.map { _ in () })
        }
    }
}
