import LabKit
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("What an SDK sees of faults, traces and quirks", .endsInTime)
struct ObservationTests {
    @Test("Every quirk of the lab is a defect that an app can keep")
    func everyQuirkIsADefect() {
        #expect(Set(OriginalDefect.allCases.map(\.quirk)) == Set(Quirk.all))
        #expect(OriginalDefect.allCases.count == Quirk.all.count)
    }

    @Test("An app keeps the defects that its installation names, and no others")
    func onlyNamedDefects() throws {
        let sandbox = try Sandbox.temporary(quirks: ["sharing.D7"])
        #expect(OriginalDefect.allCases.filter(sandbox.keeps) == [.counterAfterSave])
        #expect(try OriginalDefect.allCases.allSatisfy(Sandbox.temporary(quirks: ["original"]).keeps))
    }

    @Test("A fault armed for an app takes effect where its SDK passes", arguments: Checkpoint.allCases)
    func checkpointsAreFaultPoints(checkpoint: Checkpoint) throws {
        let device = try TemporaryDevice()
        let (main, wallet) = (try device.sandbox(), try device.sandbox(name: "wallet", bundleIdentifier: "com.wallet"))
        try device.faults.arm(FaultRule(point: checkpoint.faultPoint, process: "main", action: .fail("EIO")))
        #expect(throws: Never.self) { try wallet.pass(checkpoint) }
        #expect(throws: InjectedFault(point: checkpoint.faultPoint, error: "EIO")) { try main.pass(checkpoint) }
    }

    @Test("An event of an SDK stands in the trace with the operation on whose behalf it happened")
    func eventsAreTraced() throws {
        let device = try TemporaryDevice()
        let directory = device.layout.root + "/run/traces"
        let app = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.example.main",
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: "test"))
        let sandbox = try device.sandbox(for: app, traceDirectory: directory)
        Sandbox.$operation.withValue("step-1") { sandbox.trace(.stateSaved(bytes: 12, activationId: nil, counter: 3)) }
        sandbox.trace(.lockTaken(.queue))
        let events = try TraceReader.readAll(directory)
        #expect(events.map(\.name) == [.stateSaved, .lockTaken])
        #expect(events.map(\.operation) == ["step-1", nil])
        #expect(events.map(\.fields) == [["bytes": 12, "counter": 3], ["lock": "queue"]])
    }
}
