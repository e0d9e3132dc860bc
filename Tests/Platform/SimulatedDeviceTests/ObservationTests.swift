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

    /// One of each case.
    private static let events: [AppEvent] = [
        .configurationRejected(cause: "c", message: "m", limit: 1, actual: 2),
        .configurationIncomplete(cause: "c", message: "m"), .stateLoaded(activationId: "a", counter: 1),
        .stateSaved(bytes: 1, activationId: "a", counter: 1), .stateRemoved, .counterBumped(1),
        .counterUsed(counter: "c", activationId: "a", factor: "f"), .lockRequested(.status), .lockTaken(.status),
        .lockReleased(.status), .operationStarted(type: "t", application: "a"),
        .operationFinished(type: "t", application: "a"), .memoryCreated(name: "n"), .memoryOpened(name: "n"),
        .memoryRepaired(name: "n", cause: .noSize), .tokenStored(name: "n"), .tokenRemoved(name: "n"),
        .httpRequest(method: "POST", path: "/"), .httpResponse(status: 200, path: "/"),
        .httpFailed(error: "e", path: "/"),
    ]

    @Test("The trace calls each event as the SDK does, with the fields that are declared for it", arguments: events)
    func eventsHaveTheirNames(event: AppEvent) {
        let name = Mirror(reflecting: event).children.first?.label ?? "\(event)"
        #expect(event.name.rawValue.replacing(".", with: "").lowercased() == name.lowercased())
        #expect(Set(event.fields.keys) == Set(event.name.fields.map(\.name)))
        #expect(Set(Self.events.map(\.name)).count == Self.events.count)
    }

    @Test("An event of an SDK is traced with the operation that caused it")
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
