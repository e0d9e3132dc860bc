// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabHTTP
import LabPoints
import PowerAuth2
import PowerAuthProtocol
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthShared

/// sdk.md, section 4.5. The log belongs to the process: only these tests use it, one after the other.
@Suite("The log", .endsInTime, .serialized)
struct LogTests {
    private final class Listener: PowerAuthLogDelegate {
        let lines = Mutex<[String]>([])

        func powerAuthLog(_ log: String) { lines.withLock { $0.append(log) } }
    }

    /// Runs a test while the log is on and a listener hears it.
    private func logging(_ body: (Listener) throws -> Void) rethrows {
        let listener = Listener()
        PowerAuthLogSetDelegate(listener)
        PowerAuthLogSetEnabled(true)
        defer {
            PowerAuthLogSetVerbose(false)
            PowerAuthLogSetEnabled(false)
            PowerAuthLogSetDelegate(nil)
        }
        try body(listener)
    }

    @Test func `The delegate gets the messages of SDK and core while the log is on`() throws {
        let fixture = try SDKFixture()
        let listener = Listener()
        // One message of each: a serial queue without an activation, and meta data that are missing.
        func provoke() throws -> (sdk: Bool, core: Bool) {
            listener.lines.withLock { $0 = [] }
            fixture.sdk.executeOperation(onSerialQueue: BlockOperation {})
            let time = SynchronizedTime { 0 }
            let key = fixture.server.masterKey.publicKey.uncompressed
            let encryptor = try #require(
                PowerAuthCoreEciesEncryptor(timeService: time, publicKey: key, sharedInfo1: nil, sharedInfo2: nil))
            #expect(encryptor.encryptRequest(nil) == nil)
            let lines = listener.lines.withLock { $0 }
            return (lines.contains { $0.contains("serial queue") }, lines.contains { $0.contains("meta data") })
        }
        PowerAuthLogSetDelegate(listener)
        #expect(!PowerAuthLogIsEnabled() && !PowerAuthLogIsVerbose())
        #expect(try provoke() == (false, false))

        PowerAuthLogSetEnabled(true)
        PowerAuthLogSetVerbose(true)
        #expect(PowerAuthLogIsEnabled() && PowerAuthLogIsVerbose() && PowerAuthCoreLogIsEnabled())
        #expect(try provoke() == (true, true))

        PowerAuthLogSetEnabled(false)
        PowerAuthLogSetVerbose(false)
        PowerAuthLogSetDelegate(nil)
        #expect(!PowerAuthCoreLogIsEnabled())
        #expect(try provoke() == (false, false))
    }

    @available(*, deprecated)
    @Test func `The functions of older SDKs switch the same log`() {
        #expect(!PA2LogIsEnabled() && !PA2LogIsVerbose())
        PA2LogSetEnabled(true)
        PA2LogSetVerbose(true)
        #expect(PA2LogIsEnabled() && PA2LogIsVerbose() && PowerAuthLogIsEnabled() && PowerAuthLogIsVerbose())
        PA2LogSetEnabled(false)
        PA2LogSetVerbose(false)
        #expect(!PowerAuthLogIsEnabled() && !PowerAuthLogIsVerbose())
    }

    @Test func `An extension that may not remove tokens logs that, one that may logs nothing`() throws {
        let device = try TemporaryDevice()
        try logging { listener in
            for isAllowed in [false, true] {
                let app = try TokenApp("main", on: device, rules: isAllowed ? .application : .appExtension)
                listener.lines.withLock { $0 = [] }
                app.store.removeLocalToken(withName: "T")
                let complaints = listener.lines.withLock { $0.count { $0.contains("does not remove the tokens") } }
                #expect(complaints == (isAllowed ? 0 : 1))
            }
        }
    }

    @Test(arguments: [false, true])
    func `A token access whose state could not be stored logs the reason, as its end cannot throw`(isSharing: Bool)
        throws
    {
        let device = try TemporaryDevice()
        let interface: any BracketedSessionInterface
        if isSharing {
            interface = try SharingApp("main", on: device).interface
        } else {
            let sandbox = try device.sandbox()
            interface = try Installed(in: sandbox, instanceId: "i").session(in: sandbox)
        }
        try logging { listener in
            try device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
            _ = try interface.lockTokenStore()
            #expect(interface.session.deserializeState(StoredStates.version6))
            listener.lines.withLock { $0 = [] }
            interface.unlockTokenStore()
            let lines = listener.lines.withLock { $0 }
            #expect(lines.contains { $0.hasPrefix("ERROR: ") && $0.contains("session state") })
        }
        #expect(!interface.hasValidActivation())
    }

    @Test func `The log shows requests, but no encrypted bodies`() throws {
        try logging { listener in
            // Other tests may send requests meanwhile; the names are unique.
            let url = try #require(URL(string: "http://server.example/" + UUID().uuidString))
            let body = UUID().uuidString
            let request = HTTPRequest(url: url, headers: [("X-Of-This-Test", body)], body: Data(body.utf8))
            func lines(_ status: Int, isEncrypted: Bool) -> [String] {
                listener.lines.withLock { $0 = [] }
                HTTPLog.write(request, isEncrypted: isEncrypted)
                HTTPLog.write(HTTPResponse(status: status, body: Data(body.utf8)), to: url, isEncrypted: isEncrypted)
                HTTPLog.write(NSError.powerAuth(.networkError, body), to: url)
                return listener.lines.withLock { $0 }
            }
            func bodies(_ lines: [String]) -> Int { lines.count { $0 == "- Body: " + body } }

            let safe = HTTPRequest(url: try #require(URL(string: "https://server.example/")), headers: [], body: Data())
            listener.lines.withLock { $0 = [] }
            HTTPLog.write(safe, isEncrypted: false)
            #expect(!listener.lines.withLock { $0.contains { $0.contains("use HTTPS") } })
            let brief = lines(200, isEncrypted: false)
            #expect(brief.contains("HTTP POST request: → \(url)") && brief.contains("HTTP response 200: ← \(url)"))
            #expect(brief.contains { $0.hasPrefix("HTTP request failed: ← \(url)") && $0.contains(body) })
            #expect(bodies(brief) == 0 && !brief.contains { $0.hasPrefix("- Headers") && $0.contains(body) })
            PowerAuthLogSetVerbose(true)
            let verbose = lines(200, isEncrypted: false)
            #expect(bodies(verbose) == 2 && verbose.contains { $0.hasPrefix("- Headers") && $0.contains(body) })
            #expect(bodies(lines(200, isEncrypted: true)) == 0)
            #expect(lines(200, isEncrypted: true).contains("- Body: \(body.utf8.count) encrypted bytes"))
            #expect(bodies(lines(400, isEncrypted: true)) == 1, "an error is in plain text")
            #expect(!lines(200, isEncrypted: false).contains { $0.contains("use HTTPS") }, "a warning is given once")
        }
    }
}
