// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol

/// Decisions about operations: approval, rejection and cancellation (server.md, sections 18.4, 18.5 and 23).
///
/// Signatures are verified by the caller.
struct OperationDecisionService: Sendable {
    let context: ServiceContext

    /// A decision and what it led to.
    typealias Decided = (result: UserActionResult, operation: OperationRecord)

    struct Approval: Sendable {
        var operationId: Identifier?
        var userId: Identifier?
        var applicationId: Identifier?
        var data: String?
        var signatureType: SignatureType?
        var additionalData: [String: JSONValue]?
    }

    /// Approves an operation, or counts a failure when anything claimed is not so.
    /// - Throws: `invalidRequest` for a missing field, `operationApproveFailure` for an unknown or final operation,
    ///   `invalidApplication`.
    func approve(_ approval: Approval) throws -> Decided {
        guard let id = approval.operationId, let userId = approval.userId, let applicationId = approval.applicationId,
            approval.data?.isEmpty == false, approval.signatureType != nil
        else { throw ServiceError.invalid("operationId, userId, applicationId, data and signatureType are required") }
        return try decide(
            id, unknown: .operationApproveFailure, final: .operationApproveFailure, knowing: applicationId
        ) { operation, change in
            let isRight = try isRight(approval, about: operation, in: change)
            try Self.merge(approval.additionalData, into: &operation)
            let result: UserActionResult
            if isRight {
                operation.userId = userId
                operation.finish(.approved, at: change.now)
                result = .approved
            } else {
                result = operation.countFailure(at: change.now)
            }
            try change.save(operation)
            return result
        }
    }

    private func isRight(
        _ approval: Approval, about operation: OperationRecord, in change: WriteTransaction
    ) throws -> Bool {
        let activationId = approval.additionalData?["activationId"]?.stringValue.flatMap(Identifier.init(_:))
        guard operation.userId == nil || operation.userId == approval.userId,
            operation.applications.contains(where: { $0.id == approval.applicationId }),
            // Equal texts may have been signed as different bytes.
            operation.data.utf8.elementsEqual((approval.data ?? "").utf8), let type = approval.signatureType,
            operation.signatureTypes.contains(type), operation.failureCount < operation.maxFailureCount,
            operation.acceptsProximity(
                approval.additionalData?["proximity_otp"]?.stringValue, at: change.now, context.policy.proximity),
            operation.activationId == nil || operation.activationId == activationId
        else { return false }
        guard let flag = operation.activationFlag, context.policy.isFlagCheckedAtApproval else { return true }
        // Only an activation of the user with the flag may approve (server.md, section 30, item 9).
        guard let activationId, let activation = try change.findActivation(activationId) else { return false }
        return activation.userId == approval.userId && activation.flags.contains(flag)
    }

    /// Counts an approval whose signature was wrong.
    func failApproval(operationId: Identifier?, additionalData: [String: JSONValue]?) throws -> Decided {
        guard let operationId else { throw ServiceError.invalid("operationId is missing") }
        return try decide(operationId, unknown: .operationNotFound, final: .operationInvalidState) {
            operation, change in
            try Self.merge(additionalData, into: &operation)
            let result = operation.countFailure(at: change.now)
            try change.save(operation)
            return result
        }
    }

    /// Rejects an operation; a foreign user or application changes nothing.
    /// - Throws: `invalidRequest`, `operationRejectFailure` for an unknown or final operation, `invalidApplication`.
    func reject(
        operationId: Identifier?, userId: Identifier?, applicationId: Identifier?, additionalData: [String: JSONValue]?
    ) throws -> Decided {
        guard let operationId, let userId, let applicationId else {
            throw ServiceError.invalid("operationId, userId and applicationId are required")
        }
        return try decide(operationId, unknown: .operationRejectFailure, final: .operationRejectFailure) {
            operation, change in
            let application = try ApplicationStore.required(change.database, id: applicationId)
            guard operation.userId == nil || operation.userId == userId,
                operation.applications.contains(where: { $0.row == application.row })
            else { return .rejectFailed }
            try Self.merge(additionalData, into: &operation)
            operation.userId = userId
            operation.finish(.rejected, at: change.now)
            try change.save(operation)
            return .rejected
        }
    }

    /// Takes an operation back.
    func cancel(
        operationId: Identifier?, additionalData: [String: JSONValue]?, statusReason: String?
    ) throws -> OperationRecord {
        guard let operationId else { throw ServiceError.invalid("operationId is missing") }
        guard statusReason?.count ?? 0 <= 32 else {
            throw ServiceError.invalid("statusReason must have at most 32 characters")
        }
        return try decide(operationId, unknown: .operationNotFound, final: .operationInvalidState) {
            operation, change in
            try Self.merge(additionalData, into: &operation)
            operation.statusReason = statusReason
            operation.finish(.canceled, at: change.now)
            try change.save(operation)
        }.operation.describingDevice()
    }

    /// Merges the caller's additional data into the stored data.
    /// - Throws: `invalidRequest` if the result is too long.
    private static func merge(_ additional: [String: JSONValue]?, into operation: inout OperationRecord) throws {
        operation.merge(additional)
        try TextLimit.json.check(JSONValue.object(operation.additionalData).description, "additionalData")
    }

    /// Runs a decision on a pending operation.
    /// - Parameters:
    ///   - unknown: the code for an operation that does not exist.
    ///   - final: the code for one that is decided or expired.
    ///   - applicationId: an application that must exist before the operation's status matters.
    private func decide<Result>(
        _ id: Identifier, unknown: ServiceErrorCode, final: ServiceErrorCode, knowing applicationId: Identifier? = nil,
        _ body: @escaping (inout OperationRecord, WriteTransaction) throws -> Result
    ) throws -> (result: Result, operation: OperationRecord) {
        try OperationService(context: context).expireOverdue()
        return try context.change { change in
            guard var operation = try OperationStore.find(change.database, id: id) else {
                throw ServiceError(unknown, "no operation \(id)")
            }
            if let applicationId { _ = try ApplicationStore.required(change.database, id: applicationId) }
            guard operation.status == .pending else {
                throw ServiceError(final, "operation \(id) is \(operation.status.name)")
            }
            return (try body(&operation, change), operation)
        }
    }
}
