// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("The log (mobile-token.md, section 15)", .endsInTime, .serialized)
struct LoggerTests {
    private final class Listener: WMTLoggerDelegate, Sendable {
        let wmtFollowVerboseLevel: Bool
        private let messages = Mutex<[String]>([])

        init(follows: Bool) { wmtFollowVerboseLevel = follows }

        func wmtLog(message: String, logLevel: WMTLogLevel) {
            // Other tests log, too.
            if message.hasPrefix("test ") { messages.withLock { $0.append("\(logLevel): \(message)") } }
        }

        var heard: [String] { messages.withLock { $0 } }
    }

    private func heard(by listener: Listener, at level: WMTLogger.VerboseLevel) -> [String] {
        let before = WMTLogger.verboseLevel
        WMTLogger.verboseLevel = level
        WMTLogger.delegate = listener
        defer {
            WMTLogger.delegate = nil
            WMTLogger.verboseLevel = before
        }
        WMTLogger.debug("test d")
        WMTLogger.info("test i")
        WMTLogger.warning("test w")
        WMTLogger.error("test e")
        return listener.heard
    }

    @Test func `A delegate gets the printed messages, or all`() {
        let all = ["debug: test d", "info: test i", "warning: test w", "error: test e"]
        let levels: [(WMTLogger.VerboseLevel, Int)] = [
            (.off, 0), (.errors, 1), (.warnings, 2), (.info, 3), (.debug, 4),
        ]
        for (level, count) in levels {
            #expect(heard(by: Listener(follows: true), at: level) == Array(all.suffix(count)))
            #expect(heard(by: Listener(follows: false), at: level) == all)
        }
        #expect(WMTLogger.verboseLevel == .warnings)
    }

    @Test func `A message without a listener is not evaluated`() {
        func costly() -> String {
            Issue.record("evaluated")
            return ""
        }
        #expect(WMTLogger.verboseLevel == .warnings && WMTLogger.delegate == nil)
        WMTLogger.debug(costly())
    }
}
