// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabVocabulary
import TestSupport
import Testing

@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The link between phone and watch, for people and programs", .endsInTime)
struct LinkStateTests {
    private static func end(_ fill: (inout InspectLink.End) -> Void = { _ in }) -> InspectLink.End {
        InspectLink.End {
            $0.link = "pairing"
            $0.peer = "watch"
            $0.isUp = true
            $0.isInRange = true
            $0.lastContact = 1200
            $0.unanswered = 0
            $0.apps = []
            $0.conditions = []
            $0.outbox = InspectLink.Outbox {
                $0.waiting = 0
                $0.sent = 0
                $0.confirmed = 7
                $0.transfers = []
            }
            $0.inbox = InspectLink.Inbox {
                $0.waiting = 0
                $0.received = 4
                $0.transfers = []
            }
            $0.untold = []
            $0.contexts = []
            $0.messages = []
            fill(&$0)
        }
    }

    private static func transfer(
        _ id: String, _ state: InspectLink.TransferState, number: UInt64? = nil, app: String? = "main"
    ) -> InspectLink.Transfer {
        InspectLink.Transfer {
            $0.id = id
            $0.app = app
            $0.state = state
            $0.number = number
            $0.size = 42
        }
    }

    private static let busy = end {
        $0.apps = [app("main", with: "companion", isReachable: true)]
        $0.conditions = [
            InspectLink.Condition {
                $0.id = "fault-1"
                $0.fault = .slow
                $0.direction = .toWatch
                $0.effect = "each message takes 3s"
                $0.matched = 4
                $0.fired = 3
                $0.held = 2
            }
        ]
        $0.outbox.waiting = 8
        $0.outbox.sent = 2
        $0.outbox.transfers = [
            transfer("A", .ended, number: 8, app: nil), transfer("B", .sent, number: 9), transfer("C", .waiting),
        ]
        $0.inbox.waiting = 1
        $0.inbox.transfers = [transfer("D", .handedOver)]
        $0.untold = [
            InspectLink.Ended {
                $0.id = "E"
                $0.app = "main"
                $0.code = 7006
            }
        ]
        $0.contexts = [
            InspectLink.Context {
                $0.app = "main"
                $0.isOwn = true
                $0.version = 3
                $0.size = 99
                $0.isDone = false
            }
        ]
        $0.messages = [
            InspectLink.Message {
                $0.id = "F"
                $0.app = "main"
                $0.isOwn = true
                $0.state = .replyAwaited
                $0.timeLeft = 2500
            }
        ]
    }

    private let state = LinkState(devices: [
        LinkState.Device(name: "phone", links: [busy]),
        LinkState.Device(
            name: "watch",
            links: [
                end {
                    $0.peer = "phone"
                    $0.isUp = false
                    $0.isInRange = nil
                    $0.lastContact = nil
                    $0.unanswered = 2
                }
            ]),
    ])

