// SPDX-License-Identifier: Apache-2.0

import Foundation
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

/// The log is the process's, so its tests take turns, and look for texts of their own only.
@Suite("The log (networking.md, section 11)", .endsInTime, .serialized)
struct LoggerTests {
    /// The lab operation of these tests, which identifies their requests.
    private static let operation = "LoggerTests"

    /// Remembers the messages.
    private final class Listener: WPNLoggerDelegate, Sendable {
        let wpnFollowVerboseLevel: Bool
        private let heard = Mutex<[(message: String, level: WPNLogLevel, isOwn: Bool)]>([])

        init(follows: Bool) { wpnFollowVerboseLevel = follows }

        var messages: [String] { heard.withLock { $0.map(\.message) } }
        /// Those that these tests have caused; others log at the same time.
        var ownMessages: [String] { heard.withLock { $0.filter(\.isOwn).map(\.message) } }
        func levels(of text: String) -> [WPNLogLevel] {
            heard.withLock { $0.filter { $0.message.contains(text) }.map(\.level) }
        }

        func wpnLog(message: String, logLevel: WPNLogLevel) {
            let isOwn = Sandbox.operation == LoggerTests.operation
            heard.withLock { $0.append((message, logLevel, isOwn)) }
        }
    }

    /// Runs with other settings, and puts the old ones back.
    private func listening<Value>(
        _ listener: Listener, level: WPNLogger.VerboseLevel, limit: Int? = 12_000, _ body: () async throws -> Value
    ) async rethrows -> Value {
        let (oldLevel, oldLimit) = (WPNLogger.verboseLevel, WPNLogger.characterLimit)
        (WPNLogger.verboseLevel, WPNLogger.characterLimit, WPNLogger.delegate) = (level, limit, listener)
        defer {
            (WPNLogger.verboseLevel, WPNLogger.characterLimit, WPNLogger.delegate) = (oldLevel, oldLimit, nil)
        }
        return try await Sandbox.$operation.withValue(Self.operation, operation: body)
    }

    private func logAll(_ text: String) {
        WPNLogger.debug(text)
        WPNLogger.info(text)
        WPNLogger.warning(text)
        WPNLogger.error(text)
    }

    @Test(
        arguments: [
            (WPNLogger.VerboseLevel.off, 0), (.errors, 1), (.warnings, 2), (.info, 3), (.debug, 4), (.all, 4),
        ])
    func `A message passes by its level, or to a delegate that takes all`(level: WPNLogger.VerboseLevel, count: Int)
        async
    {
        let text = "text-" + UUID().uuidString
        let (following, curious) = (Listener(follows: true), Listener(follows: false))
        await listening(following, level: level) {
            #expect(WPNLogger.delegate === following)
            logAll(text)
        }
        #expect(WPNLogger.delegate == nil)
        #expect(following.levels(of: text) == [.debug, .info, .warning, .error].suffix(count))
        await listening(curious, level: level) { logAll(text) }
        #expect(curious.levels(of: text) == [.debug, .info, .warning, .error])
    }

    @Test func `A message that no listener takes is not made, and a long one is cut`() async {
        let listener = Listener(follows: true)
        await listening(listener, level: .off) {
            func message() -> String {
                Issue.record("the message was made")
                return ""
            }
            WPNLogger.error(message())
        }
        let text = UUID().uuidString
        await listening(listener, level: .errors, limit: 40) { WPNLogger.error(text + text) }
        await listening(listener, level: .errors, limit: nil) { WPNLogger.error(text + text) }
        let heard = listener.messages.filter { $0.contains(text) }
        #expect(heard == [String((text + text).prefix(40)), text + text])
    }

    @Test func `Listed headers, and those that authenticate the sender, are left out`() {
        let list = HeaderBlockList()
        #expect(list.headersToSkip().count == 16)
        list.removeAll(elements: ["Accept-Language"])
        #expect(list.headersToSkip().contains("accept-language"), "the vendor's list names it twice")
        list.remove(element: "Vary")
        list.add(element: "X-Mine")
        list.add(elements: ["x-other"])
        #expect(
            list.render([
                ("Accept-Language", "en"), ("Vary", "a"), ("X-MINE", "b"), ("X-PowerAuth-Authorization", "c"),
                ("Authorization", "d"),
            ]) == "4 filtered out\n  - Vary: a")
        list.removeAll()
        #expect(list.headersToSkip() == [] && list.render([]) == "no headers")
    }

    @Test
    func `Bodies are logged at the level debug only, headers of the protocol never, and HTTP is warned of once`()
        async throws
    {
        let app = try await TestApp.activated()
        let service = try app.service()
        let secret = "secret-" + UUID().uuidString
        func send() async { _ = await service.send(WPNRequest(Message(data: secret)), Endpoints.application) }
        let (quiet, verbose) = (Listener(follows: true), Listener(follows: true))
        await listening(quiet, level: .info) {
            await send()
            _ = await service.send(WPNRequestBase(), .wrongPassword, Endpoints.signed)
        }
        let lines = quiet.ownMessages.filter { $0.contains(service.config.baseUrl.absoluteString) }
        #expect(lines.contains { $0.hasPrefix("WPNHttpClient Request") })
        #expect(lines.contains { $0.contains("- Status code: 401") })
        #expect(!quiet.messages.contains { $0.contains(secret) || $0.contains("pa_signature") })
        // The warning does not say whom it is about, and each server that a test speaks to has its own.
        #expect(quiet.ownMessages.count { $0.contains("Use HTTPS in production") } <= 1)
        await listening(verbose, level: .debug) { await send() }
        #expect(verbose.messages.contains { $0.hasPrefix("Decrypted response") && $0.contains(secret) })
        #expect(!verbose.ownMessages.contains { $0.contains("Use HTTPS in production") })

        WPNLogger.logHttpTraffic = false
        defer { WPNLogger.logHttpTraffic = true }
        let silent = Listener(follows: true)
        await listening(silent, level: .debug) { await send() }
        #expect(!silent.messages.contains { $0.contains(secret) })
    }
}
