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
        let running = Guarded<Operation?>(nil)
        let call = CancellableCall(completion) { running.withLock { $0 }?.cancel() }
        let messages = AllMessages(pageSize: max(1, pageSize), limit: messageLimit, onlyUnread: onlyUnread)
        return collect(messages, call, running) ? call : nil
    }

    /// Loads the next page, and all that follow.
    ///
    /// - Returns: whether a request was made.
    @discardableResult
    private func collect(
        _ messages: AllMessages, _ call: CancellableCall<Result<[WMTInboxMessage], WMTError>>,
        _ running: Guarded<Operation?>
    ) -> Bool {
        let operation = getMessageList(
            pageNumber: messages.pages, pageSize: messages.pageSize, onlyUnread: messages.onlyUnread
        ) { result in
            guard !call.isCanceled else { return }
            guard case .success(let page) = result else { return call.complete(result) }
            var messages = messages
            messages.append(page)
            if messages.isComplete { return call.complete(.success(messages.found)) }
            self.collect(messages, call, running)
        }
        running.withLock { $0 = operation }
        if call.isCanceled { operation?.cancel() }
        return operation != nil
    }
}

/// What the pages so far have given. A message that moved to the next page meanwhile comes twice, and counts once
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
