// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabSystem
import ScenarioEngine

extension Lab {
    /// The orders of the turns of a race in which a test is performed.
    public struct Orders: Sendable {
        enum Kind: Sendable {
            /// All within bounds.
            case all(ExplorationBounds)
            /// One, as text.
            case one(String)
        }

        let kind: Kind

        /// Every order in which the apps can pass their fault points, up to a number of preemptions.
        ///
        /// The test is performed once for each, those with fewer preemptions first, until one fails.
        /// - Parameter count: How often an order may leave an app that could have gone on, 0 to 100. Most defects need one
        ///   or two.
        public static func preemptions(_ count: Int) -> Orders { bounds(preemptions: count) }

        /// Every order in which the apps, and the agents of devices with a watch link, can pass their fault points, or die
        /// there, up to numbers of preemptions and deaths.
        ///
        /// The test is performed once for each, those with fewer preemptions and deaths first, until one fails. An app that
        /// dies gets SIGKILL where it is held. What its branch throws from then on is no failure, and it is launched again
        /// before `lab.race` returns; an app that cannot be launched fails the order.
        /// - Parameters:
        ///   - preemptions: How often an order may leave an app that could have gone on, 0 to 100.
        ///   - deaths: How many apps and agents an order may kill, 0 to 10; with an agent its device dies, and its apps.
        ///   - budget: The real time after which no order begins; the test passes without the rest if at least one was
        ///     played. Nil for no such time.
        public static func bounds(preemptions: Int = 2, deaths: Int = 0, budget: LabDuration? = nil) -> Orders {
            Orders(kind: .all(ExplorationBounds(preemptions: preemptions, deaths: deaths, jobs: 1, time: budget)))
        }

        /// One order, as a test that fails prints it: `main: start, wallet: start`.
        /// - Parameter turns: Each an app, and the place from which it continues: `start`, or a fault point. With `dies`
        ///   before the place, `main: dies state.saved`, the app is killed there.
        public static func order(_ turns: String) -> Orders { Orders(kind: .one(turns)) }
    }
}

/// Performs a body in every order of the turns of its `lab.race`, each time with an instance of its own: started
/// before it, gone after it, with proof that nothing is left.
///
/// ```swift
/// try await withExploration(.preemptions(2)) { lab in
///     try await lab.race([
///         "main": { try await lab.main.call(HasValidActivation()) },
///         "wallet": { try await lab.wallet.call(HasValidActivation()) },
///     ])
/// }
/// ```
///
/// The body is called again for each order, so it depends on nothing that it has changed. An order fails if the body throws,
/// records an issue of Swift Testing, or leaves something behind; it is then performed once more, with the issues that the
/// test reports.
///
/// - Parameters:
///   - orders: The orders.
///   - cast: The actors; by default the default topology of the nearest `lab.yaml`.
///   - seed: The seed of everything the lab draws, the same in each order.
///   - source: The source file of the caller.
///   - body: The work. It calls `lab.race` at least once.
/// - Throws: ``FailedOrder`` with what the body has thrown in an order, its turns and how to repeat it; `LabFailure` if
///   an order could not be judged, the body has no race, or the budget ended before the first order; `BadUsage` for bounds or
///   an order that are not possible.
public func withExploration(
    _ orders: Lab.Orders, cast: Lab.Cast? = nil, seed: UInt64 = 1, source: String = #filePath,
    _ body: @Sendable (Lab) async throws -> Void
) async throws {
    let test = InstanceTest(
        cast: cast ?? .labFile(source: source), seed: seed, name: "withExploration",
        place: ReportedPlace(file: source, line: 1, column: 1), running: RunningTest.current)
    try await ExploredTest(test, repeatedBy: { "withExploration(.order(\"\($0)\"))" })
        .perform(orders, performing: body)
}

/// The same for callers that may block, which no task may; see ``withExploration(_:cast:seed:source:_:)``.
public func withExplorationBlocking(
    _ orders: Lab.Orders, cast: Lab.Cast? = nil, seed: UInt64 = 1, source: String = #filePath,
    _ body: @escaping @Sendable (Lab) throws -> Void
) throws {
    let ended = OneShot<Result<Void, any Error>>()
    Task.detached {
        do {
            try await withExploration(orders, cast: cast, seed: seed, source: source) { lab in
                try await onThread(named: "lab test") { try body(lab) }
            }
            ended.set(.success(()))
        } catch {
            ended.set(.failure(error))
        }
    }
    try ended.wait().get()
}

/// A test fails in one order of the turns of its race.
public struct FailedOrder: Error, CustomStringConvertible, Sendable {
    /// What the test has thrown.
    public let error: any Error
    /// The order in columns, and how to repeat it.
    let lines: [String]

    /// The error, the order in columns, and how to repeat it.
    public var description: String { (["\(error)"] + lines).joined(separator: "\n") }
}
