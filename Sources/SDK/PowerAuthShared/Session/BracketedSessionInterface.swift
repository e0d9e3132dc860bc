package import Foundation

/// A session interface whose tasks are brackets around the session: one function opens a task, one ends it.
///
/// Thread rule: that of ``SessionInterface``.
package protocol BracketedSessionInterface: SessionInterface {
    /// The session with its stored state; to be touched inside a task only.
    var session: PowerAuthCoreSession { get }

    /// Opens a task, which may be one inside another.
    ///
    /// - Parameter write: the state is stored when the outermost task ends.
    /// - Throws: `invalidActivationState` when the state is out of reach; then nothing was opened.
    func enter(write: Bool) throws(NSError)

    /// Ends the task.
    ///
    /// - Throws: `invalidActivationState` when the state could not be stored; the task is over nevertheless.
    func leave() throws(NSError)
}

extension BracketedSessionInterface {
    package func read<T>(_ body: (PowerAuthCoreSession) throws -> T) throws -> T {
        try run(write: false, body)
    }

    package func write<T>(_ body: (PowerAuthCoreSession) throws -> T) throws -> T {
        try run(write: true, body)
    }

    private func run<T>(write: Bool, _ body: (PowerAuthCoreSession) throws -> T) throws -> T {
        try enter(write: write)
        let result = Result { try body(session) }
        do {
            try leave()
        } catch {
            // A failed body is the more telling of two errors.
            if case .success = result { throw error }
        }
        return try result.get()
    }
}
