// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The build refuses an import that the manifest does not declare; the page shows the manifest.
@Suite("The modules of the manifest", .endsInTime)
struct ModulePageTests {
    private let manifest: Manifest

    init() throws { manifest = try Manifest() }

    @Test func `The manifest declares each folder of Sources as a module of its building`() {
        let declared = manifest.buildings.flatMap { building in
            building.modules.map { ($0.name, "Sources/\(building.name)/\($0.name)") }
        }
        #expect(declared.count > 40)
        #expect(Dictionary(uniqueKeysWithValues: declared) == Repository.modules)
    }

    @Test func `The tables of docs/architecture.md have a row for each module, with its dependencies`() throws {
        let path = "docs/architecture.md"
        var page = try Project.text(of: path)
        let meanings = Dictionary(
            page.components(separatedBy: "## Buildings and modules")[1].matches(
                of: #/(?m)^\| `([\w-]+)` \| ([^|]+) \|/#
            ).map { (String($0.1), String($0.2)) },
            uniquingKeysWith: { first, _ in first })
        for building in manifest.buildings {
            let rows = building.modules.map { module in
                let dependencies = module.dependencies.map { "`\($0)`" }.joined(separator: " ")
                return
                    "| `\(module.name)` | \(meanings[module.name] ?? "?") | \(dependencies)\(dependencies.isEmpty ? "" : " ")|"
            }
            let table = "| module | is | imports |\n| --- | --- | --- |\n\(rows.joined(separator: "\n"))\n"
            let section = try #require(
                page.range(of: "### \(building.name)\n"), "the page has no section about \(building.name)")
            let start = try #require(page.range(of: "\n| module |", range: section.upperBound..<page.endIndex))
            let end = page.range(of: "\n\n", range: start.upperBound..<page.endIndex)?.lowerBound ?? page.endIndex
            page.replaceSubrange(page.index(after: start.lowerBound)..<end, with: table.dropLast())
        }
        #expect(!page.contains("| ? |"), "say what the module is, in its row of \(path)")
        GoldenFile(path: Project.path(path)).check(page)
    }

    @Test(
        arguments: [
            "PowerAuthCore", "PowerAuthShared", "PowerAuth2", "PowerAuthSDK2", "PowerAuth2ForExtensions",
            "PowerAuth2ForWatch",
            "WatchConnectivity", "WatchKit", "LocalAuthentication", "UIKit", "UserNotifications", "NetworkFramework",
            "SecurityFramework", "OSFramework",
            "WultraPowerAuthNetworking", "WultraMobileTokenSDK",
        ])
    func `The SDKs and the shims of the platform do not import the lab`(name: String) throws {
        let module = try #require(manifest.buildings.flatMap(\.modules).first { $0.name == name })
        let lab: Set<String> = [
            "LabCore", "LabControl", "LabVocabulary", "LabPeer", "ScenarioEngine", "LabTesting", "DeviceAgent",
            "PowerAuthServer",
        ]
        let reexports = try Self.reexports()
        #expect(reexports["PowerAuth2"]?.contains("PowerAuthShared") == true, "the SDK's re-export is recognised")
        var seen: Set<String> = []
        var next = Set(module.dependencies)
        while let name = next.popFirst() {
            if seen.insert(name).inserted { next.formUnion(reexports[name, default: []].subtracting(seen)) }
        }
        #expect(seen.isDisjoint(with: lab))
    }

    /// The modules that the import of each module also makes visible.
    static func reexports() throws -> [String: Set<String>] { try foundReexports.get() }

    /// Read once: the test of each module asks for it.
    private static let foundReexports = Result<[String: Set<String>], any Error> {
        try Repository.swiftFiles(below: "Sources").reduce(into: [:]) { reexports, file in
            let export = #/@_exported public import (?:(?:struct|class|enum|protocol|typealias|func|let) )?(\w+)/#
            for match in file.text.matches(of: export) {
                reexports[file.module, default: []].insert(String(match.1))
            }
        }
    }

    @Test func `Every file on the way of a step exists`() throws {
        let page = try Project.text(of: "docs/architecture.md")
        let paths = page.matches(of: /`([A-Za-z0-9]+\/[A-Za-z0-9+\/]+\.swift)`/).map { String($0.1) }
        #expect(paths.count >= 10, "the way of a step was not found")
        for path in paths {
            #expect(Repository.place(named: path) != nil, "\(path) is gone")
        }
    }
}

/// The modules of `Sources` as `Package.swift` declares them.
struct Manifest {
    struct Module {
        let name: String
        /// The modules of this package that it depends on, in the order of the manifest.
        let dependencies: [String]
    }

    /// The modules by building, both in the order of the manifest.
    let buildings: [(name: String, modules: [Module])]

    init() throws {
        let text = try Project.text(of: "Package.swift")
        buildings = text.components(separatedBy: "building(\n").compactMap { section in
            guard let folder = section.prefixMatch(of: #/\s*"Sources/(\w+)"/#) else { return nil }
            let modules = section.matches(
                of:
                    #/
                    \b(?:module|program|target|systemLibrary)\(\s*(?:name:\ )?"([\w-]+)"
                    (?:,\s*(?:dependencies:\ )?\[([^\]]*)\])?
                    /#
            ).map { match in
                // Products of other packages are constants of the manifest; modules are texts.
                let dependencies = (match.2 ?? "").matches(of: #/"([\w-]+)"/#).map { String($0.1) }
                return Module(name: String(match.1), dependencies: dependencies)
            }
            return (String(folder.1), modules)
        }
    }
}
