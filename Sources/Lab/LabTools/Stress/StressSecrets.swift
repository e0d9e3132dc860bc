// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// The passwords of a round's activations, as the user of the apps knows them, and the set of activations with the
/// application's own key.
///
/// Which password is right must not depend on timing, so calls that use one take turns with calls that change one or
/// make an activation with one. Changes and new activations may overlap: this tests answers that arrive too late. The
/// key is in every app's memory, so all others wait while it is added or removed.
///
/// Thread rule: any thread; the functions with a body wait for their turn.
final class StressSecrets: @unchecked Sendable {
    // Safe: everything mutable is touched only while `condition` is locked.

    /// The password of every new activation.
    static let first: Secret = "1234"
    /// The application's own key, Base64.
    static let externalKey: Secret = "MDEyMzQ1Njc4OWFiY2RlZg=="

    /// The known facts about an activation.
    struct Activation: Equatable {
        var password = StressSecrets.first
        /// Its number in the record: 0 is the first one, and no other one has the same number.
        var passwordNumber = 0
        /// Whether the application's own key protects it.
        var hasExternalKey = false
    }

    /// A group of calls that take turns with the others.
    private enum Group {
        case users, changers
        /// Calls that exclude each other, too.
        case single
    }

    private let condition = NSCondition()
    private var holding: Group?
    private var holders = 0
    private var waitingOthers = 0
    /// The activations made so far; nil if password or key are unknown.
    private var activations: [String: Activation?] = [:]
    /// Activations made during a call that they may overlap; nil if no such call is running.
    private var madeMeanwhile: Set<String>?
    private var changes = 0

    /// Runs a call that needs the current password.
    func using<T>(_ body: () throws -> T) rethrows -> T { try taking(.users, body) }

    /// Runs a call that makes an activation with the first password.
    /// - Parameter hasExternalKey: Called first: whether the app has the key, and therefore the activation.
    func making(_ activationId: String, hasExternalKey: () throws -> Bool, _ body: () throws -> Void) throws {
        try taking(.changers) {
            let hasExternalKey = try hasExternalKey()
            locked {
                madeMeanwhile?.insert(activationId)
                activations[activationId] = .some(Activation(hasExternalKey: hasExternalKey))
            }
            try body()
        }
    }

    /// The known facts about an activation; nil if password or key are unknown. Call inside of the other functions.
    func activation(_ activationId: String) -> Activation? { locked { activations[activationId] ?? nil } }

    /// Runs a call that adds the application's own key to an activation, or removes it.
    /// - Parameters:
    ///   - name: Returns the existing activation. It is called in the call's turn: one determined while other calls ran
    ///     may have been replaced.
    ///   - body: Gets the name and the known facts, and returns whether the key protects the activation afterwards; nil
    ///     if that is unknown.
    /// - Returns: false, with nothing done, if the activation is missing or unknown.
    func changingKey(named name: () throws -> String?, _ body: (String, Activation) throws -> Bool?) throws -> Bool {
        try taking(.single) {
            guard let activationId = try name(), let activation = activation(activationId) else { return false }
            let hasKey = try body(activationId, activation)
            locked {
                activations[activationId] = .some(
                    hasKey.map { hasKey in
                        Activation(
                            password: activation.password, passwordNumber: activation.passwordNumber,
                            hasExternalKey: hasKey)
                    })
            }
            return true
        }
    }

    /// Runs a call that uses an activation's first password and may overlap with a new activation, whose password is
    /// the same.
    /// - Parameter name: As in ``changingKey(named:_:)``.
    /// - Returns: false, with nothing done, if the activation is missing, its password is not the first one, or such a
    ///   call is already running.
    func overlapping(named name: () throws -> String?, _ body: (Activation) throws -> Void) throws -> Bool {
        try taking(.changers) {
            guard let (_, known) = try begin(name) else { return false }
            defer { locked { madeMeanwhile = nil } }
            try body(known)
            return true
        }
    }

    /// Begins a call that new activations may overlap. Activations made from now on are recorded, so the activation
    /// named afterwards is either the previous one or a recorded one.
    private func begin(_ name: () throws -> String?) throws -> (id: String, known: Activation)? {
        let isFree = locked {
            guard madeMeanwhile == nil else { return false }
            madeMeanwhile = []
            return true
        }
        guard isFree else { return nil }
        let named = Result { try name() }
        return try locked {
            guard let id = try? named.get(), let known = activations[id] ?? nil, known.password == Self.first else {
                madeMeanwhile = nil
                _ = try named.get()
                return nil
            }
            return (id, known)
        }
    }

    /// Runs a change of an activation's first password.
    /// - Parameters:
    ///   - name: As in ``changingKey(named:_:)``.
    ///   - body: Gets the facts that are known before and after, and changes the password. It returns the activation
    ///     that exists afterwards, and throws if the password certainly was not changed.
    /// - Returns: As in ``overlapping(named:_:)``.
    func changingPassword(
        named name: () throws -> String?, _ body: (Activation, Activation) throws -> String?
    ) throws -> Bool {
        try taking(.changers) {
            guard let (activationId, known) = try begin(name) else { return false }
            var changed = known
            changed.passwordNumber = locked {
                changes += 1
                return changes
            }
            changed.password = Secret("changed-\(changed.passwordNumber)")
            let result = Result { try body(known, changed) }
            locked {
                let made = madeMeanwhile ?? []
                madeMeanwhile = nil
                switch result {
                // It is certain which password was changed only if the activation existed all the time.
                case .success(let after) where after == activationId && made.isEmpty:
                    activations[activationId] = .some(changed)
                case .success: for id in made.union([activationId]) { activations[id] = .some(nil) }
                case .failure: break
                }
            }
            _ = try result.get()
            return true
        }
    }

    /// Whether a call that makes or changes something must wait for its turn.
    var hasWaitingCall: Bool { locked { waitingOthers > 0 } }

    private func taking<T>(_ group: Group, _ body: () throws -> T) rethrows -> T {
        condition.lock()
        if group != .users { waitingOthers += 1 }
        // Changes are rare; calls that only use a password let them go first.
        while holders > 0 && (holding != group || group == .single) || group == .users && waitingOthers > 0 {
            condition.wait()
        }
        if group != .users { waitingOthers -= 1 }
        holding = group
        holders += 1
        condition.unlock()
        defer {
            locked {
                holders -= 1
                condition.broadcast()
            }
        }
        return try body()
    }

    private func locked<T>(_ body: () throws -> T) rethrows -> T {
        condition.lock()
        defer { condition.unlock() }
        return try body()
    }
}
