// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import PowerAuthProtocol

/// Operations: creation, search and the decisions about them (server.md, sections 18 and 23).
///
/// Overdue operations are expired before any other access.
struct OperationService: Sendable {
    let context: ServiceContext

    // MARK: Creation

    struct NewOperation: Sendable {
        var userId: Identifier?
        var applicationIds: [Identifier] = []
        var activationFlag: Identifier?
        var templateName: Identifier?
        var expires: ServerTime?
        var externalId: Identifier?
        var parameters: [String: String] = [:]
        var additionalData: [String: JSONValue] = [:]
        /// Overrides the template.
        var isProximityCheckEnabled: Bool?
        var activationId: Identifier?
    }

    /// Creates an operation that waits for a decision.
    /// - Throws: `invalidRequest` with a sentence, `operationTemplateNotFound`, `invalidApplication`,
    ///   `unableToGenerateToken`.
    func create(_ new: NewOperation) throws -> OperationRecord {
        guard !new.applicationIds.isEmpty else { throw ServiceError.invalid("applications must not be empty") }
        guard let templateName = new.templateName.nonBlank else {
            throw ServiceError.invalid("templateName is missing")
        }
        guard new.userId?.text.isEmpty != true else { throw ServiceError.invalid("userId must not be empty") }
        guard new.activationId?.text.count ?? 0 <= 37 else { throw ServiceError.invalid("activationId is too long") }
        try Self.checkLengths(of: new)
        for (name, value) in new.parameters
        where value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" }) {
            throw ServiceError.invalid("parameter \(name) holds a control character")
        }
        return try context.change { change in
            if let expires = new.expires, expires <= change.now {
                throw ServiceError.invalid("timestampExpires is in the past")
            }
            guard let template = try OperationTemplateStore.find(change.database, name: templateName) else {
                throw ServiceError(.operationTemplateNotFound, "no template \(templateName)")
            }
            let applications = try Self.applications(change.database, new.applicationIds)
            let hasProximityCheck = new.isProximityCheckEnabled ?? template.isProximityCheckEnabled
            let id = try Identifiers.firstFree(
                attempts: context.policy.generationAttempts, orThrow: .unableToGenerateToken, draw: Identifiers.uuid
            ) { try OperationStore.exists(change.database, id: $0) }
            let operation = OperationRecord(
                id: id, userId: try Self.owner(of: new, in: change.database), applications: applications,
                externalId: new.externalId, activationFlag: new.activationFlag, activationId: new.activationId,
                operationType: template.operationType, templateName: template.name,
                data: try template.data(with: new.parameters), parameters: new.parameters,
                additionalData: new.additionalData, status: .pending, signatureTypes: template.signatureTypes,
                failureCount: 0, maxFailureCount: template.maxFailureCount, riskFlags: template.riskFlags,
                proximitySeed: hasProximityCheck ? Random.bytes(16) : nil, created: change.now,
                expires: new.expires ?? change.now.advanced(by: template.expiration.multipliedSaturating(by: 1000)))
            try OperationStore.insert(change.database, operation)
            try change.audit(operation)
            try change.announce(operation)
            change.push(.operationCreated(operation))
            return operation
        }
    }

    /// - Throws: `invalidRequest` for texts that make the operation too long.
    private static func checkLengths(of new: NewOperation) throws {
        guard new.parameters.count <= mostParameters else {
            throw ServiceError.invalid("parameters must be at most \(mostParameters)")
        }
        for (name, value) in new.parameters {
            try TextLimit.line.check(name, "the name of a parameter")
            try TextLimit.parameter.check(value, "a parameter")
        }
        try TextLimit.json.check(JSONValue.object(new.additionalData).description, "additionalData")
    }

    /// How many parameters an operation has at most.
    static let mostParameters = 64

    /// The user of a new operation: the one given, or else the owner of its activation.
    private static func owner(of new: NewOperation, in database: Database) throws -> Identifier? {
        guard let activationId = new.activationId else { return new.userId }
        let owner = try ActivationStore.find(database, id: activationId)?.userId
        guard let owner, new.userId == nil || new.userId == owner else {
            throw ServiceError.invalid("activationId is unknown or belongs to another user")
        }
        return owner
    }

    /// - Throws: `invalidApplication` when one is unknown or listed twice.
    static func applications(_ database: Database, _ ids: [Identifier]) throws -> [Application] {
        let found = try Set(ids).sorted().compactMap { try ApplicationStore.find(database, id: $0) }
        guard found.count == ids.count else {
            throw ServiceError(.invalidApplication, "an application is unknown or listed twice")
        }
        return found
    }

    // MARK: Search

    /// Returns an operation. The given user claims it if it is unclaimed.
    /// - Throws: `invalidRequest`, `operationNotFound` for an unknown operation, another user's pending one, or one that
    ///   the user could not decide on.
    func detail(id: Identifier?, userId: Identifier?) throws -> OperationRecord {
        guard let id else { throw ServiceError.invalid("operationId is missing") }
        try expireOverdue()
        let found = try context.read { try OperationStore.find($0, id: id) }
        guard let found else { throw Self.notFound(id) }
        guard let userId, found.status == .pending, found.userId != userId else { return found.describingDevice() }
        return try context.change { change in
            guard var operation = try OperationStore.find(change.database, id: id) else { throw Self.notFound(id) }
            if operation.status == .pending, operation.userId != userId {
                guard operation.userId == nil, try canDecide(userId, on: operation, in: change.database) else {
                    throw Self.notFound(id)
                }
                operation.userId = userId
                try OperationStore.update(change.database, operation)
            }
            return operation.describingDevice()
        }
    }

    /// Claims a pending operation without user for the user (mobile-token.md, section 18.7).
    /// - Throws: as ``detail(id:userId:)``; `invalidRequest` also without user.
    func claim(id: Identifier?, userId: Identifier?) throws -> OperationRecord {
        guard let userId = userId.nonBlank else { throw ServiceError.invalid("userId is missing") }
        return try detail(id: id, userId: userId)
    }

    /// Whether an active activation of the user has the flag that a pending operation asks for. A user without one would
    /// keep the operation from all who could decide on it (mobile-token.md, section 24, item 33).
    func canDecide(_ userId: Identifier, on operation: OperationRecord, in database: Database) throws -> Bool {
        guard let flag = operation.activationFlag, context.policy.isFlagCheckedAtClaim else { return true }
        let filter = ActivationStore.LookupFilter(
            userIds: [userId], applicationIds: operation.applications.map(\.id), status: .active, flags: [flag])
        return try !ActivationStore.lookup(database, filter).isEmpty
    }

    /// Whose operations a list shows.
    struct Query: Sendable {
        var applicationIds: [Identifier] = []
        var activationId: Identifier?
        var page: Int?
        var pageSize: Int?
    }

    /// A page of a user's operations, newest first.
    /// - Throws: `noUserId` without user, `invalidRequest` for a bad page or no application, `invalidApplication`.
    func list(userId: Identifier?, _ query: Query, isPendingOnly: Bool) throws -> [OperationRecord] {
        guard let userId = userId.nonBlank else { throw ServiceError(.noUserId, "userId is missing") }
        return try list(query) {
            $0.userId = userId; $0.isPendingOnly = isPendingOnly
        }
    }

    /// A page of the operations with an external identifier, newest first.
    func list(externalId: Identifier?, _ query: Query) throws -> [OperationRecord] {
        guard let externalId = externalId.nonBlank else { throw ServiceError.invalid("externalId is missing") }
        return try list(query) { $0.externalId = externalId }
    }

    private func list(_ query: Query, _ narrow: (inout OperationStore.Filter) -> Void) throws -> [OperationRecord] {
        guard !query.applicationIds.isEmpty else { throw ServiceError.invalid("applications must not be empty") }
        let size = query.pageSize ?? context.policy.pageSize
        let (offset, overflow) = (query.page ?? 0).multipliedReportingOverflow(by: size)
        guard size > 0, offset >= 0, !overflow else {
            throw ServiceError.invalid("pageNumber must not be negative and pageSize must be positive")
        }
        try expireOverdue()
        return try context.read { database in
            var filter = OperationStore.Filter(
                applications: try Self.applications(database, query.applicationIds),
                activationId: query.activationId, offset: offset, limit: size)
            if let activationId = query.activationId {
                // An activation without flags sees no operation that requires one (server.md, section 30, item 9).
                filter.flags = try ActivationStore.find(database, id: activationId)?.flags ?? []
            }
            narrow(&filter)
            return try OperationStore.list(database, filter)
        }
    }

    // MARK: Expiry

    /// How many operations expire in one transaction: requests wait for the write lock meanwhile.
    static let expiryBatch = 100

    /// Gives every overdue operation its final status.
    func expireOverdue() throws {
        let now = context.clock.now()
        guard let next = try context.read(OperationStore.nextExpiry), next < now else { return }
        func expireBatch(_ change: WriteTransaction) throws -> Int {
            let overdue = try OperationStore.expired(change.database, at: change.now, limit: Self.expiryBatch)
            for var operation in overdue {
                operation.finish(.expired, at: change.now)
                try change.save(operation)
            }
            return overdue.count
        }
        while try context.change(expireBatch) == Self.expiryBatch {}
    }

    static func notFound(_ id: Identifier) -> ServiceError { ServiceError(.operationNotFound, "no operation \(id)") }
}

extension WriteTransaction {
    /// Saves a changed operation and notifies its callbacks; for a decided one also the devices of its user.
    func save(_ operation: OperationRecord) throws {
        try OperationStore.update(database, operation)
        try audit(operation)
        try announce(operation)
        if operation.status != .pending { push(.operationFinished(operation)) }
    }
}

extension Int64 {
    /// The product, or the nearest end of the range.
    func multipliedSaturating(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? ((self < 0) == (factor < 0) ? .max : .min) : product
    }
}
