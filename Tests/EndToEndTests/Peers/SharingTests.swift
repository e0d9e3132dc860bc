import LabKit
import LabSystem
import LabTesting
import Testing

/// Two apps of one vendor, two processes, one activation (sharing.md, section 19).
@Suite("Two apps share one activation")
struct SharingTests {
    // main                                wallet
    // createActivation ─ pending
    //                                     createActivation ─ refused with 18
    // persistActivation
    //                                     hasValidActivation ─ true at once
    @Test("The second app is refused while the first is in the middle, and sees the result at once (S-5)")
    func concurrentActivation() async throws {
        try await TestInstance.run { lab in
            let code = try lab.server.call(InitActivation.self, .init())
            _ = try lab.main.call(CreateActivation.self, .init(activationCode: code.activationCode))
            #expect(try lab.main.call(ExternalPendingOperation.self) == nil)
            let error = try lab.wallet.error(
                of: CreateActivation.self, .init(activationCode: code.activationCode))
            #expect(error.code == 18)
            #expect(error.userInfo?["externalPendingOperation"]?["externalApplicationId"] == "com.example.main")
            #expect(try !lab.wallet.call(HasPendingActivation.self))
            _ = try lab.main.call(PersistActivation.self, .init(password: password))
            #expect(try lab.wallet.call(HasValidActivation.self))
            #expect(try lab.wallet.call(ExternalPendingOperation.self) == nil)
            #expect(try lab.main.call(ExternalPendingOperation.self) == nil)
        }
    }

    @Test("Signatures of both apps at once use each counter value exactly once (S-4)")
    func concurrentSignatures() async throws {
        try await TestInstance.run { lab in
            let code = try lab.activate()
            let rounds = 12
            try together(
                [lab.main, lab.wallet].map { app in
                    {
                        for round in 0..<rounds {
                            if round.isMultiple(of: 5) { _ = try app.call(FetchActivationStatus.self) }
                            _ = try app.call(ValidatePassword.self, .init(password: password))
                        }
                    }
                })
            let status = try lab.status(of: code)
            #expect(status.activationStatus == "ACTIVE")
            #expect(status.failedAttempts == 0)
            #expect(status.counter == 2 * rounds)
        }
    }

    @Test("A token of one app is used and removed by the other (S-6)")
    func sharedTokens() async throws {
        try await TestInstance.run { lab in
            let code = try lab.activate()
            let first = try lab.main.call(RequestAccessToken.self, .init(name: "first", password: password))
            #expect(try lab.wallet.call(HasLocalToken.self, .init(name: "first")))
            let again = try lab.wallet.call(RequestAccessToken.self, .init(name: "first", password: password))
            #expect(again.tokenIdentifier == first.tokenIdentifier)
            _ = try lab.wallet.call(RequestAccessToken.self, .init(name: "second", password: password))
            for app in [lab.main, lab.wallet] {
                for name in ["first", "second"] {
                    let header = try #require(try app.call(GenerateHeader.self, .init(name: name)))
                    #expect(try lab.server.call(ValidateToken.self, .init(header: header.value)).tokenValid)
                }
            }
            _ = try lab.wallet.call(RemoveAccessToken.self, .init(name: "first"))
            _ = try lab.main.call(RemoveAccessToken.self, .init(name: "second"))
            for app in [lab.main, lab.wallet] {
                for name in ["first", "second"] {
                    #expect(try !app.call(HasLocalToken.self, .init(name: name)))
                }
            }
            #expect(try lab.status(of: code).tokens == 0)
        }
    }

    @Test("After the owner of a pending activation was killed, the next app can start one")
    func killedOwner() async throws {
        try await TestInstance.run { lab in
            let lost = try lab.server.call(InitActivation.self, .init())
            _ = try lab.main.call(CreateActivation.self, .init(activationCode: lost.activationCode))
            #expect(try lab.wallet.call(ExternalPendingOperation.self) != nil)
            _ = try lab.main.call(Kill.self)
            #expect(try lab.wallet.call(ExternalPendingOperation.self) == nil)
            let code = try lab.server.call(InitActivation.self, .init())
            _ = try lab.wallet.call(CreateActivation.self, .init(activationCode: code.activationCode))
            _ = try lab.main.call(Relaunch.self)
            #expect(
                try lab.main.call(ExternalPendingOperation.self)?.externalApplicationId == "com.example.wallet")
        }
    }

    /// Every point that a signed request passes in the app. Killed there, the app leaves a state with which the next
    /// process goes on: no counter value is used twice, no lock stays held.
    static let pointsOfARequest: [FaultPoint] = [
        .lockTaken, .stateSave, .keychainWrite, .stateSaved, .counterBump, .lockReleased, .httpRequestSent,
        .httpResponseReceived,
    ]

    @Test("An app killed anywhere in a signed request leaves a usable activation", arguments: pointsOfARequest)
    func killedInRequest(point: FaultPoint) async throws {
        try await TestInstance.run { lab in
            let code = try lab.activate()
            _ = try lab.faults.call(
                ArmFault.self, .init(point: point.rawValue, peer: "main", action: "kill", pass: nil))
            let error = try lab.main.error(of: ValidatePassword.self, .init(password: password))
            #expect(error.name == "peerDied")
            _ = try lab.faults.call(DisarmFaults.self, .init())
            _ = try lab.wallet.call(ValidatePassword.self, .init(password: password))
            _ = try lab.main.call(Relaunch.self)
            _ = try lab.main.call(ValidatePassword.self, .init(password: password))
            _ = try lab.wallet.call(ValidatePassword.self, .init(password: password))
            let status = try lab.status(of: code)
            #expect(status.activationStatus == "ACTIVE")
            #expect(status.failedAttempts == 0)
            #expect(try lab.wallet.call(FetchActivationStatus.self).state == "active")
        }
    }
}