    @Test func `Every part has its line`() throws {
        #expect(
            try state.about("pairing").lines == [
                "pairing on phone, with watch: up, last contact 1.2 s ago",
                "  main            activated, in the foreground; companion is reachable",
                "  condition       fault-1 to the watch: each message takes 3s; hit 3 of 4; 2 held up",
                "  outbox          2 sent, 8 waiting; confirmed up to 7",
                "                  8 A of a deleted app, 42 bytes, taken back or refused, which the other device does not know yet",
                "                  9 B of main, 42 bytes, sent",
                "                  C of main, 42 bytes, waiting",
                "                  … and 7 more",
                "  inbox           1 waiting; received up to 4",
                "                  D of main, 42 bytes, handed to its app",
                "  not reported    E of main: ended with 7006",
                "  context         of main, version 3, 99 bytes, not confirmed",
                "  message         F of main, waits for its reply, for 2.5 s more",
                "pairing on watch, with phone: not up, never a contact, 2 of 3 pings unanswered",
                "  outbox          empty; confirmed up to 7",
                "  inbox           empty; received up to 4",
            ])
    }

    @Test func `The document survives a round trip`() throws {
        let text = try state.rendered()
        let copy = try LinkState(reading: Data(text.utf8))
        #expect(copy.version == 1)
        #expect(try copy.rendered() == text)
        #expect(copy.lines == state.lines)
    }

    @Test
    func `Questions about a device or a link are answered; others are errors; a missing answer is reported`() throws {
        #expect(try state.about(nil).devices.count == 2)
        #expect(try state.about("watch").devices.map(\.name) == ["watch"])
        let error = #expect(throws: BadUsage.self) { try state.about("wach") }
        #expect(error?.description.contains("did you mean `watch`?") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("phone, watch, pairing") == true, "\(error?.description ?? "")")
        #expect(throws: BadUsage.self) { try LinkState(devices: []).about(nil) }
        let silent = LinkState(devices: [LinkState.Device(name: "watch", links: [], problem: "ended")])
        #expect(!silent.isKnown)
        #expect(try silent.about("watch").lines == ["watch does not answer: ended"])
    }

    @Test func `A failure refers to the link only if something was in transit, held up or out of range`() {
        func suspect(_ fill: (inout InspectLink.End) -> Void) -> String? {
            LinkState(devices: [LinkState.Device(name: "phone", links: [Self.end(fill)])]).suspect()
        }
        #expect(state.suspect() == "pairing")
        #expect(suspect { _ in } == nil)
        #expect(suspect { $0.isUp = false } == nil, "devices that have just started have not greeted yet")
        #expect(suspect { $0.isInRange = false } == "pairing")
        #expect(suspect { $0.outbox.waiting = 1 } == "pairing")
        #expect(suspect { $0.inbox.waiting = 1 } == "pairing")
        #expect(suspect { $0.conditions = Self.busy.conditions } == "pairing")
        #expect(suspect { $0.messages = Self.busy.messages } == "pairing")
        #expect(suspect { $0.contexts = Self.busy.contexts } == "pairing")
    }

    @Test(
        arguments: [
            ("both apps use their sessions, and know it", true, true, true, "main companion", true),
            ("the phone's device has not heard of the watch app yet", true, false, true, "companion", false),
            ("the phone app has not been notified yet", true, true, true, "companion", false),
            ("one end is not up yet", false, false, true, "companion", false),
            ("the watch's device has not heard that the phone is open", true, false, false, "", false),
        ])
    func `A new instance is at rest when both ends are up and every session shows its device's state`(
        _: String, phoneIsUp: Bool, phoneReaches: Bool, watchReaches: Bool, told: String, isAtRest: Bool
    ) {
        let state = Self.started(
            main: Self.app("main", with: "companion", isReachable: phoneReaches),
            companion: Self.app("companion", with: "main", isReachable: watchReaches), phoneIsUp: phoneIsUp)
        let known = Dictionary(
            uniqueKeysWithValues: ["main", "companion"].map { ($0, told.split(separator: " ").contains($0[...])) })
        #expect(state.isSettledAtStart(Self.link, told: known) == isAtRest)
    }

    @Test(arguments: [false, true])
    func `An app that does not run or does not use its session is not waited for`(runs: Bool) {
        let state = Self.started(
            main: Self.app("main", with: "companion", isReachable: false),
            companion: Self.app("companion", with: "main", runs: runs, isActivated: false, isReachable: false))
        #expect(state.isSettledAtStart(Self.link, told: ["main": false]))
        #expect(!state.isSettledAtStart(Self.link, told: [:]), "the phone app has not activated its session yet")
    }

    @Test func `The phone uses the first of several watches, and a watch out of range is not waited for`() {
        let device = { (name: String, kind: DeviceSpec.Kind) in DeviceSpec(name: name, kind: kind, apps: []) }
        let topology = Topology(
            name: "two watches", devices: [device("phone", .phone), device("watch", .watch), device("sport", .watch)],
            links: [Self.link, LinkSpec(name: "second", phone: "phone", watch: "sport")])
        #expect(topology.linksInUse.map(\.name) == ["pairing"])
        var away = topology
        away.links[0].up = false
        #expect(away.linksInUse.isEmpty)
    }

    private static let link = LinkSpec(name: "pairing", phone: "phone", watch: "watch")

    private static func app(
        _ name: String, with counterpart: String, runs: Bool = true, isActivated: Bool = true, isReachable: Bool
    ) -> InspectLink.App {
        InspectLink.App {
            $0.app = name
            $0.counterpart = counterpart
            $0.isAttached = runs
            $0.isActivated = isActivated
            $0.isForeground = runs
            $0.isCounterpartInstalled = true
            $0.isReachable = isReachable
        }
    }

    private static func started(
        main: InspectLink.App, companion: InspectLink.App, phoneIsUp: Bool = true
    ) -> LinkState {
        let ends = [("phone", main, phoneIsUp), ("watch", companion, true)]
        return LinkState(
            devices: ends.map { device, app, isUp in
                LinkState.Device(
                    name: device,
                    links: [
                        end {
                            $0.isUp = isUp
                            $0.apps = [app]
                        }
                    ])
            })
    }
}
