// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import TestSupport
import Testing

@testable import LabReports

@Suite("The causes of a failed step: locks, and the state of apps, devices, links and the clock", .endsInTime)
struct StateCauseTests {
    private static func event(
        _ name: TraceEventName, of process: String, at milliseconds: UInt64, step: String? = nil,
        _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        CauseRow.event(name, of: process, at: milliseconds, step: step, fields)
    }

    // MARK: Locks

    private static func asked(
        at time: UInt64, by process: String = "main", step: String? = "9", for lock: String = "queue"
    ) -> TraceEvent {
        event(.lockRequested, of: process, at: time, step: step, ["lock": .string(lock)])
    }

    private static func took(at time: UInt64, by process: String = "main", _ lock: String = "queue") -> TraceEvent {
        event(.lockTaken, of: process, at: time, ["lock": .string(lock)])
    }

    private static func gave(at time: UInt64, by process: String = "wallet", _ lock: String = "queue") -> TraceEvent {
        event(.lockReleased, of: process, at: time, ["lock": .string(lock)])
    }

    private static func life(_ name: TraceEventName, of app: String, at time: UInt64) -> TraceEvent {
        event(name, of: "phone", at: time, ["peer": .string(app)])
    }

    private static let held = took(at: 500, by: "wallet")
    private static let waits = "`main` waits for the lock `queue`, which `wallet` holds since step 5"
    private static func waited(_ time: String) -> String {
        "`main` waited \(time) for the lock `queue`, which `wallet` held"
    }

    private static let openWaits: [CauseRow] = [
        CauseRow("a lock that another app holds", [held, asked(at: 900)], waits),
        CauseRow(
            "a lock whose holder is suspended",
            [held, life(.processSuspended, of: "wallet", at: 600), asked(at: 910)], "\(waits) and is suspended"),
        CauseRow(
            "a lock whose holder was suspended before",
            [
                held, life(.processSuspended, of: "wallet", at: 600), life(.processResumed, of: "wallet", at: 610),
                asked(at: 910),
            ], waits),
        CauseRow("a lock that was released", [held, gave(at: 600), asked(at: 910)]),
        CauseRow("a lock that was released while the step waited", [held, asked(at: 910), gave(at: 950)]),
        CauseRow("another lock of the holder was released", [held, gave(at: 600, "status"), asked(at: 910)], waits),
        CauseRow("another app released it", [held, gave(at: 600, by: "widget"), asked(at: 910)], waits),
        CauseRow("a lock whose holder has ended", [held, life(.processEnded, of: "wallet", at: 600), asked(at: 910)]),
        CauseRow("a lock that the actor holds itself", [took(at: 500), asked(at: 910)]),
        CauseRow("another lock is held", [took(at: 500, by: "wallet", "status"), asked(at: 910)]),
        CauseRow(
            "a lock that the actor took before it asked",
            [took(at: 400), gave(at: 450, by: "main"), held, asked(at: 910)], waits),
        CauseRow("another lock that the actor took meanwhile", [held, asked(at: 910), took(at: 911, "status")], waits),
        CauseRow(
            "a lock that has changed hands", [held, gave(at: 600), took(at: 700, by: "widget"), asked(at: 910)],
            "`main` waits for the lock `queue`, which `widget` holds since step 7"),
        CauseRow("a request of the actor outside of any step", [held, asked(at: 910, step: nil)], waits),
        CauseRow("one of another app", [held, asked(at: 910, by: "widget", step: nil)]),
        CauseRow(
            "a request of another app in this step", [held, asked(at: 910, by: "widget", step: "9.1")],
            "`widget` waits for the lock `queue`, which `wallet` holds since step 5"),
        CauseRow("a request of another step", [held, asked(at: 910, step: "8")]),
        CauseRow("a request before the step", [held, asked(at: 899)]),
    ]

