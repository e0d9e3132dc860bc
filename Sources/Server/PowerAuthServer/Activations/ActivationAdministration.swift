// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol

/// What operators change about activations beside their life cycle (server.md, sections 7.5, 7.9 and 7.10).
extension ActivationService {
    /// Gives an activation that waits for its commit another one-time password (server.md, section 7.5).
    func updateOtp(activationId: Identifier?, otp: String?, externalUserId: Identifier?) throws -> Activation {
        let id = try Self.required(activationId)
        guard let otp, !otp.isEmpty else { throw ServiceError(.invalidRequest, "activationOtp is missing") }
        let found = try context.read { try ActivationStore.find($0, id: id) }
        // Only a password that has a place is worth its hash.
        let mayHave = found.map { $0.status == .pendingCommit && $0.otp.mode != .onKeyExchange } ?? false
        let hash = mayHave ? try context.hashing.make(otp) : nil
        return try context.changeKeepingRefusal { change in
            var activation = try change.activation(id)
            _ = try change.removeIfExpired(&activation)
            guard activation.status == .pendingCommit else { return .failure(activation.stateRefusal) }
            guard activation.otp.mode != .onKeyExchange else {
                return .failure(ServiceError(.invalidActivationOtpMode, "the password was due in the key exchange"))
            }
            guard let hash else {
                return .failure(
                    ServiceError(.activationIncorrectState, "activation \(id) waits since this moment only"))
            }
            activation.otp.mode = .onCommit
            activation.otp.hash = hash
            try change.save(
                &activation, previous: .pendingCommit, reason: HistoryReason.otpValueUpdate,
                externalUserId: externalUserId)
            return .success(activation)
        }
    }

    /// Renames an activation that is not blocked or removed (server.md, section 7.10).
    func rename(activationId: Identifier?, name: String?, externalUserId: Identifier?) throws -> Activation {
        let id = try Self.required(activationId)
        guard let name = name.nonBlank else { throw ServiceError(.invalidRequest, "activationName is missing") }
        try TextLimit.line.check(name, "activationName")
        return try context.change { change in
            var activation = try change.activation(id)
            guard activation.status == .pendingCommit || activation.status == .active else {
                throw activation.stateRefusal
            }
            activation.name = name
            try change.save(
                &activation, previous: activation.status, reason: HistoryReason.activationNameUpdated,
                externalUserId: externalUserId)
            return activation
        }
    }

    // MARK: Flags

    /// How a list of names (flags, roles) changes.
    enum ListChange: Sendable {
        case add
        case replace
        case remove

        /// The changed list, sorted and without duplicates.
        /// - Throws: `invalidRequest` for one that is too long.
        func applied(_ names: [Identifier], to current: [Identifier]) throws -> [Identifier] {
            let changed =
                switch self {
                case .add: Set(current).union(names).sorted()
                case .replace: Set(names).sorted()
                case .remove: Set(current).subtracting(names).sorted()
                }
            if self != .remove { try Self.check(changed) }
            return changed
        }

        /// - Throws: `invalidRequest` for a list that is too long.
        static func check(_ names: [Identifier]) throws {
            try TextLimit.names.check(names.map(\.text).joined(), "the list of names")
        }
    }

    func flags(activationId: Identifier?) throws -> Activation {
        let id = try Self.required(activationId)
        return try context.read { try ActivationStore.required($0, id: id) }
    }

    /// Changes the flags, without a history row or a callback.
    /// - Throws: `invalidRequest` without any flag, `activationNotFound`.
    func changeFlags(activationId: Identifier?, _ flags: [Identifier]?, _ kind: ListChange) throws -> Activation {
        let id = try Self.required(activationId)
        guard let flags, !flags.isEmpty else { throw ServiceError(.invalidRequest, "activationFlags is empty") }
        return try context.change { change in
            var activation = try change.activation(id)
            activation.flags = try kind.applied(flags, to: activation.flags)
            try change.saveContent(activation)
            return activation
        }
    }

    // MARK: Many at once

    /// The activations that fit all criteria, newest first.
    /// - Throws: `invalidRequest` without any user.
    func lookup(_ filter: ActivationStore.LookupFilter) throws -> [Activation] {
        guard !filter.userIds.isEmpty else { throw ServiceError(.invalidRequest, "userIds is empty") }
        return try context.read { try ActivationStore.lookup($0, filter) }
    }

    /// Sets the status of activations one by one: any status, of any that is not removed. The others stay as they are
    /// (server.md, section 7.9, and section 30, item 13).
    /// - Throws: `invalidRequest` for an empty list; if none has the status afterwards, `activationNotFound` or
    ///   `activationIncorrectState` for the first, which is unknown or removed.
    func setStatus(activationIds: [Identifier]?, _ status: ActivationState?) throws {
        guard let activationIds, !activationIds.isEmpty else {
            throw ServiceError(.invalidRequest, "activationIds is empty")
        }
        guard let status else { throw ServiceError(.invalidRequest, "activationStatus is missing") }
        try context.change { change in
            var refusals: [ServiceError] = []
            for id in activationIds {
                guard var activation = try change.findActivation(id) else {
                    refusals.append(ServiceError(.activationNotFound, "no activation \(id)"))
                    continue
                }
                let previous = activation.status
                guard previous != status else { continue }
                guard previous != .removed else {
                    refusals.append(ServiceError(.activationIncorrectState, "activation \(id) is removed for ever"))
                    continue
                }
                activation.lifecycle = lifecycle(of: activation, as: status, at: change.now)
                if status == .active { activation.forgetFailures() }
                try change.save(&activation, previous: previous)
            }
            if let refusal = refusals.first, refusals.count == activationIds.count { throw refusal }
        }
    }

    private func lifecycle(
        of activation: Activation, as status: ActivationState, at now: ServerTime
    ) -> ActivationLifecycle {
        let expires = activation.lifecycle.expires ?? now.advanced(by: context.policy.activationValidity)
        let binding = activation.lifecycle.binding
        return switch status {
        case .created: .created(expires: expires, formerDevice: binding)
        case .pendingCommit: .pendingCommit(binding, expires: expires)
        case .active: .active(binding)
        case .blocked: .blocked(binding, reason: BlockedReason.notSpecified)
        case .removed: .removed(binding)
        }
    }
}
