import LabKit

/// Finds the devices of a push and hands it to each (mobile-token.md, section 20.2).
///
/// Thread rule: the thread of ``PushQueue`` only; all methods block.
struct PushSender: Sendable {
    let context: ServiceContext

    /// Sends a push to every device that it is for.
    func send(_ push: Push) throws {
        switch push {
        case .operationCreated(let operation):
            let texts = try context.read { try UITemplates.of([operation.operationType], $0) }
                .template(for: operation.operationType, language: UITemplates.defaultLanguage)
                .map { $0.texts(of: operation) }
            try send(
                .operationCreated(
                    operation, title: texts?.title ?? operation.operationType, body: texts?.message ?? operation.data),
                about: operation)
        case .operationFinished(let operation):
            guard let message = PushMessage.operationFinished(operation) else { return }
            try send(message, about: operation)
        case .message(let message, let audience):
            try send(message, to: audience)
        }
    }

    private func send(_ message: PushMessage, about operation: OperationRecord) throws {
        // An operation that nobody has claimed yet is nobody's business.
        guard let userId = operation.userId else { return }
        try send(
            message,
            to: .init(
                userId: userId, applications: operation.applications.map(\.row),
                activationId: operation.activationId))
    }

    private func send(_ message: PushMessage, to audience: PushRegistrationStore.Audience) throws {
        for device in try context.read({ try PushRegistrationStore.list($0, audience) })
        where device.isActive || !message.isPersonal {
            let notification = message.notification(id: Identifiers.uuid())
            let outcome = context.pushes.gateway?.send(notification, to: device.token)
            if outcome == .invalidToken {
                try PushRegistrationService(context: context)
                    .remove(token: device.token, application: device.application)
            }
            context.pushes.journal.add(
                PushJournal.Entry(
                    id: notification.id, token: device.token, userId: device.userId,
                    activationId: device.activationId, kind: notification.kind,
                    priority: notification.priority.headerValue, payload: notification.payload, outcome: outcome))
            context.record(
                .pushSent(
                    id: notification.id, activationId: device.activationId,
                    type: notification.payload["messageType"]?.stringValue, outcome: outcome))
        }
    }
}
