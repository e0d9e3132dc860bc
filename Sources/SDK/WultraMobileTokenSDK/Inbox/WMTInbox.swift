// SPDX-License-Identifier: Apache-2.0

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

/// How many messages of the inbox are not read.
public struct WMTInboxCount: Codable, Equatable, Sendable {
    /// The number.
    public let countUnread: Int
}

/// How the body of a message is written.
public enum WMTInboxContentType: String, Codable, Sendable {
    /// Plain text.
    case text
    /// HTML.
    case html
}

/// A message of the inbox without its body (mobile-token.md, section 13.2).
public struct WMTInboxMessage: Codable, Equatable, Sendable {
    /// Identifier of the message.
    public let id: String
    /// How the body is written.
    public let type: WMTInboxContentType
    /// Subject.
    public let subject: String
    /// The message in short.
    public let summary: String
    /// Whether the message was marked as read.
    public let read: Bool
    /// When the message came into the inbox.
    public let timestampCreated: Date
}

/// A message of the inbox (mobile-token.md, section 13.2).
public struct WMTInboxMessageDetail: Codable, Equatable, Sendable {
    /// Identifier of the message.
    public let id: String
    /// How the body is written.
    public let type: WMTInboxContentType
    /// Subject.
    public let subject: String
    /// The message in short.
    public let summary: String
    /// The message.
    public let body: String
    /// Whether the message was marked as read.
    public let read: Bool
    /// When the message came into the inbox.
    public let timestampCreated: Date
}

extension WMTInbox {
    /// Gives all messages, page by page (mobile-token.md, section 13.3).
    /// - Parameters:
    ///   - pageSize: messages a page.
    ///   - messageLimit: how many messages are wanted at most; 0 for all.
    ///   - onlyUnread: whether read messages are left out.
    ///   - completion: takes the messages, each once, or the first error.
    /// - Returns: nil without an activation.
    @discardableResult
    public func getAllMessages(
        pageSize: Int = 100, messageLimit: Int = 1000, onlyUnread: Bool = false,
        completion: @escaping (Result<[WMTInboxMessage], WMTError>) -> Void
    ) -> (any WMTCancellable)? {
        let running = PageRequest()
        let call = CancellableCall(completion) { running.end()?.cancel() }
        let messages = AllMessages(pageSize: max(1, pageSize), limit: messageLimit, onlyUnread: onlyUnread)
        return collect(messages, call, running) ? call : nil
    }

    /// Loads the next page, and all that follow.
    /// - Returns: whether a request was made.
    @discardableResult
    private func collect(
        _ messages: AllMessages, _ call: CancellableCall<Result<[WMTInboxMessage], WMTError>>, _ running: PageRequest
    ) -> Bool {
        let operation = getMessageList(
            pageNumber: messages.pages, pageSize: messages.pageSize, onlyUnread: messages.onlyUnread
        ) { result in
            guard !call.isCanceled else { return }
            var messages = messages
            if case .success(let page) = result {
                messages.append(page)
                if !messages.isComplete {
                    self.collect(messages, call, running)
                    return
                }
            }
            running.end()
            call.complete(result.map { _ in messages.found })
        }
        running.begin(operation, page: messages.pages)
        if call.isCanceled { operation?.cancel() }
        return operation != nil
    }
}

/// The request for a page that is under way. Its completion holds this object, so it is let go at the end.
///
/// Thread rule: any thread.
private final class PageRequest: Sendable {
    private struct State {
        var page = 0
        var operation: Operation?
    }

    private let state = Guarded(State())

    /// Remembers a request, unless it was answered so soon that a later page, or the end, has come already.
    func begin(_ operation: Operation?, page: Int) {
        state.withLock { state in
            if page >= state.page { state = State(page: page, operation: operation) }
        }
    }

    /// - Returns: the call in progress.
    @discardableResult
    func end() -> Operation? {
        state.withLock { state in
            defer { state = State(page: .max) }
            return state.operation
        }
    }
}

/// The messages of the pages so far. A message that moved to the next page meanwhile comes twice, and counts once
/// (mobile-token.md, section 24, item 20).
private struct AllMessages {
    let pageSize: Int
    /// How many messages are wanted; 0 for all.
    let limit: Int
    let onlyUnread: Bool
    private(set) var found: [WMTInboxMessage] = []
    private(set) var pages = 0
    private(set) var isComplete = false
    private var seen: Set<String> = []

    init(pageSize: Int, limit: Int, onlyUnread: Bool) {
        self.pageSize = pageSize
        self.limit = limit
        self.onlyUnread = onlyUnread
    }

    mutating func append(_ page: [WMTInboxMessage]) {
        pages += 1
        found += page.filter { seen.insert($0.id).inserted }
        if limit > 0 { found = Array(found.prefix(limit)) }
        isComplete = page.count < pageSize || (limit > 0 && found.count == limit)
    }
}

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

    init(_ networking: WPNNetworkingService) { calls = ServiceCalls(networking) }

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
