// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

@testable import LabTools

@Suite("A failing list is shrunk to a small one that fails", .endsInTime)
struct ShrinkingTests {
    /// Shrinks the numbers below a limit.
    private static func smallest(
        below limit: Int, tries: Int = 1, fewest: Int = 0, isOver: @escaping () -> Bool = { false },
        fails: @escaping ([Int]) -> Bool
    ) -> Shrinking<Int>.Smallest {
        Shrinking(tries: tries, isOver: isOver, fails: fails).smallest(of: Array(0..<limit), fewest: fewest)
    }

    @Test(arguments: [[], [0], [7], [3, 4], [0, 7], [1, 2, 6], [0, 1, 2, 3, 4, 5, 6, 7]] as [[Int]])
    func `Exactly the elements that are needed are left, in their order`(needed: [Int]) {
        let smallest = Self.smallest(below: 8) { Set($0).isSuperset(of: needed) }
        #expect(smallest.elements == needed)
        #expect(smallest.isMinimal)
    }

    @Test(arguments: 1...12)
    func `No element can be left out of a minimal list, also where elements depend on each other`(limit: Int) {
        let predicates: [([Int]) -> Bool] = [
            { $0.count % 2 == limit % 2 && $0.contains(limit - 1) },
            { $0.isEmpty || $0.reduce(0, +) % 3 == (0..<limit).reduce(0, +) % 3 },
            { $0.count == limit },
        ]
        for fails in predicates {
            let smallest = Self.smallest(below: limit, fails: fails)
            #expect(smallest.isMinimal && fails(smallest.elements))
            for place in smallest.elements.indices {
                var rest = smallest.elements
                rest.remove(at: place)
                #expect(!fails(rest), "\(smallest.elements) without \(place)")
            }
        }
    }

    @Test func `No list has fewer elements than asked for`() {
        var shortest = 8
        let smallest = Self.smallest(below: 8, fewest: 2) { list in
            shortest = min(shortest, list.count)
            return true
        }
        #expect(shortest == 2)
        #expect(smallest.elements.count == 2 && smallest.isMinimal)
        #expect(Self.smallest(below: 2, fewest: 2) { _ in true }.elements == [0, 1])
        #expect(Self.smallest(below: 0) { _ in true }.elements == [])
    }

    @Test(arguments: 0...40)
    func `When the budget is spent, the smallest list that has failed until then is left`(budget: Int) {
        var played = 0
        var failed = [Array(0..<8)]
        let smallest = Self.smallest(below: 8, tries: 2, isOver: { played >= budget }) { list in
            played += 1
            guard list.contains(2), list.contains(5) else { return false }
            failed.append(list)
            return true
        }
        #expect(played <= budget)
        #expect(failed.last == smallest.elements)
        #expect(!smallest.isMinimal || smallest.elements == [2, 5])
        if budget == 40 { #expect(smallest.isMinimal) }
    }

    @Test func `A list that fails once in a number of tries counts as failing, and one that never did is not left`() {
        var tries: [[Int]: Int] = [:]
        var failed: Set<[Int]> = [Array(0..<8)]
        let smallest = Self.smallest(below: 8, tries: 3) { list in
            tries[list, default: 0] += 1
            // Each third time only.
            guard list.contains(6), tries[list, default: 0] % 3 == 0 else { return false }
            failed.insert(list)
            return true
        }
        #expect(smallest.elements == [6] && smallest.isMinimal)
        #expect(failed.contains(smallest.elements))
        let unlucky = Self.smallest(below: 8, tries: 3) { _ in false }
        #expect(unlucky.elements == Array(0..<8) && unlucky.isMinimal)
    }
}

@Suite("The plan of a round that broke a rule is shrunk", .endsInTime)
struct StressShrinkerTests {
    private static let plan = StressPlan(seed: 1, processes: 4)

    /// The first calls of each app, in turns.
    private static func whole(calls: Int) -> StressPart {
        let lists = plan.apps.map { app in plan.calls(of: app).prefix(calls).map { (app, $0) } }
        let turns = (0..<calls).flatMap { turn in lists.map { $0[turn] } }
        return StressPart(apps: plan.apps, calls: turns.map { StressPart.AppCall(app: $0.0, call: $0.1) })
    }

    @Test func `Apps, calls and faults without a share in the breach are left out`() throws {
        let whole = Self.whole(calls: 150)
        let faulty = try #require(whole.calls.first { $0.app == "app2" && $0.call.fault != nil })
        let other = try #require(whole.calls.first { $0.app == "app4" && $0.call.number == 9 })
        let shrinker = StressShrinker(isOver: { false }) { part in
            part.calls.contains(faulty) && part.calls.contains { $0.isLike(other) }
        }
        let shrunk = shrinker.shrink(whole, from: whole)
        #expect(shrunk.isMinimal)
        #expect(shrunk.part.apps == ["app2", "app4"])
        #expect(shrunk.part.calls(of: "app2") == [whole.calls(of: "app2")[0], faulty.call])
        // The first call of an app stays: without an activation no other call does anything.
        #expect(shrunk.part.calls(of: "app4").map(\.number) == [1, 9])
        #expect(shrunk.part.calls(of: "app4").allSatisfy { $0.fault == nil })
    }

