// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabVocabulary
import PowerAuthProtocol

/// The commands about operations, offline codes, pushes and the inbox, answered with the same services as the HTTP APIs.
///
/// Thread rule: any thread. Answers block; perform commands on a worker thread.
enum OperationHandlers {
    static func add(to table: inout CommandDispatcher<ServerServices>) {
        table.answer(CreatePayment.self) { arguments, services in
            try result(LabShortcuts(context: services.context).createPayment(arguments), services)
        }
        table.answer(CreateOperation.self, createOperation)
        table.answer(OperationDetail.self) { arguments, services in
            try result(
                OperationService(context: services.context).detail(
                    id: Identifier(arguments.operationId, field: "operationId"), userId: nil), services)
        }
        table.answer(CancelOperation.self) { arguments, services in
            try result(
                OperationDecisionService(context: services.context).cancel(
                    operationId: Identifier(arguments.operationId, field: "operationId"), additionalData: nil,
                    statusReason: arguments.statusReason),
                services)
        }
        table.answer(OfflineQR.self) { arguments, services in
            let code = try OfflineOperationService(context: services.context).code(
                operationId: Identifier(arguments.operationId, field: "operationId"),
                activationId: .named(arguments.activationId, field: "activationId"))
            return OfflineQR.Result {
                $0.payload = code.text
                $0.nonce = code.nonce
            }
        }
        table.answer(VerifyOfflineCode.self, verifyOfflineCode)
        table.answer(RegisterPushDevice.self) { arguments, services in
            try PushRegistrationService(context: services.context).register(
                token: arguments.token, platform: .apns, environment: arguments.environment,
                for: arguments.activationIds.map { try Identifier($0, field: "activationIds") })
        }
        table.answer(SendPush.self) { arguments, services in
            let sent = try LabShortcuts(context: services.context).sendPush(arguments)
            return SendPush.Result {
                $0.sent = sent.count
                $0.accepted = sent.count { $0.outcome == .accepted }
            }
        }
        table.answer(SendInboxMessage.self) { arguments, services in
            let message = try LabShortcuts(context: services.context).sendInboxMessage(arguments)
            return SendInboxMessage.Result { $0.id = message.id.text }
        }
    }

    private static func createOperation(
        _ arguments: CreateOperation, _ services: ServerServices
    ) throws -> ServerOperation {
        let now = services.context.clock.now()
        guard !arguments.parameters.values.contains(where: \.isNull) else {
            throw ServiceError.invalid("parameters must not be null")
        }
        let operation = try OperationService.NewOperation(
            userId: .named(arguments.userId, field: "userId"),
            activationFlag: .named(arguments.activationFlag, field: "activationFlag"),
            templateName: .named(arguments.template, field: "template"),
            expires: arguments.expiresIn.map { now.advanced(by: $0.nanoseconds / 1_000_000) },
            parameters: arguments.parameters.mapValues { $0.stringValue ?? $0.description },
            isProximityCheckEnabled: arguments.proximityCheck,
            activationId: .named(arguments.activationId, field: "activationId"))
        return try result(LabShortcuts(context: services.context).createOperation(operation), services)
    }

    private static func verifyOfflineCode(
        _ arguments: VerifyOfflineCode, _ services: ServerServices
    ) throws -> VerifyOfflineCode.Result {
        let outcome = try OfflineOperationService(context: services.context).verify(
            .init(
                operationId: Identifier(arguments.operationId, field: "operationId"),
                activationId: Identifier(arguments.activationId, field: "activationId"), nonce: arguments.nonce,
                digits: arguments.digits))
        return VerifyOfflineCode.Result {
            $0.isValid = outcome.isValid
            $0.signatureType = outcome.signatureType.name
            $0.remainingAttempts = outcome.remainingAttempts
            $0.operation = result(outcome.operation, services)
        }
    }

    private static func result(_ operation: OperationRecord, _ services: ServerServices) -> ServerOperation {
        ServerOperation {
            $0.operationId = operation.id.text
            $0.userId = operation.userId?.text
            $0.operationType = operation.operationType.text
            $0.data = operation.data
            $0.status = ServerOperation.State(operation.status)
            $0.statusReason = operation.statusReason
            $0.failureCount = operation.failureCount
            $0.maxFailureCount = operation.maxFailureCount
            $0.proximityOtp = services.context.proximityCode(of: operation)
            $0.additionalData = operation.additionalData
        }
    }
}

extension ServerOperation.State {
    fileprivate init(_ status: OperationStatus) {
        self =
            switch status {
            case .pending: .pending
            case .canceled: .canceled
            case .expired: .expired
            case .approved: .approved
            case .rejected: .rejected
            case .failed: .failed
            }
    }
}
