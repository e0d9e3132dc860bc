import LabKit

/// Frequent back-office tasks of the Mobile Token API, in one call each.
///
/// Thread rule: worker threads only; all methods block.
struct LabShortcuts: Sendable {
    let context: ServiceContext

    /// Creates a payment in every application.
    func createPayment(_ payment: CreatePayment) throws -> OperationRecord {
        var parameters = ["amount": payment.amount, "currency": payment.currency, "iban": payment.iban]
        parameters["note"] = payment.note
        return try createOperation(
            .init(
                userId: Identifier(payment.userId, field: "userId"),
                templateName: Identifier(known: DefaultTemplates.payment), parameters: parameters,
                isProximityCheckEnabled: payment.proximityCheck))
    }

    /// Creates an operation, in every application unless it names some.
    func createOperation(_ operation: OperationService.NewOperation) throws -> OperationRecord {
        var operation = operation
        if operation.applicationIds.isEmpty { operation.applicationIds = try applications().map(\.id) }
        return try OperationService(context: context).create(operation)
    }

    /// Sends a message to all devices of a user and waits until it is handed over.
    func sendPush(_ command: SendPush) throws -> [PushJournal.Entry] {
        try context.pushes.deliver(
            .message(
                PushMessage(
                    title: command.title, body: command.body, sound: "default", isSilent: command.silent,
                    extras: command.userInfo),
                .init(userId: Identifier(command.userId, field: "userId"), applications: applications().map(\.row))),
            context)
    }

    /// Puts a message into the inbox of a user.
    func sendInboxMessage(_ command: SendInboxMessage) throws -> InboxMessage {
        try InboxService(context: context).create(
            .init(
                userId: Identifier(command.userId, field: "userId"), format: command.type == .html ? .html : .text,
                subject: command.subject,
                summary: command.summary, body: command.body, isSilent: command.silent))
    }

    private func applications() throws -> [Application] {
        try context.read(ApplicationStore.all)
    }
}
