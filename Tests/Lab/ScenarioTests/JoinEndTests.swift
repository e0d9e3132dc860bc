// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine

@Suite("Two joined labs end and refuse each other in order", .endsInTime)
struct JoinEndTests {
    private static let patience = LabDuration.seconds(20).stretched

    @Test(arguments: [true, false])
    func `When the guest or the owner leaves, a command to the guest ends at once`(ofGuest isGuest: Bool) async throws {
        try await JoinedLabs.play { labs in
            let guest = try labs.join(FakeAnswers(isSilent: true))
            let owner = labs.owner.connection
            let call = PendingCall {
                let outcome = try owner.give("hasLocalToken", to: "companion", ["name": "accounts"])
                return .string(outcome.error?.description ?? "no error")
            }
            guest.lab.answers.awaitRequest()
            if isGuest {
                guest.link.close()
                try labs.notices.wait(for: "The lab of watch has gone: it has ended. It can join again")
            } else {
                labs.closeHost()
                try guest.notices.wait(for: #"farewell("the lab that was joined has ended")"#)
                #expect(labs.notices.all == ["The lab of watch has joined"])
            }
            #expect(try call.get() == "peerDied: the lab of watch has gone before it answered")
            guard isGuest else { return }
            #expect(try owner.give("hasLocalToken", to: "companion", ["name": "a"]).error?.name == "notJoined")
            try labs.join()
            #expect(try owner.give("hasLocalToken", to: "companion", ["name": "a"]).error == nil)
        }
    }

    @Test func `A change that waits for a guest does not wait for one that has left`() async throws {
        try await JoinedLabs.play { labs in
            let guest = try JoinSpeaker(to: labs)
            try guest.words.wait(for: "welcome 1000000")
            guest.send(.ready)
            try guest.words.wait(for: "state 1")
            let owner = labs.owner.connection
            let call = PendingCall {
                try owner.ask(.join, ControlRequest(command: "settle"), timeout: Self.patience).get()
            }
            try guest.words.wait(for: "state 2")
            guest.close("")
            #expect(try call.get() == .null)
        }
    }

    @Test
    func `A guest whose clock has advanced moves the owner's, and what waits for the guest waits for the next state`()
        async throws
    {
        try await JoinedLabs.play { labs in
            let owner = labs.owner.connection
            try owner.clock.freeze()
            let begin = owner.clock.now().nanoseconds
            let guest = try JoinSpeaker(to: labs)
            try guest.words.wait(for: "welcome 1000000")
            guest.send(.ready)
            try guest.words.wait(for: "state 1")
            guest.send(.settled(number: 1, lead: 5))
            try guest.words.wait(for: "state 2")
            #expect(owner.clock.now().nanoseconds == begin + 5)

            let call = PendingCall {
                try owner.ask(.join, ControlRequest(command: "settle"), timeout: Self.patience).get()
            }
            try guest.words.wait(for: "state 3")
            guest.send(.settled(number: 2, lead: 0))
            guest.send(.settled(number: 3, lead: 1))
            try guest.words.wait(for: "state 4")
            #expect(owner.clock.now().nanoseconds == begin + 6)
            #expect(!call.isOver)
            guest.send(.settled(number: 4, lead: 0))
            #expect(try call.get() == .null)
            guest.close("")
        }
    }

    // MARK: Refusals

    @Test
    func `A guest of another version or for other devices is refused, and so is each while the server does not run`()
        async throws
    {
        var other = JoinHello(instance: nil, devices: [])
        other.version += 1
        let rows: [(hello: JoinHello, hasServer: Bool, reason: String)] = [
            (other, true, "the lab that is joined is of another version; use the same on both hosts"),
            (
                JoinHello(instance: nil, devices: ["phone"]), true,
                "the lab that is joined leaves watch to others, not phone; write --only watch"
            ),
            (JoinHello(instance: nil, devices: ["watch"]), false, "the server of the lab that is joined does not run"),
        ]
        for (hello, hasServer, reason) in rows {
            try await JoinedLabs.play(hasServer: hasServer) { labs in
                let guest = try JoinSpeaker(to: labs, hello: hello)
                try guest.words.wait(for: "refused: \(reason)")
                guest.close("")
            }
        }
        try await JoinedLabs.play { labs in
            // One that has an instance already has not started anew.
            let guest = try JoinSpeaker(to: labs, hello: JoinHello(instance: "abc", devices: ["watch"]))
            try guest.words.wait(for: "welcome 0")
            guest.close("")
        }
    }

    @Test func `A guest that cannot join says why: a refusal, or a wrong key`() async throws {
        try await JoinedLabs.play(hasServer: false) { labs in
            let key = try labs.key
            func refusal(at address: JoinAddress) -> String? {
                let error = #expect(throws: JoinError.self) {
                    try JoinGuest(address, key: key, devices: [], interruption: Interruption())
                }
                return error?.description
            }
            #expect(refusal(at: labs.host.address) == "the server of the lab that is joined does not run")
            let (other, _) = try JoinSocket.listen(at: JoinAddress(host: "127.0.0.1", port: 0)) { _ in }
            #expect(refusal(at: other.address) == JoinError.refusedKey(address: "\(other.address)").description)
            other.close("")
        }
    }
}
