// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabControl
import LabSystem
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// Frames of an app that no link takes: the app hears the code at once (watch.md, section 9.7).
@Suite("Frames of apps that are refused", .endsInTime)
struct RefusedFrameTests {
    /// A phone whose app is this process, with the app's end of the connection.
    private final class AttachedApp {
        let phone: UnservedAgent
        let host: AppHost
        let connection: AgentConnection
        let address: Data

        init() throws {
            let phone = try UnservedAgent()
            let host = try #require(phone.agent.hosts["main"])
            let address = Data("main-\(getpid())-1".utf8)
            host.address = address
            phone.agent.routes[address] = "main"
            (self.phone, self.host, self.address) = (phone, host, address)
            connection = try AgentConnection(
                layout: phone.device.layout, device: phone.device.spec,
                attach: AttachBody(name: "main", pid: getpid(), incarnation: 1),
                handlers: AgentConnection.Handlers(deviceCrashed: { _ in }))
        }

        deinit { connection.stop() }

        /// The code that the app gets for a transfer when its agent takes such a frame.
        func code(of frame: WatchFrame, _ take: (WatchFrame) throws -> Void) throws -> Int? {
            let answer = OneShot<Int>()
            let id = frame.messageId
            runOnThread(name: "app") { [connection] in
                answer.set(connection.queueTransfer(id, .userInfo(Data())) ?? 0)
            }
            // The agent's answer is lost while the app is not connected, or does not wait for it yet.
            while true {
                try take(frame)
                if let code = answer.wait(timeoutNanoseconds: 0) { return code }
                sched_yield()
            }
        }
    }

    @Test func `Without any link, transfers and contexts are refused with 7005, and so are live messages`() throws {
        let app = try AttachedApp()
        let agent = app.phone.agent
        agent.links = []
        for kind in [WatchFrame.Kind.userInfo, .file, .context] {
            let code = try app.code(of: WatchFrame(kind, messageId: UUID())) { frame in
                try agent.receive(frame, from: app.address, by: getpid())
            }
            #expect(code == 7005, "\(kind)")
        }
        let failed = OneShot<Int>()
        let message = UUID()
        app.connection.setReceiver { event in
            if case .failed(messageId: message, code: let code) = event { failed.set(code) }
        }
        while true {
            try agent.receive(WatchFrame(.live, messageId: message), from: app.address, by: getpid())
            // An acknowledgement asks for no answer.
            try agent.receive(WatchFrame(.liveAcknowledgement), from: app.address, by: getpid())
            if let code = failed.wait(timeoutNanoseconds: 0) {
                #expect(code == 7005)
                return
            }
            sched_yield()
        }
    }

    @Test func `A file is refused that is not described, cannot be read, or is too large`() throws {
        let app = try AttachedApp()
        let agent = app.phone.agent
        let directory = try TemporaryDirectory()
        func file(_ path: String) -> WatchFrame {
            WatchFrame(.file, flags: .file, messageId: UUID(), body: WatchFrame.body(WatchFile(path: path, size: 1)))
        }
        func code(_ frame: WatchFrame) throws -> Int? {
            try app.code(of: frame) { agent.sendFile($0, from: app.host, over: agent.links[0]) }
        }
        let large = directory.file("large")
        try Files.write(to: large) { try $0.truncate(to: WatchFile.limit + 1) }
        #expect(try code(WatchFrame(.file, messageId: UUID())) == 7001)
        #expect(try code(WatchFrame(.file, flags: .file, messageId: UUID(), body: Data([1]))) == 7001)
        #expect(try code(file(directory.file("missing"))) == 7013)
        #expect(try code(file(large)) == 7009)
        #expect(agent.links[0].link.outbox.entries.isEmpty)
    }

    @Test(.verifies("size", "RefusalTally.limit", "RefusalTally.period"))
    func `The first refusals of a second are reported one by one, the others as one number at its end`() {
        var tally = RefusalTally()
        let start: UInt64 = 5_000_000_000
        let reports = (0..<1_000).compactMap { tally.take("cause \($0)", at: start + UInt64($0)) }
        #expect(reports.count == RefusalTally.limit && reports.allSatisfy { $0.count == nil })
        #expect(tally.due == start + RefusalTally.period)
        #expect(tally.summary(at: start + 1_000) == nil)
        #expect(
            tally.summary(at: start + RefusalTally.period)
                == RefusalTally.Report(cause: "cause 999", count: 1_000 - RefusalTally.limit))
        #expect(tally.due == nil && tally.summary(at: .max) == nil)
        #expect(tally.take("later", at: start + RefusalTally.period) == RefusalTally.Report(cause: "later"))
    }

    @Test func `A few in a second are all reported, and none twice`() {
        var tally = RefusalTally()
        for second in 1...100 as ClosedRange<UInt64> {
            #expect(tally.take("cause", at: second * RefusalTally.period) == RefusalTally.Report(cause: "cause"))
        }
        #expect(tally.due == nil)
    }
}
