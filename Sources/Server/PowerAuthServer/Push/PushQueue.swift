// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import ServiceLifecycle
import Synchronization

/// A change that is reported to devices after its commit.
enum Push: Sendable {
    case operationCreated(OperationRecord)
    case operationFinished(OperationRecord)
    case message(PushMessage, PushRegistrationStore.Audience)
}

/// Sends pushes on a thread of its own, in the order of their commits: neither a request nor a transaction waits for a
/// device.
///
/// Thread rule: any thread.
final class PushQueue: Service {
    /// Nil on a server without push gateway.
    let gateway: (any PushGateway)?
    let journal = PushJournal()
    private let thread = WorkerThreads(count: 1)

    init(gateway: (any PushGateway)?) { self.gateway = gateway }

    /// Takes no more pushes when the server ends; those that wait are sent as long as the database is open.
    func run() async throws {
        try await gracefulShutdown()
        thread.close()
    }

    /// Sends them, some time. Returns at once.
    /// - Parameter operation: the lab operation that caused them.
    func submit(_ pushes: [Push], onBehalfOf operation: String?, _ context: ServiceContext) {
        thread.submit {
            CurrentOperation.$id.withValue(operation) {
                // Push is best effort: a server that is closing sends nothing more.
                for push in pushes { _ = try? PushSender(context: context).send(push) }
            }
        }
    }

    /// Sends one and blocks until it has been handed to every device.
    /// - Throws: `closed` when the server ends.
    func deliver(_ push: Push, _ context: ServiceContext) throws -> [PushJournal.Entry] {
        let delivery = OneShot<Result<[PushJournal.Entry], any Error>>()
        let operation = CurrentOperation.id
        let isTaken = thread.submit {
            CurrentOperation.$id.withValue(operation) {
                _ = delivery.set(Result { try PushSender(context: context).send(push) })
            }
        }
        guard isTaken else { throw ServerDatabaseError.closed }
        return try delivery.wait().get()
    }

    /// Blocks until everything that was submitted before has been sent.
    func settle() {
        let isSettled = OneShot<Void>()
        if thread.submit({ isSettled.set() }) { isSettled.wait() }
    }
}

/// Finds the devices of a push and hands it to each (mobile-token.md, section 20.2).
///
/// Thread rule: the thread of ``PushQueue`` only; all methods block.
struct PushSender: Sendable {
    let context: ServiceContext

    /// Sends a push to every device that it is for.
    /// - Returns: what was handed over.
    func send(_ push: Push) throws -> [PushJournal.Entry] {
        switch push {
        case .operationCreated(let operation):
            let texts = try context.read { try UITemplates.of([operation.operationType], $0) }
                .template(for: operation.operationType, language: UITemplates.defaultLanguage)
                .map { $0.texts(of: operation) }
            return try send(
                .operationCreated(
                    operation, title: texts?.title ?? operation.operationType.text,
                    body: texts?.message ?? operation.data), about: operation)
        case .operationFinished(let operation):
            guard let message = PushMessage.operationFinished(operation) else { return [] }
            return try send(message, about: operation)
        case .message(let message, let audience): return try send(message, to: audience)
        }
    }

    private func send(_ message: PushMessage, about operation: OperationRecord) throws -> [PushJournal.Entry] {
        // An unclaimed operation is not announced.
        guard let userId = operation.userId else { return [] }
        return try send(
            message,
            to: .init(
                userId: userId, applications: operation.applications.map(\.row), activationId: operation.activationId))
    }

    private func send(
        _ message: PushMessage, to audience: PushRegistrationStore.Audience
    ) throws -> [PushJournal.Entry] {
        try context.read { try PushRegistrationStore.list($0, audience) }
            .filter { $0.isActive || !message.isPersonal }
            .map { try send(message.notification(id: Identifiers.uuid()), to: $0) }
    }

    private func send(_ notification: PushNotification, to device: PushRegistration) throws -> PushJournal.Entry {
        let outcome = context.pushes.gateway?.send(
            notification, to: device.token, in: device.environment ?? context.policy.pushEnvironment)
        if outcome == .invalidToken || outcome == .badDeviceToken {
            try PushRegistrationService(context: context).remove(token: device.token, application: device.application)
        }
        context.record(
            .pushSent(
                id: notification.id, activationId: device.activationId.text,
                type: notification.payload["messageType"]?.stringValue, outcome: outcome))
        return context.pushes.journal.add(
            PushJournal.Entry(
                id: Identifier(known: notification.id), token: device.token, userId: device.userId,
                activationId: device.activationId, kind: notification.kind, priority: notification.priority.headerValue,
                payload: notification.payload, outcome: outcome))
    }
}

/// The newest notifications, for inspection of the server.
///
/// Thread rule: any thread.
final class PushJournal: Sendable {
    struct Entry: Encodable, Sendable {
        /// From 1.
        var number = 0
        let id: Identifier
        let token: String
        let userId: Identifier
        let activationId: Identifier
        let kind: PushNotification.Kind
        let priority: Int
        let payload: [String: JSONValue]
        /// The outcome of the delivery; nil on a server without push gateway.
        @ExplicitNull var outcome: PushOutcome?
    }

    private struct State {
        var last = 0
        var entries: [Entry] = []
    }

    /// How many are kept.
    static let limit = 1000

    private let state = Mutex(State())

    /// - Returns: the entry with its number.
    func add(_ entry: Entry) -> Entry {
        state.withLock { state in
            state.last += 1
            var numbered = entry
            numbered.number = state.last
            state.entries.append(numbered)
            if state.entries.count > Self.limit { state.entries.removeFirst(Self.limit / 10) }
            return numbered
        }
    }

    /// Those after the notification of a number, oldest first.
    func entries(after number: Int) -> [Entry] {
        state.withLock { state in state.entries.filter { $0.number > number } }
    }

    func clear() { state.withLock { $0.entries.removeAll() } }
}
