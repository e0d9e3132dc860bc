// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabTesting
import LabVocabulary
import SimulatedDevice
import TestSupport
import Testing
import ZeroMQ

extension EndToEnd.Peers {
    /// Processes of the same user that are not part of the instance.
    @Suite("Unauthorized processes at the sockets of an instance")
    struct StrangerTests {
        @Test func `A process without the pairing keys cannot replace the watch, whatever it sends`() async throws {
            try await Lab.run { lab in
                try lab.eventually("the watch is there") { try lab.main.call(WatchSessionState()).isReachable }
                let stranger = try ZeroMQSocket(.shared, .dealer)
                let monitor = try stranger.monitor([.handshakeSucceeded, .handshakeFailed, .disconnected])
                try stranger.connect(try lab.layout.address(of: .link("pairing")))
                // The watch's own greeting, with the highest possible process number.
                let greeting = #"""
                    {"device":"watch","pairing":0,"identifier":{"process":18446744073709551615,"number":1},"pid":1,"epoch":1,
                    "receivedEpoch":0,"receivedSequence":0,"skipped":[],"receivedContexts":{}}
                    """#
                _ = try stranger.send(WatchFrame(.hello, body: Data(greeting.utf8)).parts)
                _ = try ZeroMQPoll.poll(sockets: [monitor.socket], timeoutMilliseconds: -1)
                #expect(try monitor.next()?.kind != .handshakeSucceeded)
                try lab.main.call(TransferUserInfo { $0.userInfo = ["number": 1] })
                try lab.main.call(SendMessage { $0.message = ["text": "now"] })
                #expect(try lab.companion.call(ReceivedMessages()) == [["text": "now"]])
                try lab.eventually("the transfer arrives") { try lab.companion.call(ReceivedUserInfo()).count == 1 }
            }
        }

        @Test func `Only the owner of the instance can read the file with the pairing keys`() async throws {
            try await Lab.run { lab in
                let path = try lab.layout.invitationPath("pairing")
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
        }

        @Test
        func `A device refuses a process that claims to be another one, and one that does not answer for the app`()
            async throws
        {
            try await Lab.run { lab in
                let main = try #require(try lab.phone.call(Processes()).first { $0.app == "main" })
                let stranger = try ZeroMQSocket(.shared, .dealer)
                try stranger.connect(try lab.layout.address(of: .apps(device: "phone")))
                func attach(_ app: String, pid: Int32) throws {
                    let body = AttachBody(name: app, pid: pid, incarnation: 9)
                    _ = try stranger.send(WatchFrame(.attach, body: WatchFrame.body(body)).parts, wait: true)
                }
                // Far more than should be traced individually.
                for _ in 0..<500 { try attach("main", pid: main.pid ?? 0) }
                try attach("wallet", pid: ProcessInfo.processInfo.processIdentifier)
                var refusals: [TraceEvent] = []
                try lab.eventually("all are refused") {
                    refusals = try lab.traceEvents().filter { $0.name == .processRefused }
                    return refusals.map { $0.fields["count"]?.integerValue ?? 1 }.reduce(0, +) == 501
                }
                #expect(refusals.count < 100)
                let causes = refusals.compactMap { $0.fields["cause"]?.stringValue }
                #expect(causes.first?.contains("`main` is not process") == true, "\(causes)")
                let after = try lab.phone.call(Processes())
                #expect(after.first { $0.app == "main" }?.pid == main.pid)
                #expect(after.first { $0.app == "main" }?.incarnation == main.incarnation)
                try lab.main.call(Suspend())
                try lab.main.call(Resume())
            }
        }
    }
}
