// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import TestSupport
import Testing

/// The search against the definition: small histories at random, and all their orders.
@Suite("The search of an order and the definition of one agree", .endsInTime)
struct LinearizabilityComparisonTests {
    private typealias Operation = ConcurrentOperation<Register.Input, Register.Output>

    /// One to five operations on a register within a few moments, a quarter of them with an unknown outcome.
    private static func history(_ stream: inout SeedStream) -> [Operation] {
        func below(_ limit: UInt64) -> Int { Int(stream.next() % limit) }
        return (0...below(5)).map { _ in
            let invoked = UInt64(below(12))
            let completed = invoked + UInt64(below(8))
            let isKnown = below(4) > 0
            let call: (input: Register.Input, output: Register.Output) =
                switch below(3) {
                case 0: (.write(below(3)), .done)
                case 1: (.read, .value(below(3)))
                default: (.exchange(below(3), for: below(3)), .done)
                }
            return Operation(
                process: "a", invoked: invoked, completed: isKnown ? completed : nil, input: call.input,
                output: call.output)
        }
    }

    /// Every order of some places.
    private static func orders(of places: [Int]) -> [[Int]] {
        guard !places.isEmpty else { return [[]] }
        return places.flatMap { first in orders(of: places.filter { $0 != first }).map { [first] + $0 } }
    }

    /// Every choice of some places.
    private static func choices(of places: [Int]) -> [[Int]] {
        places.reduce([[]]) { choices, place in choices + choices.map { $0 + [place] } }
    }

    /// What the definition says: whether there is an order, and the most known operations at the beginning of one.
    private static func definition(_ operations: [Operation]) -> (isLinearizable: Bool, longest: Int) {
        let known = operations.indices.filter { operations[$0].isKnown }
        let unknown = operations.indices.filter { !operations[$0].isKnown }
        var (isLinearizable, longest) = (false, 0)
        for order in choices(of: unknown).flatMap({ orders(of: known + $0) }) where isPossible(order, operations) {
            let right = rightBeginning(of: order, operations)
            if right == order.count { isLinearizable = true }
            longest = max(longest, order.prefix(right).count { operations[$0].isKnown })
        }
        return (isLinearizable, longest)
    }

    /// Whether no operation stands behind one that began after its end.
    private static func isPossible(_ order: [Int], _ operations: [Operation]) -> Bool {
        for (index, earlier) in order.enumerated() {
            for later in order[(index + 1)...] {
                if let end = operations[later].completed, end < operations[earlier].invoked { return false }
            }
        }
        return true
    }

    /// How many operations at the beginning of an order have the right answer.
    private static func rightBeginning(of order: [Int], _ operations: [Operation]) -> Int {
        var state = Register().initial
        for (index, place) in order.enumerated() {
            let operation = operations[place]
            guard let next = Register().step(state, operation.input, operation.output).first else { return index }
            state = next
        }
        return order.count
    }

    @Test func `Six hundred random histories have an order exactly if one of all orders is right`() throws {
        var stream = SeedStream(seed: 1, "small histories")
        var (right, broken) = (0, 0)
        for _ in 1...600 {
            let operations = Self.history(&stream)
            let (isLinearizable, longest) = Self.definition(operations)
            switch try LinearizabilityCheck().verdict(on: operations, of: Register()) {
            case .linearizable:
                right += 1
                #expect(isLinearizable, "\(operations)")
            case .broken(let ordered, let blocked):
                broken += 1
                #expect(!isLinearizable, "\(operations)")
                #expect(Self.isPossible(ordered, operations), "\(operations)")
                #expect(Self.rightBeginning(of: ordered, operations) == ordered.count, "\(operations)")
                #expect(ordered.count { operations[$0].isKnown } == longest, "\(operations)")
                #expect(!blocked.isEmpty && Set(blocked).isDisjoint(with: ordered), "\(operations)")
                for place in blocked {
                    #expect(Self.rightBeginning(of: ordered + [place], operations) == ordered.count, "\(operations)")
                    #expect(Self.isPossible(ordered + [place], operations), "\(operations)")
                }
            case .undecided: Issue.record("\(operations) was not decided")
            }
        }
        #expect(right > 150 && broken > 150, "\(right) right ones, \(broken) broken ones")
    }
}
