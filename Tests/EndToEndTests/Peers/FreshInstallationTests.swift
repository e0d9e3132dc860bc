// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import LabTesting
import LabVocabulary
import Synchronization
import Testing

extension EndToEnd.Peers {
    /// The apps of a group when one of them considers itself freshly installed, or must not (sharing.md, sections 14
    /// and 20, D9). Scenarios/sharing shows the cases that do not modify the device's files.
    @Suite("Fresh installations beside running apps")
    struct FreshInstallationTests {
        /// The preferences of the app group, which hold the flag of the installation.
        private func preferences(_ lab: Lab) throws -> String {
            let groups = lab.layout.groupsDirectory("phone")
            let path = try #require(Files.list(groups).first)
            return "\(groups)/\(path)/Library/Preferences/group.com.example.lab.json"
        }

        private func hasToken(_ app: LabActor) throws -> Bool { try app.call(HasLocalToken { $0.name = "T" }) }

        private func activateWithToken(_ lab: Lab) throws {
            try lab.activate()
            try lab.main.call(
                RequestAccessToken {
                    $0.name = "T"
                    $0.password = password
                })
        }

        // main                          wallet
        //                               relaunch: flag damaged ─ refused, nothing removed
        // signs on
        //                               flag readable ─ continues in the same process
        @Test
        func `One damaged byte in the group's preferences is reported as an error, and no app loses the activation`()
            async throws
        {
            try await Lab.run { lab in
                let code = try lab.activate()
                let path = try preferences(lab)
                let bytes = try Files.read(path)
                for position in [0, bytes.count / 4, bytes.count / 2, bytes.count - 8] {
                    var damaged = bytes
                    damaged[position] ^= 1
                    try Files.write(damaged, to: path)
                    try lab.wallet.call(Relaunch())
                    let error = try lab.wallet.failure(of: HasValidActivation())
                    #expect(error.name == "invalidConfiguration")
                    #expect(error.userInfo?["cause"] == "preferencesUnavailable")
                    try lab.main.call(ValidatePassword { $0.password = password })
                    try Files.write(bytes, to: path)
                    #expect(try lab.wallet.call(HasValidActivation()))
                }
                try lab.wallet.call(ValidatePassword { $0.password = password })
                #expect(try lab.status(of: code).failedAttempts == 0)
                let wipes = try lab.traceEvents().filter { $0.name == .keychainDeleted }
                #expect(wipes.isEmpty)
            }
        }

        // main                                        phone
        // launch: cannot know whether it is fresh
        //                                             unlock
        // finds its activation
        @Test
        func `An app that starts while the device is unlocked for the first time keeps its activation`() async throws {
            let app = AppSpec(
                name: "main", kind: .app, bundleIdentifier: "com.example.alone",
                powerAuth: PowerAuthSpec(sdk: .full, instanceId: "alone"))
            let phone = DeviceSpec(name: "phone", kind: .phone, team: "LABTEAM001", apps: [app])
            try await Lab.run(.topology(Topology(name: "alone", devices: [phone]))) { lab in
                let code = try lab.activate()
                try lab.phone.call(Reboot())
                // An app that takes the closed preferences for missing is held before the removal until it can succeed.
                try lab.faults.call(
                    ArmFault {
                        $0.point = FaultPoint.keychainDelete.rawValue
                        $0.peer = "main"
                        $0.action = .delay
                        $0.delay = .seconds(1)
                    })
                let isLaunched = Mutex(false)
                try together([
                    {
                        try lab.main.call(Launch())
                        isLaunched.withLock { $0 = true }
                    },
                    {
                        try lab.eventually("main is started, or held before it removes something") {
                            try isLaunched.withLock { $0 }
                                || lab.faults.call(ListArmedFaults()).contains { $0.fired > 0 }
                        }
                        try lab.phone.call(UnlockDevice())
                    },
                ])
                try lab.faults.call(DisarmFaults())
                #expect(try lab.main.call(HasValidActivation()))
                try lab.main.call(ValidatePassword { $0.password = password })
                #expect(try lab.status(of: code).failedAttempts == 0)
            }
        }

        // main                          wallet
        // shows activation and token
        //                               relaunch: no flag ─ removes both, counts twice
        // shows neither
        @Test func `Running apps see at once what a fresh app of the group removes`() async throws {
            try await Lab.run { lab in
                try activateWithToken(lab)
                let before = try lab.main.call(SharedMemoryOfApp())
                try Files.remove(preferences(lab))
                try lab.wallet.call(Relaunch())
                #expect(try !lab.wallet.call(HasValidActivation()))
                #expect(try !lab.main.call(HasValidActivation()))
                #expect(try !hasToken(lab.main))
                let after = try lab.main.call(SharedMemoryOfApp())
                #expect(after.stateModifyCounter == before.stateModifyCounter + 1)
                #expect(after.tokenModifyCounter == before.tokenModifyCounter + 1)
                try lab.activate()
                try lab.wallet.call(ValidatePassword { $0.password = password })
            }
        }

        @Test(arguments: [FaultPoint.counterBumped, .keychainDelete], [1, 2])
        func `If an app is killed during the removal, the next one completes it, and no app sees remains`(
            point: FaultPoint, pass: Int
        ) async throws {
            // The counter is raised only once.
            if point == .counterBumped, pass > 1 { return }
            try await Lab.run { lab in
                try activateWithToken(lab)
                try lab.wallet.call(Kill())
                try Files.remove(preferences(lab))
                try lab.faults.call(
                    ArmFault {
                        $0.point = point.rawValue
                        $0.peer = "wallet"
                        $0.action = .kill
                        $0.pass = pass
                    })
                _ = try lab.wallet.failure(of: Launch())
                try lab.faults.call(DisarmFaults())
                // Before the first item is removed the activation is whole; after that it is gone.
                if try lab.main.call(HasValidActivation()) {
                    try lab.main.call(ValidatePassword { $0.password = password })
                }
                try lab.wallet.call(Launch())
                for app in [lab.wallet, lab.main] {
                    #expect(try !app.call(HasValidActivation()))
                    #expect(try !hasToken(app))
                }
                try lab.activate()
                try lab.wallet.call(ValidatePassword { $0.password = password })
            }
        }
    }
}
