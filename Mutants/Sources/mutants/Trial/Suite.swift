import Foundation

/// A suite of the test program, and what was seen of it without a mutant.
struct Suite {
    /// Its identifier as the program prints it, such as `PowerAuthCoreTests.SessionFactorTests`.
    let name: String
    /// Seconds that it took.
    var seconds: Double = 0
    /// The mutants whose place it passed; a mutant at another place cannot make it fail.
    var reached: Set<String> = []

    /// The module of the suite.
    var module: String { String(name.prefix { $0 != "." }) }
    /// Whether it launches processes of its own; such suites take turns, and none is ended half-way.
    var isEndToEnd: Bool { module == "EndToEndTests" }

    /// A regular expression for its tests.
    var filter: String {
        "^" + NSRegularExpression.escapedPattern(for: name) + (name.hasSuffix(")") ? "" : "/")
    }

    /// The suites of a list of tests, each once. Suites inside of `EndToEnd` count as suites of their own.
    static func suites(ofTests list: String) -> [Suite] {
        var names: Set<String> = []
        for test in list.split(separator: "\n") where !test.hasPrefix("ArchitectureTests.") && test.contains(".") {
            let parts = test.split(separator: "/")
            if parts.count > 2, parts[0].hasSuffix(".EndToEnd") {
                names.insert(parts[..<2].joined(separator: "/"))
            } else {
                names.insert(String(parts[0]))
            }
        }
        return names.sorted().map { Suite(name: $0) }
    }
}
