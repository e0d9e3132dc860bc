// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What faults of the link are called, which frames they are about, and what they do to a message (watch.md, section 9.7).
@Suite("Faults of the link, step by step", .endsInTime)
struct LinkFaultStepTests {
    private func fault(
        _ effect: LinkFault.Effect, _ aim: LinkFault.Aim = .init(), _ direction: LinkDirection = .toWatch
    ) -> LinkFault {
        LinkFault(id: "fault-1", effect: effect, direction: direction, aim: aim)
    }

    @Test func `Each fault has the name of its command, and says in words what it does to which messages`() {
        let second = LabDuration.seconds(1)
        let rows: [(LinkFault.Effect, LinkFault.Aim, LinkFaultWord, String)] = [
            (.slow(by: second, jitter: .zero), .init(), .slow, "each message takes 1s"),
            (
                .slow(by: .seconds(2), jitter: second, rate: 9), .init(kind: .live, times: 4), .slow,
                "each message of the kind live takes 2s, give or take 1s, at 9 bytes a second, at most 4"
            ),
            (.drop(burst: 1), .init(chance: 0.5), .drop, "each message is lost, with the chance 0.5"),
            (
                .drop(burst: 2), .init(every: 2, skip: 1), .drop,
                "each message is lost, 2 in a row on average, one of 2, after the first 1"
            ),
            (.duplicate, .init(kind: .state), .duplicate, "each message of the kind state arrives twice"),
            (.reorder, .init(), .reorder, "each message is overtaken by the next one"),
            (.corrupt(byte: nil), .init(), .corrupt, "each message has a byte changed"),
            (.corrupt(byte: 7), .init(), .corrupt, "each message has byte 7 changed"),
            (.cut, .init(), .cut, "everything is lost without an error"),
        ]
        for (effect, aim, word, text) in rows {
            #expect(fault(effect, aim).word == word && fault(effect, aim).description == text)
        }
        #expect(Set(rows.map { $0.2 }) == Set(LinkFaultWord.allCases))
    }

    @Test func `A fault is about one direction and one kind, or about all but states and what keeps the connection`() {
        let ordinary: Set<LinkMessageKind> = [.live, .reply, .transfer, .acknowledgement, .context]
        for kind in (0...UInt8.max).compactMap(WatchFrame.Kind.init(rawValue:)) {
            let frame = WatchFrame(kind)
            let word = frame.messageKind
            #expect(fault(.duplicate).isAbout(frame, .toWatch) == (word.map(ordinary.contains) ?? false), "\(kind)")
            #expect(!fault(.duplicate).isAbout(frame, .toPhone), "\(kind)")
            #expect(fault(.cut).isAbout(frame, .toWatch) == (kind != .bye), "\(kind)")
            #expect(!fault(.cut, .init(), .toPhone).isAbout(frame, .toWatch), "\(kind)")
            for aimed in LinkMessageKind.allCases {
                let isMeant = fault(.drop(burst: 1), .init(kind: aimed)).isAbout(frame, .toWatch)
                #expect(isMeant == (word == aimed), "\(kind), \(aimed)")
            }
        }
    }

    private func live(_ number: UInt64) -> WatchFrame { WatchFrame(.live, sequence: number, body: Data([1, 2, 3])) }

    /// The numbers of the messages that arrive.
    private func numbers(_ arrivals: [LinkFaultInjector.Arrival]) throws -> [UInt64] {
        try arrivals.map { try WatchFrame(parts: $0.parts).sequence }
    }

    @Test
    func `The end of one fault leaves the others, and what is under way waits until the last one has ended`() throws {
        var air = LinkFaultInjector(seed: 1, link: "pairing")
        let slow = air.arm(.slow(by: .seconds(5), jitter: .zero), .init(), nil)
        let lossy = air.arm(.drop(burst: 1), .init(kind: .context), .toPhone)
        #expect(slow == "fault-1" && lossy == "fault-2")
        #expect(air.courses.map(\.fault.id) == [slow, slow, lossy])
        #expect(air.courses.map(\.fault.direction) == [.toWatch, .toPhone, .toPhone])
        for (number, direction) in [(1, .toWatch), (2, .toPhone), (3, .toPhone)] as [(UInt64, LinkDirection)] {
            #expect(air.take(live(number), direction, at: 0).arrivals.isEmpty)
        }
        #expect(air.count(.toWatch) == 1 && air.count(.toPhone) == 2)
        #expect(air.heal("fault-9").isEmpty && air.courses.count == 3)
        #expect(air.heal(slow).isEmpty && air.courses.map(\.fault.id) == [lossy] && !air.isClear)
        #expect(try numbers(air.heal(lossy)) == [1, 2, 3])
        #expect(air.isClear && air.count(.toWatch) == 0 && air.count(.toPhone) == 0)
        let next = air.arm(.cut, .init(), .toWatch)
        #expect(next == "fault-3", "an identifier is used once")
    }

