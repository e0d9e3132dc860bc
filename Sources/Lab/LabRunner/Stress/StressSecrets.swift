internal import Foundation
internal import LabKit

/// The passwords of a round's activations, as the user of the apps knows them, and which of them have the application's own
/// key.
///
/// Which password is right must not be a matter of luck, so the calls that use one and those that change one or make an
/// activation with one take turns. Changes and new activations may overlap: that is where an answer comes too late. The key
/// is in every app's memory, so all others wait while it is added or removed.
///
/// Thread rule: any thread; the functions with a body wait for their turn.
final class StressSecrets: @unchecked Sendable {
    // Safe: everything mutable is touched only while `condition` is locked.

    /// The password of every new activation.
    static let first: Secret = "1234"
    /// The application's own key, Base64.
    static let externalKey: Secret = "MDEyMzQ1Njc4OWFiY2RlZg=="

    /// What is known of an activation.
    struct Activation: Equatable {
        var password = StressSecrets.first
        /// Whether the application's own key protects it.
        var hasExternalKey = false
    }

    /// A group of calls that take turns with the others.
    private enum Group {
        case users, changers
        /// Those that even each other wait for.
        case single
    }

    private let condition = NSCondition()
    private var holding: Group?
    private var holders = 0
    private var waitingOthers = 0
    /// The activations that were made; nil where password or key are no longer known.
    private var activations: [String: Activation?] = [:]
    /// Activations that were made during a call that they may overlap; nil while there is no such call.
    private var madeMeanwhile: Set<String>?
    private var changes = 0

    /// Runs a call that needs the password as it is.
    func using<T>(_ body: () throws -> T) rethrows -> T { try taking(.users, body) }

    /// Runs a call that makes an activation with the first password.
    ///
    /// - Parameter hasExternalKey: Asked before: whether the app has the key, and so will the activation.
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

    /// What is known of an activation; nil when password or key are not known. Call inside of the other functions.
    func activation(_ activationId: String) -> Activation? { locked { activations[activationId] ?? nil } }

    /// Runs a call that adds the application's own key to an activation, or removes it.
    ///
    /// - Parameters:
    ///   - name: Names the activation that is there. It is asked in the call's turn: one that was named while other calls
    ///     ran may have been replaced.
    ///   - body: Gets the name and what is known, and returns whether the key protects the activation afterwards; nil when
    ///     that is not known.
    /// - Returns: false, with nothing done, when the activation is missing or not known.
    func changingKey(named name: () throws -> String?, _ body: (String, Activation) throws -> Bool?) throws -> Bool {
        try taking(.single) {
            guard let activationId = try name(), let activation = activation(activationId) else { return false }
            let hasKey = try body(activationId, activation)
            locked {
                activations[activationId] = .some(
                    hasKey.map { Activation(password: activation.password, hasExternalKey: $0) })
            }
            return true
        }
    }

    /// Runs a call that uses an activation's first password and may be overtaken by a new activation, whose password is the
    /// same.
    ///
    /// - Parameter name: As of ``changingKey(named:_:)``.
    /// - Returns: false, with nothing done, when the activation is missing, its password is not the first one, or there is
    ///   such a call already.
    func overlapping(named name: () throws -> String?, _ body: (Activation) throws -> Void) throws -> Bool {
        try taking(.changers) {
            guard let (_, known) = try begin(name) else { return false }
            defer { locked { madeMeanwhile = nil } }
            try body(known)
            return true
        }
    }

    /// Begins a call that new activations may overlap. Those that are made from now on are noted, so the activation that is
    /// named after that is the one of before, or a noted one.
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
    ///
    /// - Parameters:
    ///   - name: As of ``changingKey(named:_:)``.
    ///   - body: Gets what is known, and changes the password into the given one. It returns which activation is there
    ///     afterwards, and throws when the password certainly was not changed.
    /// - Returns: As of ``overlapping(named:_:)``.
    func changingPassword(
        named name: () throws -> String?, _ body: (Activation, Secret) throws -> String?
    ) throws -> Bool {
        try taking(.changers) {
            guard let (activationId, known) = try begin(name) else { return false }
            let password = locked {
                changes += 1
                return Secret("changed-\(changes)")
            }
            let result = Result { try body(known, password) }
            locked {
                let made = madeMeanwhile ?? []
                madeMeanwhile = nil
                switch result {
                // What was changed is certain only if the activation was there all the time.
                case .success(let after) where after == activationId && made.isEmpty:
                    activations[activationId]??.password = password
                case .success: for id in made.union([activationId]) { activations[id] = .some(nil) }
                case .failure: break
                }
            }
            _ = try result.get()
            return true
        }
    }

    /// Whether a call that makes or changes something waits for its turn.
    var hasWaitingCall: Bool { locked { waitingOthers > 0 } }

    private func taking<T>(_ group: Group, _ body: () throws -> T) rethrows -> T {
        condition.lock()
        if group != .users { waitingOthers += 1 }
        // Changes are seldom; calls that only use a password let them go first.
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
