// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
import PowerAuthShared
import SDKTestSupport
import TestSupport
import Testing

@Suite("Two applications share an activation (sdk.md, section 12.10)", .endsInTime)
struct SharingTests {
    @Test(.verifies("sdk.md", "B-46"))
    func `An activation made by one application is valid in the other without a restart`() async throws {
        let first = try await TestApp(.sharing)
        let second = try first.neighbour()
        try await first.activate()
        #expect(second.sdk.hasValidActivation())
        #expect(second.sdk.activationIdentifier == first.sdk.activationIdentifier)
        #expect(await second.validate() == nil)
        #expect(await first.validate() == nil)
        #expect(await failure { second.sdk.removeActivation(with: .rightPassword, callback: $0) } == nil)
        #expect(!first.sdk.hasValidActivation() && first.sdk.canStartActivation())
    }

    @Test(.verifies("sdk.md", "B-47"))
    func `While one application activates, the other gets that error; afterwards both are valid`() async throws {
        let first = try await TestApp(.sharing)
        let second = try first.neighbour()
        _ = try await first.createActivation().get()
        #expect(first.sdk.externalPendingOperation == nil)
        let pending = try #require(second.sdk.externalPendingOperation)
        #expect(pending.externalOperationType == .activation && pending.externalApplicationId == "main")

        var refusal: NSError?
        let task = second.sdk.createActivation(try await second.activation()) { result, error in
            #expect(result == nil)
            refusal = error as NSError?
        }
        #expect(task == nil)
        #expect(refusal?.powerAuthErrorCode == .externalPendingOperation)
        let carried = refusal?.userInfo[PowerAuthErrorInfoKey_ExternalPendingOperation]
        #expect((carried as? PowerAuthExternalPendingOperation)?.externalApplicationId == "main")
        #expect(!second.sdk.hasPendingActivation() && !second.sdk.hasValidActivation())

        try first.sdk.persistActivation(withPassword: TestApp.password)
        try await first.backOffice.commit(first.activationId)
        for app in [first, second] {
            #expect(app.sdk.hasValidActivation() && app.sdk.externalPendingOperation == nil)
            #expect(try await app.status().get().state == .active)
        }
    }

    @Test
    func `The content of the shared memory can be seen; an application that shares nothing has none`() async throws {
        let app = try await TestApp(.sharing)
        let before = try #require(try app.sdk.sharedState())
        try await app.activate()
        let after = try #require(try app.sdk.sharedState())
        #expect(after.stateModifyCounter > before.stateModifyCounter)
        #expect(after.operationTicket > before.operationTicket)
        let alone = try await TestApp(.alone)
        #expect(try alone.sdk.sharedState() == nil)
    }

    @Test(.verifies("sdk.md", "B-48"))
    func `A token of one application is available to the other at once, and removed from both by either`() async throws
    {
        let first = try await TestApp.activated(.sharing)
        let second = try first.neighbour()
        let token = try await first.sdk.token("list").get()
        #expect(second.sdk.tokenStore.hasLocalToken(withName: "list"))
        let same = try #require(second.sdk.tokenStore.localToken(withName: "list"))
        #expect(same.tokenIdentifier == token.tokenIdentifier && !same.isEqual(to: token))
        let isRemoved: Bool = await callback { report in
            second.sdk.tokenStore.removeAccessToken(withName: "list") { isRemoved, _ in report(isRemoved) }
        }
        #expect(isRemoved && !first.sdk.tokenStore.hasLocalToken(withName: "list"))
    }

    @Test(.verifies("sdk.md", "B-49"))
    func `Fifty rounds of fetches and validations by both applications at the same time all succeed`() async throws {
        let first = try await TestApp.activated(.sharing)
        let second = try first.neighbour()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for app in [first, second] {
                group.addTask {
                    for round in 0..<50 {
                        if round.isMultiple(of: 2) {
                            #expect(await app.validate() == nil)
                        } else {
                            let status = try await app.status().get()
                            #expect(status.state == .active)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await first.status().get().failCount == 0)
    }
}
