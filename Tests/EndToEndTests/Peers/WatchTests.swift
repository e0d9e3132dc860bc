// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import LabTesting
import LabVocabulary
import SimulatedDevice
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// Messages between two devices that come and go (watch.md, section 11.9).
    @Suite("Phone and watch")
    struct WatchTests {
        @Test func `Guaranteed messages arrive once and in order, even if both apps die in between`() async throws {
            try await Lab.run { lab in
                try lab.pairing.call(LinkDown())
                let numbers = 1...10
                for number in numbers {
                    try lab.main.call(TransferUserInfo { $0.userInfo = ["number": .integer(Int64(number))] })
                }
                try lab.main.call(Kill())
                try lab.companion.call(Kill())
                try lab.pairing.call(LinkUp())
                try lab.companion.call(Launch())
                try lab.eventually("all messages arrive") {
                    try lab.companion.call(ReceivedUserInfo()).count >= numbers.count
                }
                #expect(
                    try lab.companion.call(ReceivedUserInfo()).map { $0["number"] }
                        == numbers.map { .integer(Int64($0)) })
            }
        }

        @Test func `An immediate message to an unreachable watch fails at once and never arrives`() async throws {
            try await Lab.run { lab in
                try lab.pairing.call(LinkDown())
                try lab.eventually("the phone notices") { try !lab.main.call(WatchSessionState()).isReachable }
                let error = try lab.main.failure(of: SendMessage { $0.message = ["text": "now"] })
                #expect(error.domain == "WCErrorDomain")
                #expect(error.code == 7007)
                try lab.pairing.call(LinkUp())
                try lab.eventually("the phone notices") { try lab.main.call(WatchSessionState()).isReachable }
                try lab.main.call(SendMessage { $0.message = ["text": "later"] })
                #expect(try lab.companion.call(ReceivedMessages()) == [["text": "later"]])
                let seen = try lab.traceEvents().filter { $0.name == .sessionState && $0.process == "main" }
                #expect(seen.contains { $0.fields["reachable"] == false })
                #expect(seen.last?.fields["reachable"] == true)
            }
        }

        @Test func `A message from the watch launches the phone's app`() async throws {
            try await Lab.run { lab in
                let code = try lab.activate()
                try lab.main.call(
                    RequestAccessToken {
                        $0.name = "accounts"
                        $0.password = password
                    })
                try lab.main.call(Kill())
                let status = try lab.companion.call(UpdateActivationStatus { $0.delivery = .immediate })
                #expect(status.activationIdentifier == code.activationId)
                let token = try lab.companion.call(RequestAccessToken { $0.name = "accounts" })
                #expect(token.tokenName == "accounts")
                let main = try #require(try lab.phone.call(Processes()).first { $0.app == "main" })
                #expect(main.state == .running)
            }
        }

        @Test func `A restarted app with a full outbox knows all waiting messages`() async throws {
            try await Lab.run { lab in
                try lab.pairing.call(LinkDown())
                // Together larger than a frame.
                let text = String(repeating: "x", count: 60_000)
                for number in 1...10 {
                    try lab.main.call(
                        TransferUserInfo { $0.userInfo = ["number": .integer(Int64(number)), "text": .string(text)] })
                }
                try lab.main.call(Relaunch())
                try lab.eventually("the session is activated") {
                    try lab.main.call(WatchSessionState()).activationState == .activated
                }
                #expect(try lab.main.call(OutstandingUserInfoTransfers()) == 10)
                try lab.pairing.call(LinkUp())
                try lab.eventually("all messages arrive") { try lab.companion.call(ReceivedUserInfo()).count >= 10 }
                try lab.eventually("all ends are reported") {
                    try lab.main.call(FinishedUserInfoTransfers()).count >= 10
                }
                #expect(try lab.main.call(FinishedUserInfoTransfers()).allSatisfy { $0.code == nil })
            }
        }

        @Test func `A removed activation empties the watch`() async throws {
            try await Lab.run { lab in
                try lab.activate()
                try lab.main.call(
                    RequestAccessToken {
                        $0.name = "accounts"
                        $0.password = password
                    })
                try lab.main.call(SendActivationStatusToWatch { $0.delivery = .immediate })
                try lab.main.call(
                    SendTokenToWatch {
                        $0.name = "accounts"
                        $0.delivery = .immediate
                    })
                #expect(try lab.watch.call(KeychainItems()).count == 2)
                try lab.main.call(RemoveActivation { $0.password = password })
                #expect(try lab.main.call(SendActivationStatusToWatch { $0.delivery = .guaranteed }))
                try lab.eventually("the watch is empty") { try lab.watch.call(KeychainItems()).isEmpty }
                #expect(try !lab.companion.call(HasValidActivation()))
            }
        }

        @Test(arguments: Delivery.allCases)
        func `A token is removed from the watch alone, in both variants`(delivery: Delivery) async throws {
            try await Lab.run { lab in
                try lab.activate()
                try lab.main.call(
                    RequestAccessToken {
                        $0.name = "accounts"
                        $0.password = password
                    })
                try lab.main.call(SendActivationStatusToWatch { $0.delivery = delivery })
                try lab.main.call(
                    SendTokenToWatch {
                        $0.name = "accounts"
                        $0.delivery = delivery
                    })
                try lab.eventually("the token arrives") {
                    try lab.companion.call(HasLocalToken { $0.name = "accounts" })
                }
                #expect(
                    try lab.main.call(
                        RemoveTokenFromWatch {
                            $0.name = "accounts"
                            $0.delivery = delivery
                        }))
                try lab.eventually("the token is gone") {
                    try !lab.companion.call(HasLocalToken { $0.name = "accounts" })
                }
                #expect(try lab.main.call(HasLocalToken { $0.name = "accounts" }))
            }
        }
    }
}
