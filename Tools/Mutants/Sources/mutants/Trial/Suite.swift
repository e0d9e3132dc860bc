// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A suite of the test program, or a scenario of the catalogue, with its results without a mutant.
struct Suite {
    /// Its identifier as the program prints it, such as `PowerAuthCoreTests.SessionFactorTests`; of a scenario its path.
    let name: String
    /// Seconds that it took.
    var seconds: Double = 0
    /// The mutants whose place it passed; a mutant at another place cannot make it fail.
    var reached: Set<String> = []

    /// Whether it is a scenario, which `make run` runs.
    var isScenario: Bool { name.hasSuffix(".yaml") }
    /// The module of the suite; the folder of all scenarios.
    var module: String { String(name.prefix { $0 != (isScenario ? "/" : ".") }) }
    /// Whether it launches processes of its own; such suites take turns, and none is ended half-way.
    var isEndToEnd: Bool { module == "EndToEndTests" || isScenario }

    /// A regular expression for its tests.
    var filter: String {
        "^" + NSRegularExpression.escapedPattern(for: name) + (name.hasSuffix(")") ? "" : "/")
    }

    /// The suites of a list of tests, each once. Suites inside of the groups of `EndToEnd` count as suites of their
    /// own.
    static func suites(ofTests list: String) -> [Suite] {
        var names: Set<String> = []
        for test in list.split(separator: "\n") where !test.hasPrefix("ArchitectureTests.") && test.contains(".") {
            let parts = test.split(separator: "/").dropLast()
            let isGrouped = parts.first?.hasSuffix(".EndToEnd") == true
            let last = isGrouped ? parts.dropFirst().firstIndex { $0.contains(/Tests?$/) } ?? parts.endIndex - 1 : 0
            names.insert(parts.isEmpty ? test.description : parts[...last].joined(separator: "/"))
        }
        return names.sorted().map { Suite(name: $0) }
    }
}
