// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("What an SDK sees of faults, traces and quirks", .endsInTime)
struct ObservationTests {
    @Test func `An app keeps the defects that its installation names, and no others`() throws {
        let sandbox = try Sandbox.temporary(quirks: ["sharing.D7"])
        #expect(Quirk.allCases.filter(sandbox.keeps) == [.counterAfterSave])
        #expect(try Quirk.allCases.allSatisfy(Sandbox.temporary(quirks: ["original"]).keeps))
    }

    @Test func `A fault armed for an app takes effect where its SDK passes`() throws {
        let device = try TemporaryDevice()
        let (main, wallet) = (try device.sandbox(), try device.sandbox(name: "wallet", bundleIdentifier: "com.wallet"))
        try device.faults.arm(FaultRule(point: .stateSave, process: "main", action: .fail("EIO")))
        #expect(throws: Never.self) { try wallet.pass(.stateSave) }
        #expect(throws: Never.self) { try main.pass(.stateSaved) }
        #expect(throws: InjectedFault(point: .stateSave, error: "EIO")) { try main.pass(.stateSave) }
    }

    @Test func `An app that is given turns is held at a checkpoint, another one is not`() throws {
        let device = try TemporaryDevice()
        let (main, wallet) = (try device.sandbox(), try device.sandbox(name: "wallet", bundleIdentifier: "com.wallet"))
        let checkpoint = try #require(Checkpoint("balance-read"))
        main.pass(checkpoint)
        let turns = device.faults.turns
        try turns.begin(["main"])
        wallet.pass(checkpoint)
        let thread = runOnThread(name: "main") { main.pass(checkpoint) }
        // The arrival is written before it is counted.
        turns.waitForChange(since: 0, timeout: .minutes(1))
        #expect(turns.place(of: "main").place == .held(at: "checkpoint.balance-read"))
        turns.grant("main")
        thread.join()
        turns.end()
    }

    @Test func `An event of an SDK is traced with the operation that caused it`() throws {
        let device = try TemporaryDevice()
        let directory = device.layout.root + "/run/traces"
        let app = AppSpec(
            name: "main", kind: .app, bundleIdentifier: "com.example.main",
            powerAuth: PowerAuthSpec(sdk: .full, instanceId: "test"))
        let sandbox = try device.sandbox(for: app, traceDirectory: directory)
        Sandbox.$operation.withValue("step-1") {
            sandbox.trace(
                .stateSaved, [.stateLength: .whole(12), .activationId: nil, .changeCounter: .whole(UInt64.max)])
        }
        sandbox.trace(.lockTaken, [.lock: .word(SharedLockKind.queue)])
        sandbox.trace(.stateLoaded, [.hasActivation: .boolean(false)])
        sandbox.trace(.stateRemoved)
        let events = try TraceReader.readAll(directory)
        #expect(events.map(\.name) == [.stateSaved, .lockTaken, .stateLoaded, .stateRemoved])
        #expect(events.map(\.operation) == ["step-1", nil, nil, nil])
        #expect(
            events.map(\.fields) == [
                ["bytes": 12, "counter": .integer(.max)], ["lock": "queue"], ["activation": false], [:],
            ])
        #expect(events.allSatisfy { $0.mismatch == nil })
    }
}
