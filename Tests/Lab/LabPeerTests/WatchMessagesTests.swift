// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabVocabulary
import TestSupport
import Testing
import WatchConnectivity

@testable import LabPeer

/// What a peer keeps of its watch session, for scenarios to read. What the SDK looks at first needs a sandbox, which a
/// test's process does not have; scenarios send it.
@Suite("The watch session of a peer", .endsInTime)
struct WatchMessagesTests {
    private let session = WCSession(backend: nil)

    @Test func `Each message and each context is in the log with its content, and a message is answered with itself`() {
        let messages = WatchMessages()
        var answers: [[String: JSONValue]] = []
        messages.session(session, didReceiveMessage: ["n": 1])
        messages.session(session, didReceiveMessage: ["n": 2]) { answers.append([String: JSONValue](propertyList: $0)) }
        messages.session(session, didReceiveApplicationContext: ["n": 3])
        let calls = messages.look(at: \.calls)
        #expect(calls.map(\.call) == ["didReceiveMessage", "didReceiveMessage", "didReceiveApplicationContext"])
        #expect(calls.map(\.content) == [["n": 1], ["n": 2], ["n": 3]])
        #expect(messages.look(at: \.messages) == [["n": 1], ["n": 2]])
        #expect(answers == [["n": 2]])
    }

    @Test func `Each event of the session is in the log once, with what belongs to it`() {
        let messages = WatchMessages()
        let error = NSError(domain: "d", code: 7002)
        messages.session(session, activationDidCompleteWith: .inactive, error: error)
        messages.session(session, activationDidCompleteWith: .activated, error: nil)
        messages.sessionDidBecomeInactive(session)
        messages.sessionDidDeactivate(session)
        messages.sessionWatchStateDidChange(session)
        messages.sessionCompanionAppInstalledDidChange(session)
        messages.sessionReachabilityDidChange(session)
        let calls = messages.look(at: \.calls)
        #expect(
            calls.map(\.call) == [
                "activationDidComplete", "activationDidComplete", "sessionDidBecomeInactive", "sessionDidDeactivate",
                "sessionWatchStateDidChange", "sessionCompanionAppInstalledDidChange", "sessionReachabilityDidChange",
            ])
        #expect(calls.prefix(2).map(\.code) == [7002, nil])
        #expect(calls.prefix(2).map(\.state) == [.inactive, .activated])
        #expect(calls.last?.isReachable == false)
    }

    @Test func `A property list becomes JSON and back, each value with its type`() {
        let members: [String: JSONValue] = [
            "flag": true, "whole": -7, "share": 0.5, "text": "t", "list": [1, "a"], "inner": ["n": 1],
        ]
        #expect([String: JSONValue](propertyList: members.propertyList) == members)
        let date = Date(timeIntervalSince1970: 0)
        let other = [String: JSONValue](propertyList: ["data": Data([1]), "date": date, "none": NSNull()])
        #expect(other == ["data": "AQ==", "date": "1970-01-01T00:00:00Z", "none": nil])
    }
}
