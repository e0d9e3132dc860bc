// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import TestSupport
import Testing

@Suite("Whether operations on an object fit one order", .endsInTime)
struct LinearizabilityTests {
    private typealias OnRegister = ConcurrentOperation<Register.Input, Register.Output>
    private typealias OnQueue = ConcurrentOperation<Queue.Input, Queue.Output>
    private typealias Verdict = LinearizabilityCheck.Verdict

    private func verdict(_ operations: [OnRegister], limit: Int? = nil) throws -> Verdict {
        let check = limit.map { LinearizabilityCheck(limit: $0) } ?? LinearizabilityCheck()
        return try check.verdict(on: operations, of: Register())
    }

    private func verdict(_ operations: [OnQueue]) throws -> Verdict {
        try LinearizabilityCheck().verdict(on: operations, of: Queue())
    }

    // MARK: Known histories

    @Test func `A read after the end of a write sees it; a read during the write may`() throws {
        #expect(try verdict([.write(1, 0, 1), .read(1, 2, 3)]) == .linearizable)
        #expect(try verdict([.write(1, 0, 1), .read(0, 2, 3)]) == .broken(ordered: [0], blocked: [1]))
        #expect(try verdict([.write(1, 0, 2), .read(0, 1, 3)]) == .linearizable)
        #expect(try verdict([.write(1, 0, 2), .read(1, 1, 3)]) == .linearizable)
        #expect(try verdict([.write(1, 0, 2), .read(2, 1, 3)]) == .broken(ordered: [0], blocked: [1]))
    }

    @Test func `The end of an operation and the start of another one at the same time put them in no order`() throws {
        #expect(try verdict([.write(1, 0, 2), .read(0, 2, 3)]) == .linearizable)
        #expect(try verdict([.write(1, 0, 2), .read(0, 3, 3)]) == .broken(ordered: [0], blocked: [1]))
    }

    @Test func `Two reads during one write cannot see the new value before the old one (Lamport, 1986)`() throws {
        let write = OnRegister.write(1, 0, 20)
        #expect(try verdict([write, .read(0, 1, 5), .read(1, 6, 9)]) == .linearizable)
        #expect(try verdict([write, .read(1, 1, 5), .read(0, 6, 9)]) == .broken(ordered: [0, 1], blocked: [2]))
        #expect(try verdict([write, .read(1, 1, 7), .read(0, 6, 9)]) == .linearizable)
    }

    @Test func `The queues of Herlihy and Wing (1990) that are right are linearizable, the others are not`() throws {
        let first: [OnQueue] = [
            .enqueue("x", 0, 3), .enqueue("y", 1, 2), .dequeue("x", 4, 7), .dequeue("y", 5, 6), .enqueue("z", 8, 9),
        ]
        #expect(try verdict(first) == .linearizable)
        let second: [OnQueue] = [.enqueue("x", 0, 1), .enqueue("y", 2, 5), .dequeue("y", 3, 6)]
        #expect(try verdict(second) == .broken(ordered: [0, 1], blocked: [2]))
        let third: [OnQueue] = [.enqueue("x", 0, 3), .dequeue("x", 1, 2)]
        #expect(try verdict(third) == .linearizable)
        let fourth: [OnQueue] = [
            .enqueue("x", 0, 3), .enqueue("y", 1, 2), .dequeue("y", 4, 7), .dequeue("y", 5, 6),
        ]
        guard case .broken(let ordered, let blocked) = try verdict(fourth) else {
            Issue.record("one item was taken twice")
            return
        }
        #expect(ordered.count == 3)
        #expect(blocked.count == 1)
        #expect(Set(ordered + blocked) == [0, 1, 2, 3])
    }

    @Test func `The order of the list does not matter, and places are those of the list`() throws {
        #expect(try verdict([.read(0, 2, 3), .write(1, 0, 1)]) == .broken(ordered: [1], blocked: [0]))
        #expect(try verdict([.read(2, 4, 5), .write(2, 2, 3), .write(1, 0, 1)]) == .linearizable)
    }

    @Test func `All operations that cannot follow are named, and no later ones`() throws {
        let operations: [OnRegister] = [.write(1, 0, 1), .read(3, 2, 6), .read(4, 3, 5), .read(1, 7, 8)]
        #expect(try verdict(operations) == .broken(ordered: [0], blocked: [1, 2]))
    }

    @Test func `A history without a known outcome is linearizable`() throws {
        #expect(try verdict([OnRegister]()) == .linearizable)
        #expect(try verdict([.write(1, 0)]) == .linearizable)
    }

    // MARK: Unknown outcomes