    private static let endedWaits: [CauseRow] = [
        CauseRow("a long wait", [held, asked(at: 910), gave(at: 1039), took(at: 1040)], waited("130.00 ms")),
        CauseRow(
            "the shortest unusual wait", [held, asked(at: 910), gave(at: 1009), took(at: 1010)], waited("100.00 ms")),
        CauseRow("a usual wait", [held, asked(at: 910), gave(at: 1008), took(at: 1009)]),
        CauseRow(
            "the holder released it before the step, so that the wait has another reason",
            [held, gave(at: 899), asked(at: 910), took(at: 1040)]),
        CauseRow(
            "the holder released it as the step began", [held, gave(at: 900), asked(at: 910), took(at: 1040)],
            waited("130.00 ms")),
        CauseRow(
            "the last holder before the actor counts, not the next one",
            [
                took(at: 400, by: "widget"), gave(at: 450, by: "widget"), held, asked(at: 910), gave(at: 1039),
                took(at: 1040), gave(at: 1041, by: "main"), took(at: 1042, by: "widget"),
            ], waited("130.00 ms")),
        CauseRow(
            "nothing held it before the actor",
            [asked(at: 910), took(at: 1040), gave(at: 1041, by: "main"), took(at: 1042, by: "wallet")]),
    ]

    // MARK: Operations

    private static func operation(_ name: TraceEventName, of app: String, at time: UInt64) -> TraceEvent {
        event(name, of: app, at: time, ["type": "activation", "application": "x"])
    }

    private static let pending = operation(.operationStarted, of: "wallet", at: 500)
    private static let owner = "`wallet` on `phone` is the owner of the pending operation `activation` since step 5"

    private static func refused(_ name: String, _ events: [TraceEvent], _ cause: String? = nil) -> CauseRow {
        if let cause {
            CauseRow(name, error: "externalPendingOperation", events, cause)
        } else {
            CauseRow(name, error: "externalPendingOperation", events)
        }
    }

    private static let operations: [CauseRow] = [
        refused("a pending operation of another app", [pending], owner),
        refused("one that has ended", [pending, operation(.operationFinished, of: "wallet", at: 600)]),
        refused("one after another", [operation(.operationFinished, of: "wallet", at: 400), pending], owner),
        refused("another app has ended one", [pending, operation(.operationFinished, of: "widget", at: 600)], owner),
        refused("the actor's own operation", [operation(.operationStarted, of: "main", at: 500)]),
        refused(
            "the actor's own operation is later", [pending, operation(.operationStarted, of: "main", at: 600)], owner),
        refused("an operation on another device", [operation(.operationStarted, of: "companion", at: 500)]),
        CauseRow("another error", error: "wrongState", [pending]),
    ]

    // MARK: States

    private static func link(_ name: TraceEventName, of device: String, at time: UInt64) -> TraceEvent {
        event(name, of: device, at: time, ["link": "pairing"])
    }

    private static func linkRow(_ name: String, isUp: Bool = true, _ events: [TraceEvent], _ cause: String) -> CauseRow
    {
        CauseRow(name, error: "notReachable", domain: "WCErrorDomain", isLinkUp: isUp, events, cause)
    }

    private static func down(since step: Int) -> String {
        "the link `pairing` is down since step \(step); `pairing: up` brings it back"
    }

    private static let bothDown = [link(.linkDown, of: "phone", at: 300), link(.linkDown, of: "watch", at: 405)]
    private static let frozen = event(.clockChanged, of: "clock", at: 300, ["frozen": true])
    private static let standsStill = "the lab's clock stands still since step 3; `advance` moves it"

