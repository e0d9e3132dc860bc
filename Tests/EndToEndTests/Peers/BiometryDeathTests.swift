// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints
import LabTesting
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// State and biometry key are two keychain items; a process can die between any two writes (sharing.md, D21).
    @Suite("Death during a change of the biometry factor")
    struct BiometryDeathTests {
        enum Change: String, CaseIterable {
            case add, replace, remove
        }

        /// The apps of a phone, the one that dies first.
        enum Apps: String, CaseIterable {
            case firstOfTwo, secondOfTwo, alone

            var names: [String] {
                switch self {
                case .firstOfTwo: ["main", "wallet"]
                case .secondOfTwo: ["wallet", "main"]
                case .alone: ["main"]
                }
            }
        }

        /// The apps on a phone with a finger: the next dialog would have to wait for a face.
        private static func cast(_ names: [String]) -> Lab.Cast {
            let (group, keychainGroup) = ("group.com.example.lab", "LABTEAM001.com.example.shared")
            let apps = names.sorted().map { name in
                AppSpec(
                    name: name, kind: .app, bundleIdentifier: "com.example.\(name)", appGroups: [group],
                    keychainAccessGroups: [keychainGroup],
                    powerAuth: PowerAuthSpec(
                        sdk: .full, instanceId: "com.example.bank",
                        sharing: names.count == 1
                            ? nil
                            : SharingSpec(
                                appGroup: group, appIdentifier: "com.example.\(name)",
                                keychainAccessGroup: keychainGroup)))
            }
            return .topology(
                Topology(
                    name: "biometry", devices: [DeviceSpec(name: "phone", kind: .phone, biometry: .touchID, apps: apps)]
                ))
        }

        /// Everything between two writes. Before the first one, the change is like any other signed request.
        static let points: [FaultPoint] = [
            .keychainWrite, .keychainDelete, .counterBumped, .stateSave, .stateSaved, .biometryKeyKept,
            .biometryKeyDropped, .biometryKeyInPlace, .biometryFactorRemoved,
        ]

        /// Each pass of each point in turn, until the change completes.
        @Test(arguments: Change.allCases, Apps.allCases)
        func `At any death of the app, the old or the new factor exists with its key, and signs in every app`(
            change: Change, apps: Apps
        ) async throws {
            try await Lab.run(Self.cast(apps.names)) { lab in
                let code = try lab.activate()
                try lab.phone.call(EnrolBiometry())
                try lab.main.call(RequestAccessToken { $0.name = "T" })
                let actors = apps.names.map { lab.actor($0) }
                var deaths: [FaultPoint: Int] = [:]
                for point in Self.points {
                    while try lab.dies(actors[0], in: change, at: point, pass: deaths[point, default: 0] + 1) {
                        deaths[point, default: 0] += 1
                        // The surviving apps come first: no process has cleaned up for them.
                        for actor in actors.dropFirst() { try lab.usesActivation(actor, after: change) }
                        try actors[0].call(Relaunch())
                        try lab.usesActivation(actors[0], after: change)
                        let accounts = try lab.phone.call(
                            KeychainItems { $0.service = "io.getlime.PowerAuthKeychain.BiometryKeychain" }
                        ).map(\.account)
                        #expect(accounts == ["com.example.bank"] || change != .replace, "after \(deaths)")
                    }
                }
                let own: [FaultPoint] =
                    change == .remove
                    ? [.biometryFactorRemoved] : [.biometryKeyKept, .biometryKeyDropped, .biometryKeyInPlace]
                for point in own + [.keychainWrite, .keychainDelete, .stateSave, .stateSaved] {
                    #expect(deaths[point] != nil, "\(point) was never passed")
                }
                let status = try lab.status(of: code)
                #expect(status.activationStatus == .active && status.failedAttempts == 0)
            }
        }

        // main                                wallet
        // dies: the new key is beside its place
        //                                     is asked for a signature, looks for the key
        // signs, and puts the key in its place
        //                                     reads the key
        @Test func `A key that another app has moved into place meanwhile is read from there`() async throws {
            try await Lab.run(Self.cast(["main", "wallet"])) { lab in
                let code = try lab.activate()
                try lab.phone.call(EnrolBiometry())
                #expect(try lab.dies(lab.main, in: .replace, at: .biometryKeyDropped, pass: 1))
                try lab.main.call(Relaunch())
                // It has the newest state; its signature reads possession key, accounts, biometry key.
                #expect(try lab.wallet.call(HasBiometryFactor()))
                try lab.faults.call(
                    ArmFault {
                        $0.point = FaultPoint.keychainRead.rawValue
                        $0.peer = "wallet"
                        $0.action = .delay
                        $0.delay = .seconds(2)
                        $0.pass = 3
                    })
                try together([
                    { try lab.signsWithBiometry(lab.wallet) },
                    {
                        try lab.eventually("the wallet is held") {
                            try lab.faults.call(ListArmedFaults()).allSatisfy { $0.fired > 0 }
                        }
                        try lab.signsWithBiometry(lab.main)
                    },
                ])
                let deletion = try #require(
                    lab.traceEvents().last {
                        $0.name == .keychainDeleted && $0.fields["account"]?.stringValue?.contains(".factor-") == true
                    })
                #expect(deletion.process == "main")
                #expect(try lab.status(of: code).failedAttempts == 0)
            }
        }
    }
}

