// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import LabTesting
import LabVocabulary
import TestSupport
import Testing

extension EndToEnd.Peers {
    @Suite("Tests whose race is explored")
    struct ExploredLabTests {
        private struct Complaint: Error {}

        private static let noDevices = Lab.Cast.topology(Topology(name: "empty", devices: []))
        private static let performed = Counter()

        /// Lets both apps ask at once.
        /// - Returns: The apps in the order in which their answers came.
        fileprivate static func race(in lab: Lab) async throws -> [String] {
            let ended = Recorder<String>()
            try await lab.race([
                "main": {
                    try await lab.main.call(HasValidActivation())
                    ended.add("main")
                },
                "wallet": {
                    try await lab.wallet.call(HasValidActivation())
                    ended.add("wallet")
                },
            ])
            return ended.all
        }

        @Test(.lab(explore: .preemptions(0))) func `The trait performs a test in each order of its race`() async throws
        {
            let ended = try await Self.race(in: Lab.current)
            Self.performed.increase()
            // Without a preemption one app ends before the other one begins; the first one of the race begins first.
            #expect(ended == (Self.performed.value == 1 ? ["main", "wallet"] : ["wallet", "main"]))
            #expect(Self.performed.value <= 2)
        }

        @Test(.lab()) func `Outside of an exploration the branches run at the same time`() async throws {
            #expect(try await Self.race(in: Lab.current).sorted() == ["main", "wallet"])
        }

        @Test func `A body is performed in every order up to the bound, each time in another instance`() async throws {
            let instances = Recorder<String>()
            try await withExploration(.preemptions(1)) { lab in
                instances.add(lab.records)
                _ = try await Self.race(in: lab)
            }
            #expect(instances.all.count > 2)
            #expect(Set(instances.all).count == instances.all.count)
            #expect(instances.all.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
        }

