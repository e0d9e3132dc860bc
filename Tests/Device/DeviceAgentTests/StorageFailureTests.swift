// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore
import LabPoints
import LabSystem
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Storage that refuses writes", .endsInTime)
struct StorageFailureTests {
    @Test func `Without room an operation ends with 7015, with any other error of the storage with 7013`() {
        #expect(StorageFailure(DeviceDisk.Refusal.full).code == 7015)
        #expect(StorageFailure(DeviceDisk.Refusal.readOnly).code == 7013)
        #expect(StorageFailure(DatabaseError(resultCode: .SQLITE_FULL)) == StorageFailure(DeviceDisk.Refusal.full))
        #expect(StorageFailure(DatabaseError(resultCode: .SQLITE_IOERR)).name == "EIO")
        #expect(StorageFailure(SystemError(call: "write", errno: 28)).code == 7015)
        #expect(StorageFailure(InjectedFault(point: .linkStore, error: "EIO")).code == 7013)
        #expect(StorageFailure(InjectedFault(point: .linkStore, error: "unavailable")).name == "EIO")
    }

    @Test
    func `A write that the storage refused has no effect, and everything else continues from the stored state`() throws
    {
        let world = try LinkWorld.settled()
        let (phone, watch) = (world.phone, world.watch)
        func userInfo() throws -> WatchFrame {
            WatchFrame(.userInfo, flags: .propertyList, messageId: UUID(), body: try content())
        }
        let stored = try userInfo()
        try world.input(.fromApp("phoneApp", stored), at: phone)
        // Decided, but not stored.
        _ = phone.link.handle(.fromApp("phoneApp", try userInfo()), at: 0)
        _ = phone.link.handle(
            .fromApp("phoneApp", WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(1))),
            at: 0)
        #expect(phone.link.outbox.entries.count == 2)
        _ = phone.link.resume(from: try phone.database.load(counterparts: phone.counterparts), at: 0)
        #expect(phone.link.outbox.entries.map(\.transferId) == [stored.messageId])
        #expect(phone.link.contexts.own.isEmpty && !phone.link.isUp)
        try world.input(.retry, at: phone)
        try world.settle()
        #expect(watch.handled == [stored.messageId])
        #expect(phone.finished == [stored.messageId])
    }

    @Test func `An app continues handling what it was handed, and gets it again only if that was not stored`() throws {
        let world = try LinkWorld.settled()
        let ids = [UUID(), UUID()]
        for id in ids {
            try world.input(
                .fromApp("phoneApp", WatchFrame(.userInfo, flags: .propertyList, messageId: id, body: try content())),
                at: world.phone)
        }
        try world.exchange()
        let watch = world.watch
        func resume() throws {
            _ = watch.link.resume(from: try watch.database.load(counterparts: watch.counterparts), at: 0)
            try world.input(.retry, at: watch)
        }
        #expect(watch.toApp.filter { $0.kind == .deliver }.map(\.messageId) == [ids[0]])
        try resume()
        #expect(watch.toApp.filter { $0.kind == .deliver }.map(\.messageId) == [ids[0]], "it is handling it")
        // The app reports, and the storage does not take it.
        _ = watch.link.handle(.fromApp("watchApp", WatchFrame(.delivered, messageId: ids[0])), at: 0)
        try resume()
        let again = watch.toApp.filter { $0.kind == .deliver }
        #expect(again.map(\.messageId) == [ids[0], ids[0]] && again.last?.flags.contains(.retransmission) == true)
        watch.toApp = [try #require(again.last)]
        try world.settle()
        #expect(watch.handled == ids)
    }
}
