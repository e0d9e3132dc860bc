// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LabSystem
import LabTesting
import LabVocabulary
import Synchronization
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// Two apps of one vendor, two processes, one activation (sharing.md, section 19).
    @Suite("Two apps share one activation")
    struct SharingTests {
        // main                                wallet
        // createActivation ─ pending
        //                                     createActivation ─ refused with 18
        // persistActivation
        //                                     hasValidActivation ─ true at once
        @Test
        func `The second app is refused during the first app's activation, and sees the result at once (S-5)`()
            async throws
        {
            try await Lab.run { lab in
                let code = try lab.server.call(InitActivation())
                try lab.main.call(CreateActivation { $0.activationCode = code.activationCode })
                #expect(try lab.main.call(ExternalPendingOperation()) == nil)
                let error = try lab.wallet.failure(of: CreateActivation { $0.activationCode = code.activationCode })
                #expect(error.code == 18)
                #expect(error.userInfo?["externalPendingOperation"]?["externalApplicationId"] == "com.example.main")
                #expect(try !lab.wallet.call(HasPendingActivation()))
                try lab.main.call(PersistActivation { $0.password = password })
                #expect(try lab.wallet.call(HasValidActivation()))
                #expect(try lab.wallet.call(ExternalPendingOperation()) == nil)
                #expect(try lab.main.call(ExternalPendingOperation()) == nil)
            }
        }

        @Test(.verifies("sharing.md", "S-4"))
        func `Signatures of both apps at once use each counter value exactly once (S-4)`() async throws {
            try await Lab.run { lab in
                let code = try lab.activate()
                let rounds = 12
                try together(
                    [lab.main, lab.wallet].map { app in
                        {
                            for round in 0..<rounds {
                                if round.isMultiple(of: 5) { try app.call(FetchActivationStatus()) }
                                try app.call(ValidatePassword { $0.password = password })
                            }
                        }
                    })
                let status = try lab.status(of: code)
                #expect(status.activationStatus == .active)
                #expect(status.failedAttempts == 0)
                #expect(status.counter == 2 * rounds)
            }
        }

        // main                                wallet
        // request "T" ─ answered, not stored
        //                                     request "T" ─ waits for main's lock, finds its record, sends nothing
        @Test
        func `Two apps that request one token at the same time get one token, requested once (S-6)`() async throws {
            try await Lab.run { lab in
                try lab.activate()
                try lab.faults.call(
                    ArmFault {
                        $0.point = FaultPoint.httpResponseReceived.rawValue
                        $0.peer = "main"
                        $0.action = .delay
                        $0.delay = .seconds(1)
                    })
                let tokens = Mutex<[RequestAccessToken.Result]>([])
                @Sendable func request(_ app: LabActor) throws {
                    let token = try app.call(
                        RequestAccessToken {
                            $0.name = "T"
                            $0.password = password
                        })
                    tokens.withLock { $0.append(token) }
                }
                @Sendable func creations() throws -> [TraceEvent] {
                    try lab.traceEvents().filter {
                        $0.name == .httpRequest && $0.fields["path"]?.stringValue?.hasSuffix("/token/create") == true
                    }
                }
                try together([
                    { try request(lab.main) },
                    {
                        try lab.eventually("main has asked the server") { try creations().count == 1 }
                        try request(lab.wallet)
                    },
                ])
                let identifiers = tokens.withLock { $0.map(\.tokenIdentifier) }
                #expect(identifiers.count == 2 && identifiers[0] == identifiers[1])
                #expect(try creations().map(\.process) == ["main"])
            }
        }

        @Test func `One app can use and remove a token of the other (S-6)`() async throws {
            try await Lab.run { lab in
                let code = try lab.activate()
                let first = try lab.main.call(
                    RequestAccessToken {
                        $0.name = "first"
                        $0.password = password
                    })
                #expect(try lab.wallet.call(HasLocalToken { $0.name = "first" }))
                let again = try lab.wallet.call(
                    RequestAccessToken {
                        $0.name = "first"
                        $0.password = password
                    })
                #expect(again.tokenIdentifier == first.tokenIdentifier)
                try lab.wallet.call(
                    RequestAccessToken {
                        $0.name = "second"
                        $0.password = password
                    })
                for app in [lab.main, lab.wallet] {
                    for name in ["first", "second"] {
                        let header = try #require(try app.call(GenerateHeader { $0.name = name }))
                        #expect(try lab.server.call(ValidateToken { $0.header = header.value }).tokenValid)
                    }
                }
                try lab.wallet.call(RemoveAccessToken { $0.name = "first" })
                try lab.main.call(RemoveAccessToken { $0.name = "second" })
                for app in [lab.main, lab.wallet] {
                    for name in ["first", "second"] {
                        #expect(try !app.call(HasLocalToken { $0.name = name }))
                    }
                }
                #expect(try lab.status(of: code).tokens == 0)
            }
        }

        @Test func `After the owner of a pending activation is killed, the next app can start one`() async throws {
            try await Lab.run { lab in
                let lost = try lab.server.call(InitActivation())
                try lab.main.call(CreateActivation { $0.activationCode = lost.activationCode })
                #expect(try lab.wallet.call(ExternalPendingOperation()) != nil)
                try lab.main.call(Kill())
                #expect(try lab.wallet.call(ExternalPendingOperation()) == nil)
                let code = try lab.server.call(InitActivation())
                try lab.wallet.call(CreateActivation { $0.activationCode = code.activationCode })
                try lab.main.call(Relaunch())
                #expect(try lab.main.call(ExternalPendingOperation())?.externalApplicationId == "com.example.wallet")
            }
        }

        /// Every point that a signed request passes in the app. After a kill there, the next process can continue: no
        /// counter value is used twice, and no lock stays held.
        static let pointsOfARequest: [FaultPoint] = [
            .queueLockTaken, .statusLockTaken, .counterBumped, .stateSave, .keychainWrite, .stateSaved,
            .statusLockReleased, .httpRequestSent, .httpResponseReceived,
        ]

        @Test(arguments: pointsOfARequest)
        func `An app killed anywhere in a signed request leaves a usable activation`(point: FaultPoint) async throws {
            try await Lab.run { lab in
                let code = try lab.activate()
                try lab.faults.call(
                    ArmFault {
                        $0.point = point.rawValue
                        $0.peer = "main"
                        $0.action = .kill
                    })
                let error = try lab.main.failure(of: ValidatePassword { $0.password = password })
                #expect(error.name == "peerDied")
                try lab.faults.call(DisarmFaults())
                try lab.wallet.call(ValidatePassword { $0.password = password })
                try lab.main.call(Relaunch())
                try lab.main.call(ValidatePassword { $0.password = password })
                try lab.wallet.call(ValidatePassword { $0.password = password })
                let status = try lab.status(of: code)
                #expect(status.activationStatus == .active)
                #expect(status.failedAttempts == 0)
                #expect(try lab.wallet.call(FetchActivationStatus()).state == .active)
            }
        }
    }
}