        @Test func `An order that fails is thrown in columns, and repeated by its text`() async throws {
            let failed = try #require(
                await #expect(throws: FailedOrder.self) {
                    try await withExploration(.preemptions(0)) { lab in
                        if try await Self.race(in: lab) != ["main", "wallet"] { throw Complaint() }
                    }
                })
            let test = try #require(failed.error as? FailedInstanceTest)
            defer { try? FileManager.default.removeItem(atPath: test.directory) }
            #expect(test.error is Complaint)
            let text = failed.description
            #expect(text.contains("\nOrder 2 of the race:\n    turn  wallet"), "\(text)")
            let order = try #require(text.firstMatch(of: #/\nRepeat it: withExploration\(\.order\("(.+)"\)\)$/#))
            #expect(order.1.hasPrefix("wallet: start, ") && order.1.contains("main: start"), "\(text)")
            let orders = Lab.Orders.order(String(order.1))
            try await withExploration(orders) { lab in
                let ended = try await Self.race(in: lab)
                #expect(ended == ["wallet", "main"])
            }
        }

        @Test func `An order that the code does not keep fails, with the turn`() async throws {
            let failed = try #require(
                await #expect(throws: FailedInstanceTest.self) {
                    try await withExploration(.order("main: start, wallet: keychain.write")) { lab in
                        _ = try await Self.race(in: lab)
                    }
                })
            defer { try? FileManager.default.removeItem(atPath: failed.directory) }
            #expect(
                "\(failed.error)".hasPrefix("Turn 2 of the order could not be given: `wallet` should continue"),
                "\(failed)")
            let mistake = await #expect(throws: BadUsage.self) { try await withExploration(.order("main")) { _ in } }
            #expect(mistake?.description.hasPrefix("turn 1 of the order is `main`") == true)
        }

        @Test func `An app that dies in an order is launched again, and its branch does not fail`() async throws {
            let order =
                "main: start, main: dies statusLock.take, wallet: start, wallet: statusLock.take, wallet: statusLock.taken"
            let performed = Counter()
            try await withExploration(.order(order)) { lab in
                let ended = try await Self.race(in: lab)
                #expect(ended == ["wallet"])
                try await lab.main.call(HasValidActivation())
                performed.increase()
            }
            #expect(performed.value == 1)
        }

        @Test func `With a bound of deaths each app also dies`() async throws {
            let survivors = Recorder<[String]>()
            try await withExploration(.bounds(preemptions: 0, deaths: 1)) { lab in
                survivors.add(try await Self.race(in: lab))
                try await lab.main.call(HasValidActivation())
                try await lab.wallet.call(HasValidActivation())
            }
            for ended in [["main"], ["wallet"], ["main", "wallet"], ["wallet", "main"]] {
                #expect(survivors.all.contains(ended), "\(survivors.all)")
            }
        }

        @Test func `A failure in an order with a death is repeated by its text`() async throws {
            let failed = try #require(
                await #expect(throws: FailedOrder.self) {
                    try await withExploration(.bounds(preemptions: 0, deaths: 1)) { lab in
                        if try await Self.race(in: lab) == ["wallet"] { throw Complaint() }
                    }
                })
            let test = try #require(failed.error as? FailedInstanceTest)
            defer { try? FileManager.default.removeItem(atPath: test.directory) }
            let text = failed.description
            let order = try #require(text.firstMatch(of: #/\nRepeat it: withExploration\(\.order\("(.+)"\)\)$/#))
            #expect(order.1.contains("main: dies "), "\(text)")
            let orders = Lab.Orders.order(String(order.1))
            try await withExploration(orders) { lab in
                let ended = try await Self.race(in: lab)
                #expect(ended == ["wallet"])
            }
        }

        @Test func `When the budget ends no further order begins, and the body passes`() async throws {
            let performed = Counter()
            try await withExploration(.bounds(budget: .milliseconds(50))) { lab in
                performed.increase()
                _ = try await Self.race(in: lab)
            }
            // An instance alone takes longer.
            #expect(performed.value == 1)
        }

        @Test func `A body without a race is not explored`() async throws {
            let nothing = await #expect(throws: LabFailure.self) {
                try await withExploration(.preemptions(1), cast: Self.noDevices) { _ in }
            }
            #expect(nothing?.description.hasPrefix("The test has not called `lab.race`") == true)
            await #expect(throws: LabFailure.self) {
                try await withExploration(.order("main: start"), cast: Self.noDevices) { _ in }
            }
            for orders: Lab.Orders in [.preemptions(101), .bounds(deaths: 11), .bounds(budget: .zero)] {
                await #expect(throws: BadUsage.self) {
                    try await withExploration(orders, cast: Self.noDevices) { _ in }
                }
            }
        }

        @Test(.lab()) func `A race has at least two branches, each of another app`() async throws {
            let lab = try Lab.current
            let one = await #expect(throws: BadUsage.self) { try await lab.race(["main": {}]) }
            #expect(one?.description.hasPrefix("a race needs at least two branches") == true)
            let twice = await #expect(throws: BadUsage.self) { try await lab.race(["main": {}, "main": {}]) }
            #expect(twice?.description.hasPrefix("two branches of the race belong to `main`") == true)
            let none = await #expect(throws: BadUsage.self) { try await lab.race(["main": {}, "walet": {}]) }
            #expect(none?.description.hasSuffix("there is no app `walet`; did you mean `wallet`?") == true)
        }

        @Test func `Code that blocks explores, too`() async throws {
            let performed = Counter()
            try await onThread {
                try withExplorationBlocking(.preemptions(0)) { lab in
                    performed.increase()
                    try lab.raceBlocking([
                        "main": { try lab.main.call(HasValidActivation()) },
                        "wallet": { try lab.wallet.call(HasValidActivation()) },
                    ])
                }
            }
            #expect(performed.value == 2)
        }

        @Test func `A failing test reports its issue once, with the order and how to repeat it`() async throws {
            let workspace = try Workspace()
            let outcome = try await LabCommand.run(
                ["--testing-library", "swift-testing", "--filter", "EndToEndTests.EndToEnd/FailingExploredTest"],
                in: workspace, executable: try ProcessTable.executablePath(),
                environment: [FailingRun.variable: "1", TestProcess.directoryVariable: TestProcess.directory])
            #expect(outcome.status == EXIT_FAILURE)
            let text = outcome.output + outcome.errors
            let pages = Set(text.matches(of: #/Page of the test: (\/\S+index.html)/#).map { String($0.1) })
            defer { for page in pages { try? Files.removeTree(Files.directory(of: page)) } }
            #expect(pages.count == 1, "\(text)")
            #expect(text.matches(of: #/Expectation failed/#).count == 1, "\(text)")
            #expect(text.contains("Order 2 of the race:"), "\(text)")
            #expect(text.contains("Repeat it: .lab(explore: .order(\"wallet: start, "), "\(text)")
            try workspace.expectNothingLeft()
        }
    }
}

extension EndToEnd {
    /// ``Peers/ExploredLabTests`` runs this in a separate process and checks the output of the failure.
    @Suite("A test that fails in an order", .enabled(if: FailingRun.isWanted))
    struct FailingExploredTest {
        @Test(.lab(explore: .preemptions(1))) func `The first app to ask has the first answer`() async throws {
            let ended = try await Peers.ExploredLabTests.race(in: Lab.current)
            #expect(ended.first == "main")
        }
    }
}