extension Lab {
    /// Lets an app start a change of the biometry factor and die in it.
    ///
    /// - Returns: false if the change does not reach this pass of the point; then it has completed.
    fileprivate func dies(
        _ actor: LabActor, in change: EndToEnd.Peers.BiometryDeathTests.Change, at point: FaultPoint, pass: Int
    ) throws -> Bool {
        let isThere = try actor.call(HasBiometryFactor())
        if isThere, change == .add { try actor.call(RemoveBiometryFactor()) }
        if !isThere, change != .add { try actor.call(AddBiometryFactor { $0.password = password }) }
        try self.faults.call(
            ArmFault {
                $0.point = point.rawValue
                $0.peer = actor.name
                $0.action = .kill
                $0.pass = pass
            })
        defer { _ = try? self.faults.call(DisarmFaults()) }
        do {
            switch change {
            case .add, .replace: try actor.call(AddBiometryFactor { $0.password = password })
            case .remove: #expect(try actor.call(RemoveBiometryFactor()))
            }
            return false
        } catch let error as ControlError where error.name == "peerDied" {
            return true
        }
    }

    /// Lets an app use each factor that it has, and its token; the server accepts everything.
    fileprivate func usesActivation(
        _ actor: LabActor, after change: EndToEnd.Peers.BiometryDeathTests.Change
    ) throws {
        let isThere = try actor.call(HasBiometryFactor())
        #expect(isThere || change != .replace)
        let header = try actor.call(
            RequestSignature {
                $0.method = .post
                $0.uriId = "/payment"
                $0.password = password
            })
        try accepts(header, of: actor)
        if isThere { try signsWithBiometry(actor) }
        let token = try #require(try actor.call(GenerateHeader { $0.name = "T" }))
        #expect(try self.server.call(ValidateToken { $0.header = token.value }).tokenValid)
    }
    /// Lets an app sign with biometry; the server accepts it.
    fileprivate func signsWithBiometry(_ actor: LabActor) throws {
        try self.phone.call(AnswerBiometry { $0.answer = .success })
        try accepts(try actor.call(BiometrySignature { $0.uriId = "/payment" }), of: actor)
    }

    private func accepts(_ header: HTTPHeader, of actor: LabActor) throws {
        let verdict = try self.server.call(
            VerifySignature {
                $0.header = header.value
                $0.method = .post
                $0.uriId = "/payment"
            })
        #expect(verdict.signatureValid, "\(actor.name): \(header.value)")
    }
}
