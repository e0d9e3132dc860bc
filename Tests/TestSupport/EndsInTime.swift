// A statically linked build has neither the module Testing nor tests; the package manager builds this target all the same.
#if canImport(Testing)
    import LabKit
    public import Testing

    /// Gives every test of a suite a limit of real time. It is for tests that would never end, so it is far above what
    /// any needs; a test that exceeds it is named, and ends the test process, because nothing can end the test itself.
    public struct EndsInTime: SuiteTrait, TestTrait, TestScoping {
        /// Each test of a suite, and each case of a test with arguments, has the limit for itself.
        public var isRecursive: Bool { true }
        fileprivate let limit: LabDuration

        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            let number = TestWatchdog.shared.begin("\(test.displayName ?? test.name) (\(test.sourceLocation))", limit)
            defer { TestWatchdog.shared.end(number) }
            try await function()
        }
    }

    extension Trait where Self == EndsInTime {
        /// Ten minutes, stretched by `LAB_TIME_FACTOR`: on two cores beside two suites under a sanitizer, a test that needs
        /// five seconds alone has needed more than two minutes.
        public static var endsInTime: Self { .ends(withinSeconds: 600) }

        /// A limit for tests that do more than others, stretched by `LAB_TIME_FACTOR`.
        public static func ends(withinSeconds seconds: Int64) -> Self {
            EndsInTime(limit: LabDuration.seconds(seconds).stretched)
        }
    }
#endif
