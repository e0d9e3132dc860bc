import Foundation
import PowerAuthProtocol
import PowerAuthShared
import TestSupport
import Testing

@Suite("Names that sharing applications derive (sharing.md, sections 3.4 and 3.5)", .endsInTime)
struct SharedNamesTests {
    @Test(
        "The memory identifier is the beginning of the instance identifier's hash",
        arguments: [
            ("SharedInstanceTests", "FVv7", "FVv7QfQ9L+6Ru2FPKInmMm7XvA-rnf00lJWMXIl0jsQ"),
            ("com.wultra.lab.shared", "Ez3P", "Ez3Pwoy+nF6CWe52Ljpm-2rqen6jZruvBkoP04j34S4"),
            ("SharedInstance", "w32-", "w32-cnLgyuzlpxJbCTCYUKo+saExf1QKPw6Bm9Hkau8"),
        ])
    func identifierVectors(instanceId: String, short: String, hash: String) {
        #expect(SharedNames.hash(instanceId) == hash)
        #expect(SharedNames.computedMemoryIdentifier(instanceId: instanceId) == short)
    }

    @Test("A slash becomes a minus, a plus stays")
    func replacesSlash() {
        #expect(SharedNames.computedMemoryIdentifier(instanceId: "inst32") == "q+-Z")
    }

    @Test("Two instance identifiers can have one computed identifier")
    func collision() {
        #expect(SharedNames.computedMemoryIdentifier(instanceId: "inst7617") == "pT1l")
        #expect(SharedNames.computedMemoryIdentifier(instanceId: "inst7741") == "pT1l")
    }

    @Test("Lock files and memory of the worked example")
    func lockFiles() {
        let names = SharedNames(
            instanceId: "com.wultra.lab.shared", appGroup: "group.com.example.lab", memoryIdentifier: nil)
        #expect(names.statusLock == "PowerAuthSharedLock-cf1OLbsExY28PFnoY1N18AJZA88fDmgATQcyPR35nDU")
        #expect(names.operationLock == "PowerAuthSharedLock-CsOyW3w29D5ytxoIf0kmqjWO1HgnthffsVnuC2xm2zA")
        #expect(names.queueLock == "PowerAuthSharedLock-Ew9VKhvy2xaW+pDEK+v5jhrPbksekv9pZOFp1RT7g7Q")
        #expect(names.memoryName == "group.com.example.lab.Ez3P")
    }

    @Test("The longest memory name has 31 bytes")
    func longestName() {
        let names = SharedNames(
            instanceId: "SharedInstanceTests", appGroup: "group.com.wultra.testGroup", memoryIdentifier: nil)
        #expect(names.memoryName == "group.com.wultra.testGroup.FVv7")
        #expect(names.memoryName.utf8.count == SharedNames.memoryNameLimit)
    }
}