    @Test(arguments: [1, 2, 3])
    func `A beginning is played only if at least two apps take part in it`(apps: Int) {
        let whole = Self.whole(calls: 2)
        let beginning = whole.keeping(apps: Array(whole.apps.prefix(apps)))
        var played: [StressPart] = []
        let shrinker = StressShrinker(isOver: { !played.isEmpty }) { part in
            played.append(part)
            return true
        }
        _ = shrinker.shrink(whole, from: beginning)
        #expect(played.count == 1)
        #expect((played.first == beginning) == (apps >= 2))
        #expect(played.allSatisfy { $0.apps.count >= 2 })
    }

    @Test func `No call is left out once the time is over`() {
        let whole = Self.whole(calls: 3)
        let shrunk = StressShrinker(isOver: { true }, breaksRule: { _ in true }).shrink(whole, from: whole)
        #expect(shrunk.part == whole && !shrunk.isMinimal)
    }

    @Test(.verifies("size", "StressShrinker.tries"), arguments: Sizes.around(3))
    func `A part counts as one that breaks the rule if it does so in one of three tries`(lucky: Int) {
        let whole = Self.whole(calls: 2)
        // Not reached by leaving out neighbours.
        let beginning = whole.keeping(calls: [whole.removableCalls[0], whole.removableCalls[2]])
        var tries = 0
        let shrinker = StressShrinker(isOver: { false }) { part in
            guard part == beginning else { return false }
            tries += 1
            return tries == lucky
        }
        let shrunk = shrinker.shrink(whole, from: beginning)
        #expect(shrunk.part == (lucky <= StressShrinker.tries ? beginning : whole))
    }

    // MARK: Parts

    @Test func `The calls that were made are those of the plan, in the order of time, up to a moment`() {
        func made(_ time: UInt64, _ operation: String) -> TraceEvent {
            TraceEvent(
                time: time, process: "stress", name: .callInvoked, operation: operation,
                fields: ["peer": "app1", "incarnation": 1, "call": "status"])
        }
        let history = RecordedHistory([
            made(1, "app3/1"), made(2, "app1/1"), made(3, "app3/2"), made(4, "app3/3"), made(5, "app9/1"),
            made(6, "app1"),
        ])
        let part = StressPart(history.calls, of: Self.plan)
        #expect(part.apps == ["app1", "app3"])
        #expect(part.calls.map(\.app) == ["app3", "app1", "app3", "app3"])
        #expect(part.calls(of: "app3") == Array(Self.plan.calls(of: "app3").prefix(3)))
        let early = StressPart(history.calls.filter { $0.invoked.time <= 3 }, of: Self.plan)
        #expect(early.calls == Array(part.calls.prefix(3)))
    }

    @Test func `A part is printed as a plan is, and its devices are those that it needs`() throws {
        let plan = StressPlan(seed: 7, processes: 2)
        let calls = plan.apps.flatMap { app in
            plan.calls(of: app).prefix(4).map { StressPart.AppCall(app: app, call: $0) }
        }
        let part = StressPart(apps: plan.apps, calls: calls)
        #expect(part.text == plan.text(calls: 4))
        #expect(part.summary == "2 apps with 8 calls and 1 fault")
        let configuration = try StressConfiguration(processes: 2, duration: .seconds(1))
        #expect(part.needsWatch && configuration.smallestTopology(for: part) == configuration.topology)
        let without = part.keeping(apps: ["app2"])
        #expect(without.summary == "1 app with 4 calls")
        #expect(configuration.smallestTopology(for: without).apps.map(\.name) == ["app2"])
        #expect(configuration.smallestTopology(for: without).links.isEmpty)
    }

    // MARK: Options

    @Test func `Shrinking takes 30 seconds at most, as long as an option says, or no time`() throws {
        func shrinking(_ length: LabDuration) -> LabDuration? {
            try? StressConfiguration(processes: 2, duration: .seconds(1), shrinking: length).shrinking
        }
        #expect(try StressConfiguration(processes: 2, duration: .seconds(1)).shrinking == .seconds(30))
        for length in [LabDuration.zero, .milliseconds(1), .seconds(86_400)] { #expect(shrinking(length) == length) }
        #expect(shrinking(.seconds(86_401)) == nil && shrinking(LabDuration(nanoseconds: -1)) == nil)
    }
}

extension StressPart.AppCall {
    /// Whether it is the same call, with a fault or without.
    fileprivate func isLike(_ other: Self) -> Bool { app == other.app && call.number == other.call.number }
}
