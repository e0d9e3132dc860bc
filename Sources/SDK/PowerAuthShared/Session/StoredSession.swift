import Foundation
import SimulatedDevice

/// A session together with the keychain item that it came from.
///
/// Thread rule: one thread at a time; a session interface owns it and calls it under its lock.
final class StoredSession {
    /// The item that a save replaces.
    private enum Base {
        /// There was none.
        case absent
        /// The write that made the loaded bytes.
        case revision(Int64)
        /// Any state.
        case anything
    }

    /// The state cannot be read now, so it must not be replaced either.
    struct Unavailable: Error, CustomStringConvertible {
        let status: OSStatus

        var description: String {
            "The session state cannot be read from the keychain now (status \(status)); unlock the device and try again."
        }
    }

    let session: PowerAuthCoreSession
    private let store: SessionStateStore
    /// Whether a state of an unknown version is kept for the SDK that wrote it (sdk.md, section 15, item 23).
    private let keepsUnusableState: Bool
    /// Whether a state that cannot be read now is taken for none (sharing.md, D8).
    private let takesUnreadableForNone: Bool
    private var base = Base.absent
    private var loaded = Data()

    /// - Parameters:
    ///   - session: the session, not loaded yet.
    ///   - store: where its state lives.
    ///   - sandbox: the device.
    init(session: PowerAuthCoreSession, store: SessionStateStore, sandbox: Sandbox) {
        self.session = session
        self.store = store
        keepsUnusableState = !sandbox.keeps(.unusableStateIsDropped)
        takesUnreadableForNone = sandbox.keeps(.unreadableStateIsNone)
    }

    /// Replaces the session's state by the stored one; an empty session if none is stored or its bytes cannot be used.
    func load() throws(Unavailable) {
        switch store.load() {
        case .state(let data, let revision):
            if !session.deserializeState(data) {
                PowerAuthLog.criticalWarning("The stored session state is not usable; there is no activation.")
                if keepsUnusableState { store.setAside(data) }
            }
            base = .revision(revision)
        case .absent:
            session.resetSession(false)
            base = .absent
        case .damaged:
            PowerAuthLog.criticalWarning("The stored session state is damaged; there is no activation.")
            session.resetSession(false)
            base = .anything
        case .unavailable(let status):
            guard takesUnreadableForNone else { throw Unavailable(status: status) }
            // The item may well be a good one, which the next save overwrites.
            session.resetSession(false)
            base = .anything
        }
        loaded = session.serializedState()
    }

    /// Whether no other state was stored since this one was loaded or saved.
    var isUpToDate: Bool {
        switch (base, store.load()) {
        case (.absent, .absent): true
        case (.revision(let loaded), .state(_, let revision)): loaded == revision
        default: false
        }
    }

    /// Identifier of the activation that the state has; a pending one is not stored.
    var activationId: String? { session.hasValidActivation ? session.activationIdentifier : nil }

    /// The serialized state when it differs from the stored one, else nil.
    func changes() -> Data? {
        let state = session.serializedState()
        return state == loaded ? nil : state
    }

    /// Stores a changed state in place of the one that was loaded.
    func save(_ state: Data) throws(SessionStateStore.SaveFailure) {
        switch base {
        case .absent:
            try store.noteOwner()
            base = .revision(try store.save(state, replacing: nil))
        case .revision(let revision): base = .revision(try store.save(state, replacing: revision))
        case .anything: try store.overwrite(state)
        }
        loaded = state
    }

    /// Stores a changed state over any other, and only logs a failure: the original's behaviour (sharing.md, D7), also
    /// that of the interface without sharing.
    func saveUnchecked(_ state: Data) {
        do {
            if case .absent = base { try store.noteOwner() }
            try store.overwrite(state)
        } catch {
            PowerAuthLog.write("ERROR: \(error)")
        }
        base = .anything
        loaded = state
    }
}

extension NSError {
    /// The error of a task whose state could not be locked, loaded or stored.
    static func stateFailure(_ cause: any Error) -> NSError {
        .powerAuth(.invalidActivationState, String(describing: cause), underlying: cause)
    }
}
