// SPDX-License-Identifier: Apache-2.0

import LabCore
import PowerAuthProtocol

/// Operations for the app of one activation (mobile-token.md, section 16).
struct MobileOperationService: Sendable {
    let context: ServiceContext

    /// The caller and its language.
    struct Caller: Sendable {
        let activation: Activation
        let language: AcceptedLanguage
        /// Where the request came from, for the operation's additional data.
        var ipAddress: String?
        var userAgent: String?

        /// What every decision leaves with the operation.
        fileprivate var additionalData: [String: JSONValue] {
            var data: [String: JSONValue] = [
                "activationId": .string(activation.id.text), "applicationId": .string(activation.application.id.text),
            ]
            data["ipAddress"] = ipAddress.map(JSONValue.string)
            data["userAgent"] = userAgent.map(JSONValue.string)
            return data
        }
    }

    /// The most operations of one list.
    static let pageSize = 100

    private var operations: OperationService { OperationService(context: context) }
    private var decisions: OperationDecisionService { OperationDecisionService(context: context) }

    // MARK: Reading

    /// The newest operations of the caller, without those that cannot be shown.
    func list(_ caller: Caller, isPendingOnly: Bool) throws -> [MobileOperation] {
        let found = try core {
            try operations.list(
                userId: caller.activation.userId,
                .init(
                    applicationIds: [caller.activation.application.id], activationId: caller.activation.id, page: 0,
                    pageSize: Self.pageSize), isPendingOnly: isPendingOnly)
        }
        let templates = try context.read { try UITemplates.of(found.map(\.operationType), $0) }
        return try found.compactMap { try view($0, templates, caller, hasProximityCode: isPendingOnly && $0.hasCode) }
    }

    /// Refuses an activation that is not its user's newest active one, if the settings say that only that one has
    /// operations.
    func checkNewest(_ caller: Caller) throws {
        guard context.policy.hasOneActivationPerUser else { return }
        let filter = ActivationStore.LookupFilter(
            userIds: [caller.activation.userId], applicationIds: [caller.activation.application.id], status: .active)
        let newest = try context.read { try ActivationStore.lookup($0, filter) }.first
        guard newest?.id == caller.activation.id else { throw MobileTokenFailure.invalidActivation }
    }

    /// A pending operation of the caller, or an unclaimed one.
    func detail(_ caller: Caller, id: Identifier?) throws -> MobileOperation {
        let operation = try pending(id)
        guard operation.userId == nil || operation.userId == caller.activation.userId else {
            throw MobileTokenFailure.foreignOperation
        }
        return try view(operation, caller)
    }

    /// Claims an operation without user for the caller, unless no activation of its user could decide on it.
    func claim(_ caller: Caller, id: Identifier?) throws -> MobileOperation {
        let found = try pending(id)
        if found.userId == nil, let flag = found.activationFlag,
            try !context.read({ try operations.canDecide(caller.activation.userId, on: found, in: $0) })
        {
            throw MobileTokenFailure.missingFlag(flag.text)
        }
        let operation = try core { try operations.claim(id: id, userId: caller.activation.userId) }
        if let failure = MobileTokenFailure(operation.status) { throw failure }
        return try view(operation, caller)
    }

    private func view(_ operation: OperationRecord, _ caller: Caller) throws -> MobileOperation {
        let templates = try context.read { try UITemplates.of([operation.operationType], $0) }
        guard let view = try view(operation, templates, caller, hasProximityCode: operation.hasCode) else {
            throw MobileTokenFailure.templateNotFound
        }
        return view
    }

    private func view(
        _ operation: OperationRecord, _ templates: UITemplates, _ caller: Caller, hasProximityCode: Bool
    ) throws -> MobileOperation? {
        guard let entry = templates.entry(for: operation.operationType, language: caller.language.language) else {
            return nil
        }
        return try MobileOperation(
            operation, entry, MoneyFormat(locale: caller.language.locale), hasProximityCode: hasProximityCode)
    }

    // MARK: Deciding

    /// The data that an app signs to approve.
    struct Approval: Sendable {
        let id: Identifier
        let data: String
        var otp: String?
    }

    /// Flags of activations that are still being verified, which approve nothing.
    private static let unverified = Set(
        ["VERIFICATION_PENDING", "VERIFICATION_IN_PROGRESS"].map(Identifier.init(known:)))