    @Test func `The times of several faults add up, and each that has hit is reported with what it took`() throws {
        var air = LinkFaultInjector(seed: 1, link: "pairing")
        _ = air.arm(.slow(by: .seconds(2), jitter: .zero), .init(), .toWatch)
        _ = air.arm(.slow(by: .seconds(3), jitter: .zero), .init(skip: 1), .toWatch)
        _ = air.arm(.duplicate, .init(skip: 2), .toWatch)
        var hits: [[String]] = []
        for number in 1...3 as ClosedRange<UInt64> {
            let (arrivals, occurrences) = air.take(live(number), .toWatch, at: 0)
            #expect(arrivals.isEmpty)
            hits.append(occurrences.map { "\($0.fault.id) \($0.ordinal) \($0.effect)" })
        }
        #expect(
            hits == [
                ["fault-1 1 it takes 2s"], ["fault-1 2 it takes 2s", "fault-2 2 it takes 3s"],
                ["fault-1 3 it takes 2s", "fault-2 3 it takes 3s", "fault-3 3 it arrives twice"],
            ])
        #expect(air.nextArrival == 2_000_000_000 && air.count(.toWatch) == 4)
        #expect(try numbers(air.arrivals(until: 2_000_000_000)) == [1] && air.nextArrival == 5_000_000_000)
        #expect(try numbers(air.arrivals(until: 4_999_999_999)).isEmpty)
        #expect(try numbers(air.arrivals(until: 5_000_000_000)) == [2, 3, 3] && air.nextArrival == nil)
    }

    @Test
    func `A damaged message has the named byte changed and no other, counted over its parts and from the start again`()
    {
        let frame = live(1)
        let bytes = frame.parts.map(\.count).reduce(0, +)
        for byte in [1, 2, frame.parts[0].count, frame.parts[0].count + 1, bytes, bytes + 1, 2 * bytes + 3] {
            var air = LinkFaultInjector(seed: 1, link: "pairing")
            _ = air.arm(.corrupt(byte: byte), .init(), .toWatch)
            let (arrivals, occurrences) = air.take(frame, .toWatch, at: 0)
            let place = (byte - 1) % bytes
            #expect(occurrences.map(\.effect) == ["its byte \(place + 1) was changed"])
            var expected = frame.parts.reduce(Data(), +)
            expected[place] ^= 0xFF
            #expect(arrivals.map { $0.parts.reduce(Data(), +) } == [expected], "byte \(byte)")
            #expect(arrivals.map { $0.parts.map(\.count) } == [frame.parts.map(\.count)])
        }
    }

    @Test
    func `A message that waits to be overtaken is due after a second; the one that overtakes it is not held itself`()
        throws
    {
        var air = LinkFaultInjector(seed: 1, link: "pairing")
        _ = air.arm(.reorder, .init(), .toWatch)
        #expect(air.take(live(1), .toWatch, at: 10).arrivals.isEmpty)
        #expect(air.nextArrival == 1_000_000_010 && air.count(.toWatch) == 1)
        let (arrivals, occurrences) = air.take(live(2), .toWatch, at: 20)
        #expect(try numbers(arrivals) == [2, 1] && occurrences.isEmpty)
        #expect(air.courses.map(\.matched) == [1] && air.courses.map(\.fired) == [1])
        #expect(air.nextArrival == nil && air.count(.toWatch) == 0 && !air.isClear)
    }

    @Test func `A state waits only if a fault is about it; a greeting passes messages that are held up`() throws {
        var air = LinkFaultInjector(seed: 1, link: "pairing")
        _ = air.arm(.slow(by: .seconds(1), jitter: .zero), .init(), .toWatch)
        _ = air.take(live(1), .toWatch, at: 0)
        #expect(try numbers(air.take(WatchFrame(.state, sequence: 2), .toWatch, at: 0).arrivals) == [2])
        #expect(try numbers(air.take(WatchFrame(.hello, sequence: 3), .toWatch, at: 0).arrivals) == [3])
        _ = air.arm(.slow(by: .seconds(1), jitter: .zero), .init(kind: .state), .toWatch)
        #expect(air.take(WatchFrame(.state, sequence: 4), .toWatch, at: 0).arrivals.isEmpty)
        #expect(try numbers(air.arrivals(until: 1_000_000_000)) == [1, 4])
    }
}
