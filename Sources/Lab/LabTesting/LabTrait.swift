// SPDX-License-Identifier: Apache-2.0

// A static build of the lab's own programs has no testing library.
#if canImport(Testing)
    import Foundation
    import ScenarioEngine
    public import Testing

    extension Trait where Self == LabTrait {
        /// An instance for a test, or one for each test of a suite: started before it, gone after it, with proof that
        /// nothing is left. The test finds it as `Lab.current`. Of several traits around a test the nearest one counts.
        ///
        /// - Parameters:
        ///   - topology: A topology of the lab file; nil means the default one.
        ///   - path: The lab file; nil looks for `lab.yaml` upwards from the test's source file.
        ///   - seed: The seed of everything the lab draws.
        ///   - explored: The orders of the turns of `lab.race` in which the test is performed, each time with
        ///     an instance of its own; nil performs it once, with branches that run at the same time.
        ///   - source: The test's source file.
        public static func lab(
            _ topology: String? = nil, at path: String? = nil, seed: UInt64 = 1, explore explored: Lab.Orders? = nil,
            source: String = #filePath
        ) -> Self {
            LabTrait(cast: .labFile(topology, at: path, source: source), seed: seed, explored: explored)
        }

        /// An instance with a cast of its own; see the trait without a cast.
        public static func lab(_ cast: Lab.Cast, seed: UInt64 = 1, explore explored: Lab.Orders? = nil) -> Self {
            LabTrait(cast: cast, seed: seed, explored: explored)
        }
    }

    /// Gives each test an instance of its own: the trait `.lab`.
    public struct LabTrait: TestTrait, SuiteTrait, TestScoping {
        let cast: Lab.Cast
        let seed: UInt64
        /// The orders in which each test is performed; nil performs it once.
        let explored: Lab.Orders?
        /// Distinguishes traits: the one nearest to a test counts.
        private let identity = UUID()

        init(cast: Lab.Cast, seed: UInt64, explored: Lab.Orders?) {
            self.cast = cast
            self.seed = seed
            self.explored = explored
        }

        /// A suite hands it to its tests.
        public var isRecursive: Bool { true }

        /// Runs a test with an instance, or with one for each order. Its issues say where the page of the test is.
        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            guard test.traits.compactMap({ $0 as? LabTrait }).last?.identity == identity else {
                return try await function()
            }
            let inInstances = InstanceTest(
                cast: cast, seed: seed, name: test.displayName ?? test.name, place: ReportedPlace(test.sourceLocation),
                running: RunningTest(test: test, testCase: testCase))
            if let explored {
                return try await ExploredTest(inInstances, repeatedBy: { ".lab(explore: .order(\"\($0)\"))" })
                    .perform(explored) { _ in try await function() }
            }
            let outcome = await inInstances.perform { _ in try await function() }
            if let error = outcome.error { throw error }
        }
    }
#endif
