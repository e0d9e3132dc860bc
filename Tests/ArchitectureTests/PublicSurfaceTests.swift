// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The public surface of the SDK modules", .endsInTime)
struct PublicSurfaceTests {
    private static let page = "docs/spec/public-surface.md"

    /// The modules of the building of the SDKs, one list each.
    static let modules = Repository.modules.filter { $0.value.hasPrefix("Sources/SDK/") }.keys.sorted()

    private static func surface(of module: String) throws -> PublicSurface {
        try PublicSurface(of: SymbolGraph.all(of: module, with: #require(SymbolGraph.program)))
    }

    @Test(.readsModules, arguments: modules)
    func `Each public symbol of a module stands in its list, as declared`(module: String) throws {
        let surface = try Self.surface(of: module)
        #expect(surface.paths.count > 10, "the graph of \(module) is no longer read")
        GoldenFile(path: Project.path("docs/spec/public-surface/\(module).txt"))
            .check(surface.lines.joined(separator: "\n") + "\n")
    }

    @Test(.readsModules, arguments: modules)
    func `No function of a module takes or calls back with NSError`(module: String) throws {
        // The importer makes `(any Error)?` of it (sdk.md, section 3, item 2).
        for line in try Self.surface(of: module).lines { #expect(!line.contains(/NSError\?[),]/), "\(line)") }
    }

    @Test func `The page says of each module what it hands on, and links to its list`() throws {
        let exports = try ModulePageTests.reexports()
        let rows = try Project.text(of: Self.page).matches(
            of: #/(?m)^\| `(\w+)` \| ([^|]+) \| \[\w+\.txt\]\(public-surface/(\w+)\.txt\) \|$/#)
        #expect(rows.map { String($0.1) }.sorted() == Self.modules)
        for row in rows {
            #expect(row.1 == row.3)
            let named = Set(row.2.matches(of: #/`(\w+)`/#).map { String($0.1) })
            #expect(named == exports[String(row.1), default: []], "\(row.1) of \(Self.page)")
        }
    }

    @Test(.readsModules) func `Each name that apps use is there, except for those with a reason`() throws {
        let names = try Self.names()
        #expect(Set(names.map(\.module)).isSubset(of: Self.modules), "a heading names no module of the SDKs")
        for (module, names) in Dictionary(grouping: names, by: \.module) {
            let surface = try Self.surface(of: module)
            for name in names {
                if name.reason.isEmpty {
                    #expect(surface.has(name.text), "\(module) has no \(name.text) (\(name.place))")
                } else {
                    #expect(!surface.has(name.text), "\(module) has \(name.text): remove the reason from \(Self.page)")
                }
            }
        }
    }

    @Test func `A name is the path of a symbol, what a type inherits or conforms to, or a whole line`() throws {
        let graph = """
            {"symbols": [
              {"identifier": {"precise": "s:1"}, "pathComponents": ["Shape"], "accessLevel": "open",
               "declarationFragments": [{"spelling": "class"}, {"spelling": " "}, {"spelling": "Shape"}]},
              {"identifier": {"precise": "s:2"}, "pathComponents": ["Shape", "init(size:)"], "accessLevel": "public",
               "declarationFragments": [{"spelling": "init(size: Int)"}]},
              {"identifier": {"precise": "s:3"}, "pathComponents": ["Shapeless"], "accessLevel": "public",
               "declarationFragments": [{"spelling": "protocol Shapeless"}]}
            ], "relationships": [
              {"kind": "conformsTo", "source": "s:1", "target": "s:3"},
              {"kind": "conformsTo", "source": "s:1", "target": "s:SE", "targetFallback": "Swift.Encodable"},
              {"kind": "conformsTo", "source": "s:1", "target": "s:s8CopyableP", "targetFallback": "Swift.Copyable"},
              {"kind": "inheritsFrom", "source": "s:1", "target": "s:9", "targetFallback": "Other.Outer.Base"},
              {"kind": "memberOf", "source": "s:2", "target": "s:1"}
            ]}
            """
        let surface = PublicSurface(of: [try JSONDecoder().decode(SymbolGraph.self, from: Data(graph.utf8))])
        #expect(
            surface.lines == [
                "Shape: open class Shape", "Shape: inherits from Outer.Base", "Shape: conforms to Encodable, Shapeless",
                "Shape.init(size:): init(size: Int)", "Shapeless: protocol Shapeless",
            ])
        for name in ["Shape", "Shape.init(size:)", "Shape: Encodable", "Shape: Outer.Base", "Shape: open class Shape"] {
            #expect(surface.has(name), "\(name)")
        }
        for name in [
            "Shape.init", "Shape.init(size: Int)", "Shape: Decodable", "Shape: class Shape", "Shape: Copyable",
        ] {
            #expect(!surface.has(name), "\(name)")
        }
    }

    private struct Name {
        let module: String
        let text: String
        /// Where it is specified.
        let place: String
        /// Why it is not there; empty for one that must be.
        let reason: String
    }

    /// The tables of the page, each below a heading with the module.
    private static func names() throws -> [Name] {
        let section = try Project.text(of: page).components(separatedBy: "\n## Names that apps use\n")
        try #require(section.count == 2, "\(page) has no section with the names that apps use")
        let names = section[1].components(separatedBy: "\n## ")[0].components(separatedBy: "\n### ").dropFirst()
            .flatMap { table in
                let module = String(table.prefix { !$0.isNewline })
                return table.matches(of: #/(?m)^\| `([^`]+)` \| ([^|]+) \|(?: ([^|]+))? \|$/#).map { row in
                    Name(
                        module: module, text: String(row.1), place: String(row.2),
                        reason: row.3.map(String.init) ?? "")
                }
            }
        try #require(names.count > 90, "the tables of \(page) are no longer read")
        return names
    }
}

extension Trait where Self == ConditionTrait {
    /// A test that needs the toolchain, not only what it has built.
    fileprivate static var readsModules: Self {
        .enabled(
            if: SymbolGraph.program != nil,
            "no swift-symbolgraph-extract beside the swift of PATH; put the toolchain that built the tests into PATH")
    }
}
