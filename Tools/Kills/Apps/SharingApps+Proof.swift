// SPDX-License-Identifier: Apache-2.0

import LabSystem
import LabTesting
import LabVocabulary

/// Checks that both apps work after a death: first the survivor, with no clean-up before, then the one that died.
extension SharingApps {
    /// Uses the apps after `main` died in an operation.
    ///
    /// - Returns: The time until the other app had used the shared state, in nanoseconds.
    func prove(after operation: KillOperation) throws -> UInt64 {
        let begin = MonotonicClock.nanoseconds()
        try startWallet(after: operation)
        let pending = try wallet.call(ExternalPendingOperation())
        try expect(pending == nil, "no operation of a dead app excludes the others")
        let isThere = try wallet.call(HasValidActivation())
        var header: HTTPHeader?
        if isThere, operation == .upgradeProtocol {
            if makesVersion4 { try upgrade(wallet) }
            try expect(wallet.call(FetchActivationStatus()).state == .active, "the other app ends the upgrade")
        }
        if isThere { header = try sign(wallet, password) } else { _ = try wallet.call(CanStartActivation()) }
        let time = MonotonicClock.nanoseconds() - begin

        let isKept = try isThere && settle(operation)
        if isKept {
            if let header { try settlePassword(header) }
            // Only the server may have removed the factor; the user does it again.
            if makesVersion4, operation == .removeBiometry, try wallet.call(HasBiometryFactor()) {
                try wallet.call(RemoveBiometryFactor())
            }
            try use(wallet, biometry: operation.biometry, needsToken: operation.keepsToken)
        } else {
            try expectNothing(wallet)
            try activate(wallet)
            try use(wallet, biometry: .there, needsToken: false)
            try expectNoLeftovers()
        }
        var other: String?
        if operation.concernsOtherToken { other = try useOtherToken(mayBeRefused: operation == .removeToken) }

        try main.call(Relaunch())
        let shown = try activationId(main)
        try expect(shown == activationId(wallet), "both apps show one activation")
        try use(main, biometry: isKept ? operation.biometry : .there, needsToken: true)
        if let other {
            let found = try main.call(LocalToken { $0.name = Self.otherToken })?.tokenIdentifier
            try expect(
                found == other, "both apps have one token, \(other), but the app that died has \(found ?? "none")")
            try expect(acceptsToken(Self.otherToken, of: main) == true, "the server accepts the token of both apps")
        }
        try expectOrder()
        return time
    }

    private func startWallet(after operation: KillOperation) throws {
        switch operation {
        case .freshInstallation, .erasure:
            if operation == .freshInstallation { try wallet.call(Install()) }
            try wallet.call(Launch())
            let items = try lab.phone.call(KeychainItems())
            try expect(items.isEmpty, "nothing of what was before stays, but there is \(items)")
        case .firstStart: try wallet.call(Launch())
        default: break
        }
    }

    /// Checks an activation that an app found against the server's state and the allowed remains.
    ///
    /// - Returns: false if it ended on the server, which the app detects and follows.
    private func settle(_ operation: KillOperation) throws -> Bool {
        try expect(operation.end != .noActivation, "the app that lives finds no activation")
        switch try status(wallet).activationStatus {
        case .active: return true
        case .pendingCommit:
            try commitActivation(wallet)
            return true
        case .removed where operation == .removeActivation:
            let state = try wallet.call(FetchActivationStatus()).state
            try expect(state == .removed, "an activation that the server has removed is shown as such")
            try wallet.call(RemoveActivationLocal())
            return false
        case let other: throw Breach(expected: "the server has the activation, but it is \(other.rawValue)")
        }
    }

    /// Determines the valid password after the app died during a change.
    private func settlePassword(_ header: HTTPHeader) throws {
        if try accepts(header) {
            passwords = [passwords[0]]
        } else {
            try expect(passwords.count == 2, "the server accepts a knowledge signature of the app that lives")
            passwords = [passwords[1]]
        }
    }

