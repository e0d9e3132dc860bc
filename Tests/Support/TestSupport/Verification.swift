// SPDX-License-Identifier: Apache-2.0

// A statically linked build has neither the module Testing nor tests; the package manager builds this target all the same.
#if canImport(Testing)
    import Foundation
    import Synchronization
    public import Testing

    /// Says which rules of a list a test verifies, so that no list has to name its tests.
    ///
    /// The testing library makes the traits of all tests before it chooses the tests of a run. So ``all`` is complete in
    /// every test, also under a filter.
    public struct Verification: TestTrait {
        /// A rule that a test verifies.
        public struct Mark: Hashable, Sendable {
            /// The list: a document by its file name, such as `sharing.md`, or one that CONTRIBUTING.md names.
            public let list: String
            /// The name of the rule in the list.
            public let rule: String
            /// The path of the test's file, from the root of the package.
            public let file: String
        }

        private static let marks = Mutex<Set<Mark>>([])

        /// The marks of all tests of the package.
        ///
        /// Thread rule: any thread.
        public static var all: Set<Mark> { marks.withLock { $0 } }

        fileprivate init(list: String, rules: [String], path: String) {
            let file = String(path.dropFirst(Project.root.path.count + 1))
            Self.marks.withLock { $0.formUnion(rules.map { Mark(list: list, rule: $0, file: file) }) }
        }

        /// Checks that each rule of a list has a test, and that no test names another rule of it; a difference is an issue
        /// of the running test.
        ///
        /// - Parameter others: the rules that something else than a marked test verifies.
        public static func check(
            _ list: String, has rules: Set<String>, verifiedBy others: Set<String> = [],
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let verified = others.union(all.filter { $0.list == list }.map(\.rule))
            #expect(!rules.isEmpty, "\(list) has no rules", sourceLocation: sourceLocation)
            #expect(
                rules.subtracting(verified).sorted() == [],
                "no test has the trait .verifies(\"\(list)\", …) for these", sourceLocation: sourceLocation)
            #expect(
                verified.subtracting(rules).sorted() == [], "\(list) has no such rules", sourceLocation: sourceLocation)
        }
    }

    extension Trait where Self == Verification {
        /// The test verifies rules of a list.
        ///
        /// - Parameters:
        ///   - list: a document by its file name, such as `sharing.md`, or another list that CONTRIBUTING.md names.
        ///   - rules: their names in the list, such as `S-4`.
        public static func verifies(_ list: String, _ rules: String..., path: String = #filePath) -> Self {
            Verification(list: list, rules: rules, path: path)
        }
    }
#endif
