import Foundation

/// The handlers of a message that was sent: the code that removes it from the session's list calls one of them, once, on
/// the delegate queue.
struct PendingMessage: @unchecked Sendable {
    // Sendable is safe: the app's closures are only ever called on the session's serial delegate queue.
    private let replyHandler: ((Data, Bool) -> Void)?
    private let errorHandler: ((any Error) -> Void)?

    init(reply: ((Data, Bool) -> Void)?, failure: ((any Error) -> Void)?) {
        replyHandler = reply
        errorHandler = failure
    }

    var expectsReply: Bool { replyHandler != nil }

    func reply(_ body: Data, _ isPropertyList: Bool) {
        replyHandler?(body, isPropertyList)
    }

    func fail(_ error: any Error) {
        errorHandler?(error)
    }
}
