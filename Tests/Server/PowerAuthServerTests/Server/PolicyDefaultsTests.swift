// SPDX-License-Identifier: Apache-2.0

import HTTPConnections
import TestSupport
import Testing

@testable import PowerAuthServer

/// The numbers that hold where no setting says another one (server.md, section 25).
@Suite("Defaults of the server", .endsInTime)
struct PolicyDefaultsTests {
    /// A value's fields in their order, each as "name value": a new field is a line more.
    private func lines(_ value: Any, without others: Set<String> = []) -> [String] {
        Mirror(reflecting: value).children.compactMap { child in
            let name = child.label ?? ""
            return others.contains(name) ? nil : "\(name) \(child.value)"
        }
    }

    @Test func `The defaults of the server's rules`() {
        #expect(
            lines(ServerPolicy(), without: ["callbacks", "proximity"]) == [
                "activationValidity 300000", "maxFailedAttempts 5", "lookAhead 20", "isReplayVerified true",
                "requestWindow 60000", "extendedRequestWindow 7200000", "tokenValidity 7200000",
                "tokenForwardValidity 1800000", "temporaryKeyValidity 300000", "temporaryKeysPerActivation 32",
                "generationAttempts 10", "recoveryMaxFailedAttempts 5", "isUpgradeOffered true",
                "temporaryBlocking nil", "isVaultOpenedByBiometry false",
                "hasLibraryAuthenticationCode false", "pushEnvironment production", "hasOneActivationPerUser false",
                "isFlagCheckedAtApproval true", "isFlagCheckedAtClaim true",
                "isJSONStrict false", "isBackOfficeRestricted false", "pageSize 500", "offlineComponentLength 8",
                "temporaryKeysPerApplication 4000",
            ])
        #expect(lines(ProximityPolicy()) == ["digits 8", "step 30000", "previousSteps 1"])
        #expect(
            lines(CallbackPolicy()) == [
                "maxAttempts 1", "initialBackoff 2000", "backoffMultiplier 1.5", "maxBackoff 32000",
                "retention 2592000000", "allowedHosts nil", "keyStores nil", "hasNumericDates false",
                "concurrentCalls 16",
                "connectTimeout 5000", "responseTimeout 60000", "failureThreshold 200", "resetTimeout 60000",
            ])
    }

    @Test func `The defaults of a configuration`() {
        #expect(
            lines(ServerConfiguration(directory: "here"), without: ["names", "policy", "activationProvider", "limits"])
                == [
                    "directory here", "host 127.0.0.1", "hostNames []", "isInsecureAllowed false", "port 0",
                    "applicationId lab", "hasDefaultTemplates true", "operationTemplates []", "uiTemplates []",
                    "correlationHeader nil", "identityProviders []", "hasLabPowers false", "requestRecordPath nil",
                    "certificate nil", "databaseEncryptionKey nil", "hashesCheaply false", "workerThreads 4",
                ])
        #expect(lines(ServerNames()) == ["name powerauth-server", "displayName PowerAuth Server", "environment "])
        #expect(
            lines(TrafficLimits()) == [
                "headerTimeout 10000", "bodyTimeout 30000", "idleTimeout 30000", "answerTimeout 30000",
                "connections 1600", "connectionsPerAddress 400", "waitingRequests 512", "identityCalls 16",
            ])
    }

    @Test func `The limits of texts are those of the documentation`() {
        let limits: [TextLimit] = [.line, .parameter, .ordinary, .produced, .transient, .json, .names]
        #expect(limits.map(\.characters) == [255, 2_048, 4_096, 16_384, 1_000_000, 65_536, 4_096])
        #expect(OperationService.mostParameters == 64 && UITemplate.mostAttributes == 32)
        #expect(SignatureAuditStore.most == 1_000 && CallbackStore.mostAttempts == 500 && AuditStore.page == 1_000)
        #expect(ServerLimits.bodyBytes == 1_048_576)
        #expect(InboxService.lineLength == 8...255 && InboxService.bodyLength == 8...65_536)
    }

    /// The tests of sizes read these numbers from the code, so they pass with any others.
    @Test func `The numbers of lists and of a lab's records are these`() {
        #expect(LabIdentityProvider.capacity == 1_000 && LabIdentityProvider.targets == 100)
        #expect(SeedService.limit == 10_000 && PushJournal.limit == 1_000)
        #expect(MobileOperationService.pageSize == 100 && InboxEndpoints.pageSize == 100)
        #expect(OfflineSignatureService.maximumStepCount == 64 && UITemplate.languageLength == 8)
    }

    @Test func `A text is measured in code points`() {
        let limit = TextLimit(characters: 3)
        // Accents and joined pictures are code points of their own; their bytes do not matter.
        for (text, isAdmitted) in [
            ("", true), ("abc", true), ("abcd", false), ("\u{E9}\u{E9}\u{E9}", true), ("e\u{301}e", true),
            ("e\u{301}e\u{301}", false), ("\u{1F469}\u{200D}\u{1F4BB}", true),
            ("\u{1F469}\u{200D}\u{1F4BB}!", false),
        ] {
            #expect(limit.admits(text) == isAdmitted, "\(text)")
            #expect(((try? limit.check(text, "text")) != nil) == isAdmitted, "\(text)")
        }
        #expect(throws: Never.self) { try limit.check(nil, "text") }
    }

    @Test func `A share of a number is one at least`() {
        var policy = ServerPolicy()
        for (all, share) in [(4_000, 1_000), (8, 2), (7, 1), (4, 1), (3, 1), (1, 1)] {
            policy.temporaryKeysPerApplication = all
            #expect(policy.temporaryKeysPerAddress == share, "\(all)")
        }
        var proximity = ProximityPolicy()
        for (step, seconds) in [(30_000, 30), (1_999, 1), (2_000, 2), (1_000, 1), (999, 1), (0, 1)] {
            proximity.step = Int64(step)
            #expect(proximity.stepSeconds == seconds, "\(step)")
        }
        var limits = TrafficLimits()
        for (connections, perAddress, share) in [
            (1_600, 400, 400), (1_600, 401, 400), (1_600, 399, 399), (7, 400, 1), (3, 400, 1), (8, 0, 1),
        ] {
            (limits.connections, limits.connectionsPerAddress) = (connections, perAddress)
            #expect(limits.addressShare == share, "\(connections), \(perAddress)")
        }
    }

    @Test func `A server without settings has the limits of connections that any other user of them has`() {
        #expect(ConnectionLimits() == TrafficLimits().ofConnections)
    }

    @Test func `Each limit of connections is passed on as itself`() {
        var limits = TrafficLimits()
        (limits.headerTimeout, limits.bodyTimeout, limits.idleTimeout, limits.answerTimeout) = (1, 2, 3, 4)
        (limits.connections, limits.connectionsPerAddress) = (100, 6)
        let passed = limits.ofConnections
        #expect([passed.headerTimeout, passed.bodyTimeout, passed.idleTimeout, passed.answerTimeout] == [1, 2, 3, 4])
        #expect([passed.connections, passed.connectionsPerAddress] == [100, 6])
    }

    @Test func `As many places are given as there are, and one again for each that is given back`() {
        let waitingRoom = RequestAdmission(places: 2)
        #expect([waitingRoom.enter(), waitingRoom.enter(), waitingRoom.enter()] == [true, true, false])
        // A refusal takes no place.
        waitingRoom.leave()
        #expect([waitingRoom.enter(), waitingRoom.enter()] == [true, false])
    }

    @Test func `A place is free during an external call, and is taken again even if all places are taken`() async {
        let waitingRoom = RequestAdmission(places: 1)
        #expect(waitingRoom.enter())
        #expect(await waitingRoom.vacating { waitingRoom.enter() })
        waitingRoom.leave()
        #expect(!waitingRoom.enter())
        waitingRoom.leave()
        #expect(waitingRoom.enter())
    }
}
