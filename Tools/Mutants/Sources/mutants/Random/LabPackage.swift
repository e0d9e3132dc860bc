// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The package manager's description of the lab: its modules, and the nearest tests of each.
struct LabPackage {
    /// One module of `Sources`.
    struct Module {
        let name: String
        /// The folder, from the root of the package.
        let path: String
    }

    /// The modules with Swift code, by name.
    let modules: [Module]
    /// The test modules that use a module directly, by the module's name.
    private let testers: [String: Set<String>]

    init(root: URL, swift: String, output: URL) throws {
        let outcome = try Program.run(
            [swift, "package", "describe", "--type", "json"], in: root, output: output,
            errors: output.appendingPathExtension("errors"))
        guard outcome == .ended(status: 0) else {
            throw Failure("`swift package describe` ended with \(outcome); \(output.path) has what it printed.")
        }
        let description = try JSONDecoder().decode(Description.self, from: Data(contentsOf: output))
        modules = description.targets
            .filter { $0.moduleType == "SwiftTarget" && $0.path.hasPrefix("Sources/") }
            .map { Module(name: $0.name, path: $0.path) }
            .sorted { $0.name < $1.name }
        var testers: [String: Set<String>] = [:]
        for target in description.targets where target.type == "test" {
            for module in target.dependencies ?? [] { testers[module, default: []].insert(target.name) }
        }
        self.testers = testers
    }

    /// Whether a test module uses a module directly. The end-to-end tests use all of them, from outside.
    func isNear(_ tests: String, to module: String) -> Bool {
        testers[module]?.contains(tests) ?? false
    }

    /// Whether a test module is named after a module; if no test module is, whether it uses the module.
    func isNearest(_ tests: String, to module: String) -> Bool {
        let own = module + "Tests"
        return isNear(own, to: module) ? tests == own : isNear(tests, to: module)
    }

    /// The output of `swift package describe`.
    private struct Description: Decodable {
        struct Target: Decodable {
            let name: String
            let type: String
            let path: String
            let moduleType: String
            let dependencies: [String]?

            enum CodingKeys: String, CodingKey {
                case name, type, path
                case moduleType = "module_type"
                case dependencies = "target_dependencies"
            }
        }

        let targets: [Target]
    }
}
