import LabKit

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
                    body: texts?.message ?? operation.data),
                about: operation)
        case .operationFinished(let operation):
            guard let message = PushMessage.operationFinished(operation) else { return [] }
            return try send(message, about: operation)
        case .message(let message, let audience):
            return try send(message, to: audience)
        }
    }

    private func send(_ message: PushMessage, about operation: OperationRecord) throws -> [PushJournal.Entry] {
        // An unclaimed operation is not announced.
        guard let userId = operation.userId else { return [] }
        return try send(
            message,
            to: .init(
                userId: userId, applications: operation.applications.map(\.row),
                activationId: operation.activationId))
    }

    private func send(
        _ message: PushMessage, to audience: PushRegistrationStore.Audience
    ) throws -> [PushJournal.Entry] {
        try context.read { try PushRegistrationStore.list($0, audience) }
            .filter { $0.isActive || !message.isPersonal }
            .map { try send(message.notification(id: Identifiers.uuid()), to: $0) }
    }

    private func send(_ notification: PushNotification, to device: PushRegistration) throws -> PushJournal.Entry {
        let outcome = context.pushes.gateway?.send(notification, to: device.token)
        if outcome == .invalidToken {
            try PushRegistrationService(context: context).remove(token: device.token, application: device.application)
        }
        context.record(
            .pushSent(
                id: notification.id, activationId: device.activationId.text,
                type: notification.payload["messageType"]?.stringValue, outcome: outcome))
        return context.pushes.journal.add(
            PushJournal.Entry(
                id: Identifier(known: notification.id), token: device.token, userId: device.userId,
                activationId: device.activationId,
                kind: notification.kind, priority: notification.priority.headerValue, payload: notification.payload,
                outcome: outcome))
    }
}
