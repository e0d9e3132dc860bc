// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LabCore
import LabHTTP
import LabPoints
import LabSystem
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthShared

@Suite("What an app touches in a turn of an explored order", .endsInTime)
struct FootprintTests {
    private static let group = "group.example"

    /// A network that answers everything at once.
    private final class Answering: HTTPTransport, HTTPExchange {
        func send(
            _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
        ) -> any HTTPExchange {
            completion(.success(HTTPResponse(status: 200, body: Data())))
            return self
        }

        func cancel() {}
    }

    private let device: TemporaryDevice

    init() throws { device = try TemporaryDevice() }

    /// What `main` touches in a piece of its work, which runs on a thread and is granted each turn at once.
    private func footprint(of work: @escaping @Sendable () throws -> Void) throws -> Footprint {
        let turns = device.faults.turns
        try turns.begin(["main"])
        defer { turns.end() }
        let hasEnded = Atomic(false)
        let failure = Mutex<(any Error)?>(nil)
        let thread = runOnThread(name: "main") {
            do { try work() } catch { failure.withLock { $0 = error } }
            hasEnded.store(true, ordering: .releasing)
            turns.wake()
        }
        while true {
            let seen = turns.changes
            if hasEnded.load(ordering: .acquiring) { break }
            if turns.place(of: "main").place == .running {
                turns.waitForChange(since: seen, timeout: .minutes(1))
            } else {
                turns.grant("main")
            }
        }
        thread.join()
        if let error = failure.withLock({ $0 }) { throw error }
        return turns.takeFootprint()
    }

    @Test func `Each access to the keychain is noted, and each write as a write`() throws {
        let keychain = try device.sandbox(appGroups: [Self.group]).keychain
        let added = try footprint { keychain.add(Data([1]), service: "s", account: "a") }
        #expect(added == Footprint(writing: .keychain))
        let read = try footprint { _ = keychain.read(service: "s", account: "a") }
        #expect(read == Footprint(reading: .keychain))
        let listed = try footprint { _ = keychain.items(service: "s") }
        #expect(listed == Footprint(reading: .keychain))
        let changed = try footprint { keychain.update(Data([2]), service: "s", account: "a") }
        #expect(changed == Footprint(writing: .keychain))
        let deleted = try footprint { keychain.deleteAll(service: "s") }
        #expect(deleted == Footprint(writing: .keychain))
    }

    @Test func `Preferences and files of a group are noted, and an app's own preferences as its own`() throws {
        let sandbox = try device.sandbox(appGroups: [Self.group])
        let shared = try #require(sandbox.defaults(suite: Self.group))
        let stored = try footprint { shared.set(true, forKey: "k") }
        #expect(stored == Footprint(reading: .preferences, writing: .preferences))
        let read = try footprint { _ = shared.bool(forKey: "k") }
        #expect(read == Footprint(reading: .preferences))
        let own = try #require(sandbox.defaults())
        let stayed = try footprint { own.set(true, forKey: "k") }
        #expect(stayed == Footprint(reading: .own, writing: .own))
        #expect(!stayed.conflicts(with: stayed))
        let path = try #require(sandbox.containerPath(forAppGroup: Self.group)) + "/file"
        let written = try footprint { try sandbox.write(Data([1]), to: path) }
        #expect(written == Footprint(writing: .files))
        let asked = try footprint { _ = sandbox.containerPath(forAppGroup: Self.group) }
        #expect(asked == Footprint(writing: .files))
    }

    @Test func `A write on a full device is an access to the device, and so is a look at its biometry`() throws {
        let sandbox = try device.sandbox(appGroups: [Self.group])
        let disk = try DeviceDisk(layout: device.layout, device: device.spec.name)
        _ = disk.fill(leaving: 10)
        let added = try footprint { sandbox.keychain.add(Data([1]), service: "s", account: "a") }
        #expect(added == Footprint(writing: .keychain, .device))
        disk.free()
        let asked = try footprint { _ = sandbox.authentication.obstacle(to: .biometry) }
        #expect(asked == Footprint(reading: .device))
    }

    @Test func `A request is an access to the server`() throws {
        let network = DeviceNetwork(transport: Answering(), sandbox: try device.sandbox())
        let request = HTTPRequest(url: try #require(URL(string: "http://127.0.0.1/pa")))
        let sent = try footprint { _ = network.send(request, to: "/pa") { _ in } }
        #expect(sent == Footprint(writing: .server))
    }

    @Test func `A task on a shared session takes the status lock, reads the memory, and counts what it saves`() throws {
        let interface = try SharingApp("main", on: device).interface
        let asked = try footprint { _ = interface.hasValidActivation() }
        #expect(asked == Footprint(reading: .memory, writing: .statusLock))
        let saved = try footprint {
            try interface.write { session in _ = session.deserializeState(StoredStates.version6) }
        }
        for thing in [SharedThing.statusLock, .memory, .keychain] {
            #expect(saved.conflicts(with: Footprint(reading: thing)), "\(thing)")
        }
        #expect(!saved.conflicts(with: Footprint(writing: .queueLock, .operationLock, .server, .device)))
    }

    @Test func `The locks for an operation and for a signed request are noted`() throws {
        let interface = try SharingApp("main", on: device).interface
        let announced = try footprint {
            try interface.write { _ in try interface.startExternalPendingOperation(.activation) }
        }
        for thing in [SharedThing.statusLock, .operationLock, .memory] {
            #expect(announced.conflicts(with: Footprint(reading: thing)), "\(thing)")
        }
        let queue = SerialOperationQueue(label: "test")
        let signed = try footprint {
            let done = DispatchSemaphore(value: 0)
            let operation = TestOperation { finished in
                finished()
                done.signal()
            }
            interface.addOperation(operation, toSharedQueue: queue)
            done.wait()
        }
        #expect(signed.conflicts(with: Footprint(reading: .queueLock)))
    }

    @Test func `An access belongs to the turn after the point that is passed before it`() throws {
        let keychain = try device.sandbox().keychain
        let turns = device.faults.turns
        try turns.begin(["main"])
        defer { turns.end() }
        let thread = runOnThread(name: "main") { keychain.add(Data([1]), service: "s", account: "a") }
        while true {
            let seen = turns.changes
            if turns.place(of: "main").place == .held(at: "keychain.write") { break }
            turns.waitForChange(since: seen, timeout: .minutes(1))
        }
        #expect(turns.takeFootprint() == Footprint())
        turns.grant("main")
        thread.join()
        #expect(turns.takeFootprint() == Footprint(writing: .keychain))
    }
}

extension Footprint {
    fileprivate init(reading thing: SharedThing, writing others: SharedThing...) {
        self.init()
        read(thing)
        for other in others { write(other) }
    }

    fileprivate init(writing thing: SharedThing, _ others: SharedThing...) {
        self.init()
        for written in [thing] + others { write(written) }
    }
}
