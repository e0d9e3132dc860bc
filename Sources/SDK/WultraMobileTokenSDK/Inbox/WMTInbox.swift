public import Foundation
public import WultraPowerAuthNetworking

/// The user's messages (mobile-token.md, section 13).
///
/// Thread rule: any thread. Completions run on the main queue; that of a cancelled call does not run. A call that returns
/// nil reports `missingActivation` later on.
public protocol WMTInbox: AnyObject {
    /// The user's languages as in the header `Accept-Language`.
    var acceptLanguage: String { get set }

    /// Gives how many messages are not read.
    @discardableResult
    func getUnreadCount(completion: @escaping (Result<WMTInboxCount, WMTError>) -> Void) -> Operation?

    /// Gives a page of messages, newest first.
    ///
    /// - Parameters:
    ///   - pageNumber: number of the page, from 0.
    ///   - pageSize: messages a page.
    ///   - onlyUnread: whether read messages are left out.
    ///   - completion: takes the messages or an error.
    @discardableResult
    func getMessageList(
        pageNumber: Int, pageSize: Int, onlyUnread: Bool,
        completion: @escaping (Result<[WMTInboxMessage], WMTError>) -> Void
    ) -> Operation?

    /// Gives a message with its body. That does not mark it as read.
    @discardableResult
    func getMessageDetail(
        messageId: String, completion: @escaping (Result<WMTInboxMessageDetail, WMTError>) -> Void
    ) -> Operation?

    /// Marks a message as read.
    @discardableResult
    func markRead(messageId: String, completion: @escaping (Result<Void, WMTError>) -> Void) -> Operation?

    /// Marks all messages as read.
    @discardableResult
    func markAllRead(completion: @escaping (Result<Void, WMTError>) -> Void) -> Operation?
}

extension WMTInbox {
    /// As the function of the protocol, with read messages.
    @discardableResult
    public func getMessageList(
        pageNumber: Int, pageSize: Int, completion: @escaping (Result<[WMTInboxMessage], WMTError>) -> Void
    ) -> Operation? {
        getMessageList(pageNumber: pageNumber, pageSize: pageSize, onlyUnread: false, completion: completion)
    }
}
