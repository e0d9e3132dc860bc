// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import SimulatedDevice

/// The air between a phone and a watch: the faults of the link, and the messages that they hold up.
///
/// The phone's end has it, for both directions. A value that decides and does nothing else; without faults every message
/// arrives at once.
struct LinkFaultInjector: Equatable, Sendable {
    /// What arrives: the parts of a frame, perhaps damaged.
    struct Arrival: Equatable, Sendable {
        var direction: LinkDirection
        var parts: [Data]
    }

    /// A fault has hit a message.
    struct Occurrence: Equatable, Sendable {
        var fault: LinkFault
        var ordinal: Int
        /// What happens to the message, in words.
        var effect: String
    }

    private struct Passenger: Equatable {
        var parts: [Data]
        /// When it arrives, in nanoseconds of lab time.
        var due: Int64
    }

    /// The messages of one direction.
    private struct Lane: Equatable {
        /// In the order of their arrival.
        var queue: [Passenger] = []
        /// A message, perhaps twice, that waits for the next one to overtake it, and until when.
        var overtaken: [Passenger] = []
        var patience: Int64 = 0
        /// Until when the bytes of the messages before keep the way busy, where their number is limited.
        var busyUntil: Int64 = .min

        /// Puts the bytes of a message behind those before it.
        /// - Returns: How long it takes from now until the last one has passed.
        mutating func occupy(_ bytes: Int, rate: Int, at now: Int64) -> LabDuration {
            let start = LabTime(nanoseconds: max(now, busyUntil))
            let end = start + LabDuration(nanoseconds: Int64(Double(bytes) / Double(rate) * 1e9))
            busyUntil = end.nanoseconds
            return end - LabTime(nanoseconds: now)
        }

        /// When something arrives next.
        var nextArrival: Int64? { [queue.first?.due, overtaken.isEmpty ? nil : patience].compactMap(\.self).min() }

        /// A message arrives no earlier than the ones before it.
        mutating func append(_ passenger: Passenger) {
            queue.append(Passenger(parts: passenger.parts, due: max(passenger.due, queue.last?.due ?? .min)))
        }

        /// The wait for another message is over.
        mutating func releaseOvertaken() {
            overtaken.forEach { append($0) }
            overtaken = []
        }

        /// Takes out what arrives until a moment.
        mutating func arrive(until now: Int64) -> [Passenger] {
            if patience <= now {
                for index in overtaken.indices { overtaken[index].due = max(overtaken[index].due, patience) }
                releaseOvertaken()
            }
            let arrived = queue.prefix { $0.due <= now }
            queue.removeFirst(arrived.count)
            return Array(arrived)
        }
    }

    /// How long a message waits for another one to overtake it.
    private static let patience = LabDuration.seconds(1)

    private let seed: UInt64
    private let link: String
    /// The armed faults; one for both directions has two courses with the same identifier.
    private(set) var courses: [LinkFaultCourse] = []
    private var armedCount = 0
    private var lanes: [LinkDirection: Lane] = [:]

    init(seed: UInt64, link: String) {
        self.seed = seed
        self.link = link
    }

    /// Whether every message arrives at once.
    var isClear: Bool { courses.isEmpty && nextArrival == nil }
    /// When a message under way arrives next, in nanoseconds of lab time.
    var nextArrival: Int64? { lanes.values.compactMap(\.nextArrival).min() }

    /// How many messages of a direction are under way.
    func count(_ direction: LinkDirection) -> Int {
        lanes[direction].map { $0.queue.count + $0.overtaken.count } ?? 0
    }

    /// Arms a fault, in both directions or in one; gives its identifier.
    mutating func arm(_ effect: LinkFault.Effect, _ aim: LinkFault.Aim = .init(), _ direction: LinkDirection?) -> String
    {
        armedCount += 1
        let id = "fault-\(armedCount)"
        for way in direction.map({ [$0] }) ?? LinkDirection.allCases {
            let fault = LinkFault(id: id, effect: effect, direction: way, aim: aim)
            courses.append(LinkFaultCourse(fault, seed: seed, link: link))
        }
        return id
    }

    /// Ends one fault or all. With the last one, messages in flight arrive now.
    mutating func heal(_ id: String? = nil) -> [Arrival] {
        courses.removeAll { $0.fault.id == id ?? $0.fault.id }
        guard courses.isEmpty else { return [] }
        let arrivals = LinkDirection.allCases.flatMap { direction in
            let lane = lanes[direction] ?? Lane()
            return (lane.queue + lane.overtaken).map { Arrival(direction: direction, parts: $0.parts) }
        }
        lose()
        return arrivals
    }

    /// The devices can no longer reach each other: messages in flight are lost.
    mutating func lose() { lanes = [:] }

    // MARK: The way of a message

