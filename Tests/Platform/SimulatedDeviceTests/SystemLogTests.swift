// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import OSFramework
import SimulatedDevice
import TestSupport
import Testing

/// The system's log as an app's own code uses it.
@Suite("The os shim", .endsInTime)
struct SystemLogTests {
    private let directory: TemporaryDirectory
    private let sandbox: Sandbox
    private let log: OSLog

    init() throws {
        directory = try TemporaryDirectory()
        let app = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.example.main",
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: "test"))
        sandbox = try TemporaryDevice().sandbox(for: app, traceDirectory: directory.path)
        log = OSLog(subsystem: "com.example.main", category: "bank", sandbox: sandbox)
    }

    private func events() throws -> [[String: JSONValue]] {
        try TraceReader.readAll(directory.path).filter { $0.name == .log }.map(\.fields)
    }

    private func messages() throws -> [String] { try events().compactMap { $0["message"]?.stringValue } }

    @Test func `Each function of a logger has its level, and the trace has where the message is from`() throws {
        let logger = Logger(log)
        logger.log("0")
        logger.trace("1")
        logger.debug("2")
        logger.info("3")
        logger.notice("4")
        logger.warning("5")
        logger.error("6")
        logger.critical("7")
        logger.fault("8")
        logger.log(level: .info, "9")
        let events = try events()
        #expect(
            events.compactMap { $0["level"]?.stringValue } == [
                "notice", "debug", "debug", "info", "notice", "error", "error", "fault", "fault", "info",
            ])
        #expect(events.compactMap { $0["message"]?.stringValue } == (0...9).map(String.init))
        #expect(events.allSatisfy { $0["subsystem"] == "com.example.main" && $0["category"] == "bank" })
    }

    @Test func `Texts and objects are private, numbers are not, and an app decides otherwise`() throws {
        let (name, count, share, url) = ("alice", 7, 0.5, URL(filePath: "/alice"))
        let logger = Logger(log)
        logger.info("\(name) \(count) \(share) \(true) \(url) \(Int.self)")
        logger.info("\(name, privacy: .public) \(count, privacy: .private) \(true, privacy: .sensitive)")
        logger.info(
            "\(count + 8, format: .hex) \(share, format: .fixed(precision: 2)) \(count, align: .right(columns: 3))")
        #expect(
            try messages() == [
                "<private> 7 0.500000 true <private> Int", "alice <private> <private>", "f 0.50   7",
            ])
    }

    @Test func `A mask is the same for the same value and reveals nothing`() throws {
        let logger = Logger(log)
        for name in ["alice", "alice", "bob"] { logger.info("\(name, privacy: .private(mask: .hash))") }
        let messages = try messages()
        #expect(messages.count == 3 && messages[0] == messages[1] && messages[1] != messages[2])
        #expect(messages.allSatisfy { $0.hasPrefix("<mask.hash: '") && !$0.contains("alice") && !$0.contains("bob") })
    }

    @Test func `The older function writes its format, with private texts`() throws {
        os_log("static", log: log)
        os_log("%@ %{public}@ %d %{private}d %.1f %x %%", log: log, type: .error, "alice", "bob", 7, 8, 0.25, 255)
        os_log(.fault, log: log, "%{public}s %d", "few")
        os_log(.debug, log: log, "\(7) \("alice")")
        #expect(try messages() == ["static", "<private> bob 7 <private> 0.2 ff %", "few %d", "7 <private>"])
        #expect(
            try events().compactMap { $0["level"]?.stringValue } == ["notice", "error", "fault", "debug"])
    }

    @Test func `A log that is switched off writes nothing, and each level has the platform's number`() throws {
        let off = OSLog(subsystem: "s", category: "c", isOn: false, sandbox: sandbox)
        os_log("off", log: off, type: .fault)
        Logger(off).fault("off")
        Logger(log).fault("on")
        #expect(try messages() == ["on"])
        #expect(!off.isEnabled(type: .fault) && !OSLog.disabled.isEnabled(type: .fault) && log.isEnabled(type: .debug))
        #expect([OSLogType.default, .info, .debug, .error, .fault].map(\.rawValue) == [0, 1, 2, 16, 17])
    }
}