    @Test func `An operation with an unknown outcome takes effect once after its start, at any time, or never`() throws
    {
        let unknown = OnRegister.write(1, 10)
        #expect(try verdict([unknown, .read(0, 11, 12), .read(0, 13, 14)]) == .linearizable)
        #expect(try verdict([unknown, .read(0, 11, 12), .read(1, 900, 901)]) == .linearizable)
        #expect(try verdict([unknown, .read(1, 8, 9)]) == .broken(ordered: [], blocked: [1]))
        #expect(try verdict([unknown, .read(1, 8, 10)]) == .linearizable)
        #expect(
            try verdict([unknown, .read(1, 11, 12), .write(2, 13, 14), .read(1, 15, 16)])
                == .broken(ordered: [0, 1, 2], blocked: [3]))
    }

    @Test func `An outcome is known only with an answer and its time`() throws {
        let known = OnRegister(process: "a", invoked: 1, completed: 2, input: .write(1), output: .done)
        let timeless = OnRegister(process: "a", invoked: 1, input: .write(1), output: .done)
        let silent = OnRegister(process: "a", invoked: 1, completed: 2, input: .write(1))
        #expect(known.isKnown && !timeless.isKnown && !silent.isKnown)
        #expect(try verdict([known, .read(0, 3, 4)]) != .linearizable)
        for unknown in [timeless, silent] {
            #expect(try verdict([unknown, .read(0, 3, 4), .read(1, 5, 6)]) == .linearizable)
        }
    }

    @Test func `A model may leave several states behind; one that fits is enough`() throws {
        /// A coin: a toss leaves either side up.
        struct Coin: SequentialModel {
            let initial = "heads"
            func step(_ state: String, _ input: Bool, _ output: String?) -> [String] {
                let isToss = input
                return isToss ? ["heads", "tails"] : output == state ? [state] : []
            }
        }
        func history(_ seen: String) -> [ConcurrentOperation<Bool, String>] {
            [
                ConcurrentOperation(process: "a", invoked: 0, completed: 1, input: true, output: "tossed"),
                ConcurrentOperation(process: "b", invoked: 2, completed: 3, input: false, output: seen),
            ]
        }
        for side in ["heads", "tails"] {
            #expect(try LinearizabilityCheck().verdict(on: history(side), of: Coin()) == .linearizable)
        }
        #expect(
            try LinearizabilityCheck().verdict(on: history("edge"), of: Coin()) == .broken(ordered: [0], blocked: [1]))
    }

    // MARK: Size

    private func chain(_ count: Int) -> [OnRegister] {
        (0..<UInt64(count)).map { .write(Int($0 % 3), 2 * $0, 2 * $0 + 1) }
    }

    @Test(.verifies("size", "LinearizabilityCheck.mostConfigurations"))
    func `A search visits as many configurations as the limit says, one for each operation of a chain`() throws {
        let limit = LinearizabilityCheck.mostConfigurations
        #expect(try verdict(chain(limit - 1)) == .linearizable)
        #expect(try verdict(chain(limit)) == .linearizable)
        #expect(try verdict(chain(limit + 1)) == .undecided(configurations: limit))
    }

    @Test func `Each set of operations is visited once with each state`() throws {
        // Twelve operations have 4,095 sets that are not empty, and 479,001,600 orders.
        let writes = (1...12).map { _ in OnRegister.write(1, 0, 10) }
        let operations = writes + [.read(2, 20, 21)]
        guard case .broken(let ordered, let blocked) = try verdict(operations, limit: 4_095) else {
            Issue.record("the search has visited more than the sets")
            return
        }
        #expect(ordered.sorted() == Array(0..<12))
        #expect(blocked == [12])
        #expect(try verdict(operations, limit: 4_094) == .undecided(configurations: 4_094))
    }

    /// Operations that take effect every ten units of time, each around its time, and what is read then.
    private func random(_ count: Int, spread: UInt64, seed: UInt64) -> [OnRegister] {
        var stream = SeedStream(seed: seed, "operations")
        var value = 0
        return (0..<count).map { number in
            let time = 100 + 10 * UInt64(number)
            let (before, after) = (stream.next() % spread, stream.next() % spread)
            if stream.next() % 2 == 0 {
                value = number + 1
                return .write(value, time - min(time, before), time + after)
            }
            return .read(value, time - min(time, before), time + after)
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `Thousands of operations, up to sixteen at a time, are put in order within the limit`(seed: UInt64) throws {
        #expect(try verdict(random(3_000, spread: 80, seed: seed)) == .linearizable)
        let last = OnRegister.read(-1, 1_000_000, 1_000_001)
        guard case .broken(let ordered, let blocked) = try verdict(random(3_000, spread: 20, seed: seed) + [last])
        else {
            Issue.record("no operation has written -1")
            return
        }
        #expect(ordered.count == 3_000)
        #expect(blocked == [3_000])
    }

    @Test func `A search pays for each configuration that it visits`() throws {
        var budget = Budget(seconds: 0)
        for _ in 1..<4_096 - 10 { try budget.spend() }
        let verdict = try LinearizabilityCheck().verdict(on: chain(10), of: Register(), &budget)
        #expect(verdict == .linearizable)
        #expect(throws: Budget.Exhausted.self) {
            _ = try LinearizabilityCheck().verdict(on: chain(1), of: Register(), &budget)
        }
    }
}