    private static let states: [CauseRow] = [
        linkRow("a link is down since its first end said so", bothDown, down(since: 3)),
        linkRow(
            "a link that is down again",
            [link(.linkDown, of: "phone", at: 200), link(.linkUp, of: "phone", at: 300)]
                + [link(.linkDown, of: "phone", at: 400), link(.linkDown, of: "watch", at: 500)], down(since: 4)),
        linkRow("a link was never up", isUp: false, [], "the link `pairing` has been down since the start"),
        CauseRow(
            "a link that is up again", error: "notReachable", domain: "WCErrorDomain", isLinkUp: false,
            bothDown + [link(.linkUp, of: "phone", at: 500)]),
        CauseRow("a link that the step is not about", bothDown),
        CauseRow("a link that the watch needs", of: "companion", error: "wrongState", bothDown, down(since: 3)),
        CauseRow("no device", of: "server", error: "notReachable", domain: "WCErrorDomain", bothDown),
        CauseRow(
            "another link", error: "notReachable", domain: "WCErrorDomain",
            [event(.linkDown, of: "phone", at: 300, ["link": "second"])]),
        CauseRow(
            "a suspended actor", [life(.processSuspended, of: "main", at: 500)],
            "`main` is suspended since step 5; `main: resume` continues it"),
        CauseRow(
            "an actor that runs again",
            [life(.processSuspended, of: "main", at: 500), life(.processResumed, of: "main", at: 510)]),
        CauseRow("another app is suspended", [life(.processSuspended, of: "wallet", at: 500)]),
        CauseRow(
            "a locked device", [event(.deviceLocked, of: "phone", at: 300)],
            "`phone` is locked since step 3; `phone: unlock` opens it"),
        CauseRow(
            "the device itself is the actor", of: "watch", [event(.deviceLocked, of: "watch", at: 300)],
            "`watch` is locked since step 3; `watch: unlock` opens it"),
        CauseRow(
            "an unlocked device",
            [event(.deviceLocked, of: "phone", at: 300), event(.deviceUnlocked, of: "phone", at: 310)]),
        CauseRow("another device is locked", [event(.deviceLocked, of: "watch", at: 300)]),
        CauseRow("a stopped clock", error: "timedOut", [frozen], standsStill),
        CauseRow("a stopped clock and an awaited event", awaited: "state.saved", [frozen], standsStill),
        CauseRow("a stopped clock and another error", error: "wrongState", [frozen]),
        CauseRow(
            "a clock that runs again", error: "timedOut",
            [frozen, event(.clockChanged, of: "clock", at: 400, ["frozen": false])]),
    ]

    private static func full(at time: UInt64, of process: String = "main", _ error: String, bytes: Int64? = 4096)
        -> TraceEvent
    {
        var fields: [String: JSONValue] = ["what": "keychain", "error": .string(error)]
        fields["bytes"] = bytes.map { .integer($0) }
        return event(.diskRefused, of: process, at: time, fields)
    }

    private static func refusedDisk(_ state: String, _ amount: String = "4096 bytes") -> String {
        "the storage of `phone` \(state): \(amount) for the keychain were refused; `phone: freeDisk` gives room"
    }

    private static let disks: [CauseRow] = [
        CauseRow("a disk without room", [full(at: 900, "ENOSPC")], refusedDisk("is full")),
        CauseRow("a disk whose quota is used up", [full(at: 910, "EDQUOT")], refusedDisk("is full")),
        CauseRow("a disk that only reads", [full(at: 910, "EROFS")], refusedDisk("takes no writes")),
        CauseRow("a disk that fails", [full(at: 910, "EIO")], refusedDisk("fails (EIO)")),
        CauseRow("an unknown amount", [full(at: 910, "EROFS", bytes: nil)], refusedDisk("takes no writes", "writes")),
        CauseRow("the device itself writes", [full(at: 910, of: "phone", "EIO")], refusedDisk("fails (EIO)")),
        CauseRow("another app writes", [full(at: 910, of: "wallet", "EIO")]),
        CauseRow("a refusal before the step", [full(at: 899, "EIO")]),
        CauseRow(
            "several causes, in the order of the rules",
            [
                event(.deviceLocked, of: "phone", at: 300), life(.processSuspended, of: "main", at: 500),
                full(at: 910, "ENOSPC"), full(at: 920, "ENOSPC"),
            ], "`main` is suspended since step 5; `main: resume` continues it",
            "`phone` is locked since step 3; `phone: unlock` opens it", refusedDisk("is full")),
    ]

    @Test(arguments: [openWaits, endedWaits, operations, states, disks].flatMap { $0 })
    func `A cause is named if the record shows it for this step, and only then`(_ row: CauseRow) throws {
        #expect(try row.found() == row.causes)
        try row.expectExplanations()
    }
}
