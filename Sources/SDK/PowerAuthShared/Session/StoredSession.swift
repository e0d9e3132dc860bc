// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
package import SimulatedDevice

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

/// The keychain item with the serialized session (sharing.md, section 13).
///
/// Thread rule: any thread; the session interface that owns it calls it under its own lock.
package struct SessionStateStore: Sendable {
    /// What the keychain returns for the state.
    package enum Reading: Sendable {
        /// There is no item.
        case absent
        /// The bytes and the stamp of the write that made them.
        case state(Data, revision: Int64)
        /// The item cannot be read now: the device is locked or the keychain failed. It may well be there.
        case unavailable(OSStatus)
        /// The bytes are not the ones that were written.
        case damaged
    }

    /// The state was not stored.
    package struct SaveFailure: Error, CustomStringConvertible {
        /// The keychain's answer; ``errSecBadReq``, ``errSecDuplicateItem`` or ``errSecItemNotFound`` when the item
        /// is not the one that was loaded.
        package let status: OSStatus

        package var description: String {
            switch status {
            case errSecBadReq, errSecDuplicateItem, errSecItemNotFound:
                "The session state was changed by a process that did not hold the status lock (status \(status))."
            case errSecMissingEntitlement:
                "The process is not entitled to the keychain access group of the session state (status \(status))."
            default: "The keychain did not store the session state (status \(status))."
            }
        }
    }

    let keychain: PowerAuthKeychain
    let account: String
    /// Where it is written down whose the state is.
    private let records: InstallationRecords

    /// - Parameters:
    ///   - keychain: the status service.
    ///   - account: the instance identifier.
    ///   - records: where it is written down whose the state is.
    package init(keychain: PowerAuthKeychain, account: String, records: InstallationRecords) {
        self.keychain = keychain
        self.account = account
        self.records = records
    }

    /// The accounts that a state can be in.
    static func accounts(instanceId: String) -> [String] { [instanceId, unusable(instanceId)] }

    private static func unusable(_ account: String) -> String { account + ".unusable" }

    /// Writes down that the state is this installation's. Call before the first save.
    func noteOwner() throws(SaveFailure) {
        let status = records.note()
        guard status == errSecSuccess else { throw SaveFailure(status: status) }
    }

    package func load() -> Reading {
        let reading = keychain.system.read(
            service: keychain.identifier, account: account, accessGroup: keychain.accessGroup)
        if let value = reading.value, let revision = reading.revision { return .state(value, revision: revision) }
        return switch reading.status {
        case errSecItemNotFound: .absent
        case errSecDecode: .damaged
        default: .unavailable(reading.status)
        }
    }

    /// Stores the state only if the item still is the one that was loaded.
    /// - Parameters:
    ///   - state: the serialized session.
    ///   - revision: stamp of the item that was loaded; nil when there was none.
    /// - Returns: the stamp of this write.
    package func save(_ state: Data, replacing revision: Int64?) throws(SaveFailure) -> Int64 {
        let writing =
            if let revision {
                keychain.system.update(
                    state, service: keychain.identifier, account: account, accessGroup: keychain.accessGroup,
                    expectedRevision: revision)
            } else {
                keychain.system.add(
                    state, service: keychain.identifier, account: account, accessGroup: keychain.accessGroup)
            }
        guard let revision = writing.revision else { throw SaveFailure(status: writing.status) }
        return revision
    }

    /// Keeps bytes that this SDK cannot read in an item of their own, from which another version can bring them back.
    package func setAside(_ state: Data) {
        let status = keychain.set(state, forKey: Self.unusable(account))
        if status != errSecSuccess {
            PowerAuthLog.write("ERROR: The unusable session state could not be kept (status \(status)).")
        }
    }

    /// Stores the state regardless of the current item.
    package func overwrite(_ state: Data) throws(SaveFailure) {
        let status = keychain.set(state, forKey: account)
        guard status == errSecSuccess else { throw SaveFailure(status: status) }
    }
}