    /// Takes a message that was sent at `now`; returns the messages that arrive at once, and the faults that hit.
    mutating func take(
        _ frame: WatchFrame, _ direction: LinkDirection, at now: Int64
    ) -> (arrivals: [Arrival], occurrences: [Occurrence]) {
        var parts = frame.parts
        var copies = 1
        var delay = LabDuration.zero
        var isOvertaken = false
        var occurrences: [Occurrence] = []
        for index in courses.indices where courses[index].fault.isAbout(frame, direction) {
            let fault = courses[index].fault
            // The message that overtakes another one is not reordered itself.
            if fault.effect == .reorder, isOvertaken || lanes[direction]?.overtaken.isEmpty == false { continue }
            guard let hit = courses[index].next() else { continue }
            let effect: String
            switch fault.effect {
            case .slow(let by, let jitter, let rate):
                var time = by.varied(by: jitter, choice: hit.choice)
                if let rate {
                    let bytes = parts.map(\.count).reduce(0, +)
                    time = time.adding(lanes[direction, default: Lane()].occupy(bytes, rate: rate, at: now))
                }
                delay = delay.adding(time)
                effect = "it takes \(time)"
            case .drop, .cut:
                copies = 0
                effect = "it was lost"
            case .duplicate:
                copies += 1
                effect = "it arrives twice"
            case .reorder:
                isOvertaken = true
                effect = "the next message overtakes it"
            case .corrupt(let byte):
                let changed = Self.damage(&parts, byte: byte, choice: hit.choice)
                effect = "its byte \(changed) was changed"
            }
            occurrences.append(Occurrence(fault: fault, ordinal: hit.ordinal, effect: effect))
            if copies == 0 { return ([], occurrences) }
        }
        guard let kind = frame.messageKind, kind != .state || delay > .zero || isOvertaken else {
            // Greetings, and what devices tell of themselves, wait for no message.
            return (Array(repeating: Arrival(direction: direction, parts: parts), count: copies), occurrences)
        }
        var lane = lanes[direction] ?? Lane()
        let passenger = Passenger(parts: parts, due: (LabTime(nanoseconds: now) + delay).nanoseconds)
        let passengers = Array(repeating: passenger, count: copies)
        if isOvertaken {
            lane.overtaken = passengers
            lane.patience = (LabTime(nanoseconds: now) + Self.patience).nanoseconds
        } else {
            passengers.forEach { lane.append($0) }
            lane.releaseOvertaken()
        }
        lanes[direction] = lane
        return (arrivals(until: now), occurrences)
    }

    /// Everything that arrives until a moment, in order.
    mutating func arrivals(until now: Int64) -> [Arrival] {
        let arrived = LinkDirection.allCases.flatMap { direction in
            (lanes[direction]?.arrive(until: now) ?? []).map { (direction, $0) }
        }
        return arrived.sorted { $0.1.due < $1.1.due }.map { Arrival(direction: $0.0, parts: $0.1.parts) }
    }

    /// Changes a byte; gives its number, counted from 1.
    private static func damage(_ parts: inout [Data], byte: Int?, choice: Double) -> Int {
        let length = parts.map(\.count).reduce(0, +)
        let chosen = byte.map { ($0 - 1) % length } ?? Int(choice * Double(length))
        var index = chosen
        for part in parts.indices {
            if index < parts[part].count {
                parts[part][parts[part].startIndex + index] ^= 0xFF
                break
            }
            index -= parts[part].count
        }
        return chosen + 1
    }
}

extension LabDuration {
    /// The duration, varied by `jitter` according to a choice between 0 and 1.
    fileprivate func varied(by jitter: LabDuration, choice: Double) -> LabDuration {
        let variation = LabDuration(nanoseconds: Int64((choice * 2 - 1) * Double(jitter.nanoseconds)))
        return max(.zero, adding(variation))
    }

    /// The sum, which stays within the range that can be counted.
    fileprivate func adding(_ other: LabDuration) -> LabDuration {
        (LabTime(nanoseconds: nanoseconds) + other) - LabTime(nanoseconds: 0)
    }
}

/// The course of a fault of the link: which of the messages that it is about it hits, one after the other.
///
/// What happens to the n-th message depends on the run's seed, on link, direction and fault, and on n: never on time, and
/// never on other messages. A value that decides and does nothing else.
struct LinkFaultCourse: Equatable, Sendable {
    /// A message that is hit.
    struct Hit: Equatable, Sendable {
        /// Number of the message among those that the fault is about, from 1.
        var ordinal: Int
        /// The seed's choice for the fault, from 0 to 1.
        var choice: Double
    }

    let fault: LinkFault
    /// How many messages the fault was about.
    private(set) var matched = 0
    /// How many it has hit.
    private(set) var fired = 0
    private let seed: UInt64
    private let link: String
    /// Losses in a row: whether the one before was of them.
    private var isInBurst = false

    init(_ fault: LinkFault, seed: UInt64, link: String) {
        self.fault = fault
        self.seed = seed
        self.link = link
    }

    /// The next message that the fault is about; nil when it passes unharmed.
    mutating func next() -> Hit? {
        matched += 1
        let aim = fault.aim
        let place = matched - aim.skip
        guard place > 0, fired < aim.times ?? .max else { return nil }
        guard place % aim.every == 0 else { return nil }
        var dice = SeedStream(seed: seed, link, fault.direction.rawValue, fault.id, String(matched))
        let draw = Double.random(in: 0..<1, using: &dice)
        guard isHit(by: draw) else { return nil }
        fired += 1
        return Hit(ordinal: matched, choice: Double.random(in: 0..<1, using: &dice))
    }

    /// Losses in bursts follow the model of Gilbert: a good state in which nothing is lost, and a bad one in which
    /// everything is. It is left so often that a burst has its length on average, and entered so often that the losses
    /// have their share.
    private mutating func isHit(by draw: Double) -> Bool {
        let chance = fault.aim.chance
        guard case .drop(let burst) = fault.effect, burst > 1, chance < 1 else { return draw < chance }
        let leaving = 1 / Double(burst)
        isInBurst = isInBurst ? draw >= leaving : draw < leaving * chance / (1 - chance)
        return isInBurst
    }
}
