import Foundation
import PowerAuth2
import PowerAuthProtocol
import Synchronization
import Testing

/// sdk.md, section 4.5. The log belongs to the process, so one test does everything with it.
struct LogTests {
    private final class Listener: PowerAuthLogDelegate {
        let lines = Mutex<[String]>([])

        func powerAuthLog(_ log: String) { lines.withLock { $0.append(log) } }
    }

    @Test func theDelegateHearsTheSDKAndItsCoreWhileTheLogIsOn() throws {
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
}
