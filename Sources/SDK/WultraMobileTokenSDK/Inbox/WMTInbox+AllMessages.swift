import Foundation
public import WultraPowerAuthNetworking

extension WMTInbox {
    /// Gives all messages, page by page (mobile-token.md, section 13.3).
    ///
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
    ///
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
    /// Whether nothing more is to come.
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
