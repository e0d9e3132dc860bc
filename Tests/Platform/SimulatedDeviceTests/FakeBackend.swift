// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import Synchronization

/// The system's side of a watch session, played by a test.
final class FakeBackend: WatchSessionBackend {
    let isSupported: Bool
    let isWatch: Bool
    private struct State {
        var receiver: (@Sendable (WatchSessionEvent) -> Void)?
        var log: [String] = []
        var messages: [LiveMessage] = []
        var transfers: [UUID] = []
        var contents: [TransferContent] = []
        var contexts: [Data] = []
        var replies: [LiveMessage] = []
        var about: [UUID] = []
        var transferCode: Int?
        var contextCode: Int?
    }
    private let state = Mutex(State())

    init(isSupported: Bool = true, isWatch: Bool = false) {
        self.isSupported = isSupported
        self.isWatch = isWatch
    }

    var log: [String] { state.withLock { $0.log } }
    var messages: [LiveMessage] { state.withLock { $0.messages } }
    var transfers: [UUID] { state.withLock { $0.transfers } }
    var contents: [TransferContent] { state.withLock { $0.contents } }
    /// The contexts of the app, in order.
    var contexts: [Data] { state.withLock { $0.contexts } }
    /// The replies to messages, as messages.
    var replies: [LiveMessage] { state.withLock { $0.replies } }
    /// What the entries of the log are about, but for `activate`.
    var about: [UUID] { state.withLock { $0.about } }

    func refuseTransfers(code: Int) { state.withLock { $0.transferCode = code } }

    func refuseContexts(code: Int?) { state.withLock { $0.contextCode = code } }

    /// Brings news to the session.
    func bring(_ event: WatchSessionEvent) { state.withLock { $0.receiver }?(event) }

    func setReceiver(_ receiver: @escaping @Sendable (WatchSessionEvent) -> Void) {
        state.withLock { $0.receiver = receiver }
    }

    func activate() { note("activate") }

    func send(_ message: LiveMessage) { state.withLock { $0.messages.append(message) } }

    func reply(to messageId: UUID, body: Data, isPropertyList: Bool) {
        let reply = LiveMessage(messageId: messageId, body: body, isPropertyList: isPropertyList, expectsReply: false)
        state.withLock { $0.replies.append(reply) }
        note("reply \([UInt8](body))", messageId)
    }

    func acknowledge(_ messageId: UUID) { note("acknowledge", messageId) }
    func refuse(_ messageId: UUID, code: Int) { note("refuse \(code)", messageId) }

    func queueTransfer(_ transferId: UUID, _ content: TransferContent) -> Int? {
        state.withLock { state in
            state.transfers.append(transferId)
            state.contents.append(content)
            return state.transferCode
        }
    }

    func cancelTransfer(_ transferId: UUID) { note("cancel", transferId) }
    func told(_ transferId: UUID) { note("told", transferId) }
    func delivered(_ transferId: UUID) { note("delivered", transferId) }
    func contextTold(_ news: UUID) { note("context told", news) }

    func updateContext(_ body: Data) -> Int? {
        state.withLock { state in
            state.contexts.append(body)
            return state.contextCode
        }
    }

    private func note(_ text: String, _ id: UUID? = nil) {
        state.withLock { state in
            state.log.append(text)
            if let id { state.about.append(id) }
        }
    }
}

/// The system's side of notifications, played by a test.
final class FakeNotificationSystem: Sendable {
    let service = NotificationService()
    private let requests = Mutex<[NotificationRequest]>([])

    /// - Parameter answer: the answer to a request; nil for one that has none.
    init(answer: @escaping @Sendable (NotificationRequest) -> NotificationAnswer? = { _ in nil }) {
        service.connect { [self] id, request in
            requests.withLock { $0.append(request) }
            if let answer = answer(request) { service.take(answer, to: id) }
        }
    }

    /// The requests and reports of the app, oldest first.
    var log: [NotificationRequest] { requests.withLock { $0 } }
}
