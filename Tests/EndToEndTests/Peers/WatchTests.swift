import LabKit
import LabTesting
import Testing

/// Messages between two devices that come and go (watch.md, section 11.9).
@Suite("Phone and watch")
struct WatchTests {
    @Test("Guaranteed messages arrive once and in order, although both apps died in between")
    func guaranteedOrder() async throws {
        try await TestInstance.run { lab in
            _ = try lab.pairing.call(LinkDown.self)
            let numbers = 1...10
            for number in numbers {
                _ = try lab.main.call(TransferUserInfo.self, .init(userInfo: ["number": .integer(Int64(number))]))
            }
            _ = try lab.main.call(Kill.self)
            _ = try lab.companion.call(Kill.self)
            _ = try lab.pairing.call(LinkUp.self)
            _ = try lab.companion.call(Launch.self)
            try lab.eventually("all messages arrive") {
                try lab.companion.call(ReceivedUserInfo.self).count >= numbers.count
            }
            #expect(
                try lab.companion.call(ReceivedUserInfo.self).map { $0["number"] }
                    == numbers.map { .integer(Int64($0)) })
        }
    }

    @Test("An immediate message to an unreachable watch fails at once and never arrives")
    func unreachable() async throws {
        try await TestInstance.run { lab in
            _ = try lab.pairing.call(LinkDown.self)
            try lab.eventually("the phone notices") { try !lab.main.call(WatchSessionState.self).isReachable }
            let error = try lab.main.error(of: SendMessage.self, .init(message: ["text": "now"]))
            #expect(error.domain == "WCErrorDomain")
            #expect(error.code == 7007)
            _ = try lab.pairing.call(LinkUp.self)
            try lab.eventually("the phone notices") { try lab.main.call(WatchSessionState.self).isReachable }
            _ = try lab.main.call(SendMessage.self, .init(message: ["text": "later"]))
            #expect(try lab.companion.call(ReceivedMessages.self) == [["text": "later"]])
        }
    }

    @Test("A message from the watch launches the phone's app")
    func watchLaunchesPhone() async throws {
        try await TestInstance.run { lab in
            let code = try lab.activate()
            _ = try lab.main.call(RequestAccessToken.self, .init(name: "accounts", password: password))
            _ = try lab.main.call(Kill.self)
            let status = try lab.companion.call(UpdateActivationStatus.self, .init(delivery: .immediate))
            #expect(status.activationIdentifier == code.activationId)
            let token = try lab.companion.call(RequestAccessToken.self, .init(name: "accounts"))
            #expect(token.tokenName == "accounts")
            let main = try #require(try lab.phone.call(Processes.self).first { $0.app == "main" })
            #expect(main.state == "running")
        }
    }

    @Test("A removed activation empties the watch")
    func removalEmptiesTheWatch() async throws {
        try await TestInstance.run { lab in
            try lab.activate()
            _ = try lab.main.call(RequestAccessToken.self, .init(name: "accounts", password: password))
            _ = try lab.main.call(SendActivationStatusToWatch.self, .init(delivery: .immediate))
            _ = try lab.main.call(SendTokenToWatch.self, .init(name: "accounts", delivery: .immediate))
            #expect(try lab.watch.call(KeychainItems.self, .init()).count == 2)
            _ = try lab.main.call(RemoveActivation.self, .init(password: password))
            #expect(try lab.main.call(SendActivationStatusToWatch.self, .init(delivery: .guaranteed)))
            try lab.eventually("the watch is empty") { try lab.watch.call(KeychainItems.self, .init()).isEmpty }
            #expect(try !lab.companion.call(HasValidActivation.self))
        }
    }

    @Test("A token is removed from the watch alone, in both variants", arguments: Delivery.allCases)
    func tokenRemoval(delivery: Delivery) async throws {
        try await TestInstance.run { lab in
            try lab.activate()
            _ = try lab.main.call(RequestAccessToken.self, .init(name: "accounts", password: password))
            _ = try lab.main.call(SendActivationStatusToWatch.self, .init(delivery: delivery))
            _ = try lab.main.call(SendTokenToWatch.self, .init(name: "accounts", delivery: delivery))
            try lab.eventually("the token arrives") {
                try lab.companion.call(HasLocalToken.self, .init(name: "accounts"))
            }
            #expect(try lab.main.call(RemoveTokenFromWatch.self, .init(name: "accounts", delivery: delivery)))
            try lab.eventually("the token is gone") {
                try !lab.companion.call(HasLocalToken.self, .init(name: "accounts"))
            }
            #expect(try lab.main.call(HasLocalToken.self, .init(name: "accounts")))
        }
    }
}