    /// Approves an operation whose signature was right.
    func approve(_ approval: Approval, _ caller: Caller, _ type: SignatureType) throws {
        guard Self.unverified.isDisjoint(with: caller.activation.flags) else { throw MobileTokenFailure.authentication }
        try checkFlag(of: pending(approval.id, unknown: .operationUnexpected), caller)
        var additionalData = caller.additionalData
        additionalData["authFactor"] = .string(type.rawValue)
        additionalData["proximity_otp"] = approval.otp.map(JSONValue.string)
        let decided = try core {
            try decisions.approve(
                .init(
                    operationId: approval.id, userId: caller.activation.userId,
                    applicationId: caller.activation.application.id, data: approval.data, signatureType: type,
                    additionalData: additionalData))
        }
        guard decided.result != .approved else { return }
        throw MobileTokenFailure(decided.operation.status) ?? .approvalFailed
    }

    /// Counts an approval whose signature was wrong, if it names an activation that could have approved: other callers
    /// cannot exhaust the attempts of an operation (mobile-token.md, section 24, item 22).
    func failApproval(id: Identifier, activationId: Identifier?, ipAddress: String?, userAgent: String?) throws {
        guard let activationId, let activation = try context.read({ try ActivationStore.find($0, id: activationId) })
        else { return }
        guard let operation = try context.read({ try OperationStore.find($0, id: id) }) else {
            throw MobileTokenFailure.operationUnexpected
        }
        guard operation.userId == nil || operation.userId == activation.userId,
            operation.applications.contains(where: { $0.row == activation.application.row })
        else { return }
        var additionalData: [String: JSONValue] = [:]
        additionalData["ipAddress"] = ipAddress.map(JSONValue.string)
        additionalData["userAgent"] = userAgent.map(JSONValue.string)
        let decided = try core { try decisions.failApproval(operationId: id, additionalData: additionalData) }
        if let failure = MobileTokenFailure(decided.operation.status) { throw failure }
    }

    /// Rejects an operation.
    /// - Parameter reason: any words of the app; they stay with the operation's additional data.
    func reject(id: Identifier?, reason: String?, _ caller: Caller) throws {
        try core { try TextLimit.ordinary.check(reason, "reason") }
        let operation = try pending(id, unknown: .operationUnexpected)
        try checkFlag(of: operation, caller)
        var additionalData = caller.additionalData
        additionalData["rejectReason"] = reason.map(JSONValue.string) ?? .null
        let decided = try core {
            try decisions.reject(
                operationId: operation.id, userId: caller.activation.userId,
                applicationId: caller.activation.application.id, additionalData: additionalData)
        }
        guard decided.result != .rejected else { return }
        throw MobileTokenFailure(decided.operation.status) ?? .rejectionFailed
    }

    /// An operation that waits for a decision.
    private func pending(
        _ id: Identifier?, unknown: MobileTokenFailure = .operationNotFound
    ) throws -> OperationRecord {
        let operation: OperationRecord
        do {
            operation = try operations.detail(id: id, userId: nil)
        } catch let error as ServiceError {
            throw error.code == .operationNotFound ? unknown : MobileTokenFailure(error)
        }
        if let failure = MobileTokenFailure(operation.status) { throw failure }
        return operation
    }

    private func checkFlag(of operation: OperationRecord, _ caller: Caller) throws {
        guard let flag = operation.activationFlag, !caller.activation.flags.contains(flag) else { return }
        throw MobileTokenFailure.missingFlag(flag.text)
    }

    /// Calls the core, and translates its errors for the app.
    private func core<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ServiceError {
            throw MobileTokenFailure(error)
        }
    }
}

extension OperationRecord {
    /// Whether the operation is approved with a proximity code only.
    fileprivate var hasCode: Bool { proximitySeed != nil }
}

/// The preferred language of a request (RFC 9110, section 12.5.4).
struct AcceptedLanguage: Sendable {
    /// The whole tag, such as `en-US`.
    let locale: String
    /// Its first part, such as `en`.
    let language: String

    /// - Parameter header: `Accept-Language`; without one, and for `*`, the language is English.
    init(header: String?) {
        var best: (locale: String, weight: Double)?
        for range in (header ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.trimmingPrefix { $0 == " " } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            guard let tag = parts.first.map({ String($0.prefix { $0 != " " }) }), Self.isTag(tag), weight > 0,
                weight > best?.weight ?? 0
            else { continue }
            best = (tag, weight)
        }
        locale = best?.locale ?? UITemplates.defaultLanguage
        language = locale.prefix { $0 != "-" && $0 != "_" }.lowercased()
    }

    private static func isTag(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}/) != nil
    }
}