    private func expectNothing(_ app: LabActor) throws {
        try expect(!app.call(HasPendingActivation()), "nothing is pending in \(app.name)")
        try expect(app.call(CanStartActivation()), "\(app.name) can start an activation")
        try expect(!app.call(HasBiometryFactor()), "no biometry factor is without an activation")
        try expect(!app.call(HasLocalToken { $0.name = Self.token }), "no token is without an activation")
    }

    /// A process may die before it has deleted the data of an activation; the next activation has only its own.
    private func expectNoLeftovers() throws {
        let accounts = try ["BiometryKeychain", "TokenStore"].flatMap { service in
            try lab.phone.call(KeychainItems { $0.service = "io.getlime.PowerAuthKeychain.\(service)" }).map(\.account)
        }
        let own = [Self.instanceId, "powerAuthToken__\(Self.instanceId)__\(Self.token)"]
        try expect(accounts == own, "the keychain has \(own) of a new activation, but there is \(accounts)")
    }

    /// Lets an app use each factor and the token; the server accepts everything.
    private func use(_ app: LabActor, biometry: KillOperation.Biometry, needsToken: Bool) throws {
        try expect(accepts(sign(app, password)), "the server accepts a knowledge signature of \(app.name)")
        let hasFactor = try app.call(HasBiometryFactor())
        if biometry != .either {
            let state = biometry == .there ? "there" : "absent"
            try expect(hasFactor == (biometry == .there), "the biometry factor is \(state) in \(app.name)")
        }
        if hasFactor {
            try expect(accepts(biometrySignature(app)), "the server accepts a biometric signature of \(app.name)")
        }
        if needsToken {
            try expect(
                acceptsToken(Self.token, of: app) == true, "the server accepts a header of the token in \(app.name)")
        } else {
            try requestToken(Self.token, by: app)
            try expect(acceptsToken(Self.token, of: app) == true, "\(app.name) gets a token that the server accepts")
        }
    }

    /// Lets the surviving app get the token that the other one was requesting or removing.
    ///
    /// - Parameter mayBeRefused: The server may have removed it, while its record still exists.
    /// - Returns: Its identifier.
    private func useOtherToken(mayBeRefused: Bool) throws -> String {
        if try acceptsToken(Self.otherToken, of: wallet) == false {
            try expect(mayBeRefused, "the server accepts the token that the app that died has stored")
            try wallet.call(RemoveLocalToken { $0.name = Self.otherToken })
        }
        try requestToken(Self.otherToken, by: wallet)
        try expect(acceptsToken(Self.otherToken, of: wallet) == true, "the app that lives gets the token")
        return try wallet.call(LocalToken { $0.name = Self.otherToken })?.tokenIdentifier ?? ""
    }

    /// The final rules: no attempt failed, no lock remains, no counter went back, one orphan at most.
    private func expectOrder() throws {
        let status = try status(wallet)
        try expect(status.failedAttempts == 0, "no attempt has failed")
        let known = try [Self.token, Self.otherToken].filter { name in
            try wallet.call(HasLocalToken { $0.name = name })
        }
        let before = orphans.activationId == status.activationId ? orphans.count : 0
        let orphaned = status.tokens - known.count
        try expect(orphaned <= before + 1, "at most one token is left behind, not \(orphaned - before)")
        orphans = (status.activationId, orphaned)

        let seen = try wallet.call(SharedMemoryOfApp())
        if let counters {
            try expect(
                seen.stateModifyCounter >= counters.stateModifyCounter
                    && seen.tokenModifyCounter >= counters.tokenModifyCounter
                    && seen.operationTicket >= counters.operationTicket,
                "no counter of the memory goes back: \(counters), then \(seen)")
        }
        counters = seen
        try expectNoLocks()
    }

    /// Locks are released after the answer of a command.
    func expectNoLocks() throws {
        try lab.eventually("no process of the phone holds a lock of the apps") {
            try !lab.phone.call(HeldFileLocks()).contains { $0.file.contains("/PowerAuthSharedLock-") }
        }
    }
}
