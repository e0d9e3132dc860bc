// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport

/// What a built module shows to those who import it.
struct PublicSurface {
    /// The paths of all public symbols, such as `WMTPartyInfo.init(from:)`. An initialiser that a class has from the class
    /// above it stands there only.
    let paths: Set<String>
    /// The names of the classes and protocols that each type has, by the path of the type; also those it has from the class
    /// above it.
    let ancestors: [String: Set<String>]
    /// `path: declaration` for every symbol, and the ancestors of each type below its declaration; sorted by the paths, so
    /// that members follow their type.
    let lines: [String]

    /// Reads the symbol graphs of a module: its own, and one for each module that it extends.
    init(of graphs: [SymbolGraph]) {
        let symbols = graphs.flatMap(\.symbols)
        let paths = Dictionary(
            symbols.map { ($0.identifier.precise, $0.path) }, uniquingKeysWith: { first, _ in first })
        var ancestors: [String: Set<String>] = [:]
        var lines = Set(symbols.map { Line(path: $0.pathComponents, order: 0, text: $0.declaration) })
        for (order, kind) in SymbolGraph.Relationship.Kind.allCases.enumerated() {
            var names: [String: Set<String>] = [:]
            for relation in graphs.flatMap(\.relationships) where relation.kind == kind.rawValue {
                let name = relation.foreignTarget ?? paths[relation.target] ?? relation.target
                guard !SymbolGraph.impliedProtocols.contains(name) else { continue }
                names[relation.source, default: []].insert(name)
            }
            for symbol in symbols {
                guard let found = names[symbol.identifier.precise] else { continue }
                ancestors[symbol.path, default: []].formUnion(found)
                let text = "\(kind.words) \(found.sorted().joined(separator: ", "))"
                lines.insert(Line(path: symbol.pathComponents, order: order + 1, text: text))
            }
        }
        self.paths = Set(paths.values)
        self.ancestors = ancestors
        self.lines = lines.sorted().map { "\($0.path.joined(separator: ".")): \($0.text)" }
    }

    /// Whether it has a name: the path of a symbol, `type: ancestor`, or a whole line of the list.
    func has(_ name: String) -> Bool {
        let parts = name.components(separatedBy: ": ")
        return paths.contains(name) || lines.contains(name)
            || parts.count == 2 && ancestors[parts[0], default: []].contains(parts[1])
    }

    private struct Line: Hashable, Comparable {
        let path: [String]
        /// The declaration is the first line, what it inherits from the second.
        let order: Int
        let text: String

        static func < (one: Line, other: Line) -> Bool {
            if one.path != other.path { return one.path.lexicographicallyPrecedes(other.path) }
            return (one.order, one.text) < (other.order, other.text)
        }
    }
}

/// The public symbols of a module, or of its extensions of another one, as the toolchain writes them in JSON.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }

        let identifier: Identifier
        /// The names of the types around it, and its own.
        let pathComponents: [String]
        let declarationFragments: [Fragment]
        let accessLevel: String

        var path: String { pathComponents.joined(separator: ".") }

        /// The declaration. The graph does not print that it can be subclassed or overridden.
        var declaration: String {
            (accessLevel == "open" ? "open " : "") + declarationFragments.map(\.spelling).joined()
        }
    }

    struct Relationship: Decodable {
        /// The kinds that the page shows.
        enum Kind: String, CaseIterable {
            case inheritsFrom, conformsTo

            var words: String { self == .inheritsFrom ? "inherits from" : "conforms to" }
        }

        let kind: String
        /// The identifiers of both symbols.
        let source: String
        let target: String
        /// The path of a target in another module, behind the module's name.
        let targetFallback: String?

        var foreignTarget: String? { targetFallback?.split(separator: ".").dropFirst().joined(separator: ".") }
    }

    let symbols: [Symbol]
    let relationships: [Relationship]

    /// The compiler adds these to types by itself.
    static let impliedProtocols: Set<String> = ["BitwiseCopyable", "Copyable", "Escapable", "SendableMetatype"]
}

extension SymbolGraph {
    /// The program that makes symbol graphs, beside the `swift` of PATH; nil for a toolchain without it.
    static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let commands = folders.map { URL(filePath: "\($0)/swift") }
        // A command that is a link lies apart from its toolchain.
        return (commands + commands.map { $0.resolvingSymlinksInPath() })
            .map { $0.deletingLastPathComponent().appending(path: "swift-symbolgraph-extract").path }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The graphs of a module, from the build that these tests belong to.
    /// - Throws: `Failure` with what the program printed.
    static func all(of module: String, with program: String) throws -> [SymbolGraph] {
        let products = URL(filePath: try ProcessTable.executablePath()).deletingLastPathComponent()
        let output = try TemporaryDirectory()
        let messages = output.file("messages")
        let arguments = [
            "-module-name", module, "-minimum-access-level", "public", "-output-dir", output.path,
            // Members that are only inherited are listed where they are declared.
            "-skip-synthesized-members", "-skip-inherited-docs",
            // Without them, the name of an extended type of another module is nowhere in the graph.
            "-emit-extension-block-symbols",
            // The package manager names the folder of products of a platform after it.
            "-target", products.deletingLastPathComponent().lastPathComponent,
            "-I", products.appending(path: "Modules").path,
            "-module-cache-path", products.appending(path: "ModuleCache").path,
        ]
        let moduleMaps = moduleMaps(products).flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
        let stream = try FileDescriptor.open(messages, flags: O_WRONLY | O_CREAT)
        let process = try ChildProcess.spawn(
            executable: program, arguments: arguments + moduleMaps, standardOutput: .file(stream),
            standardError: .file(stream), deathSignal: SIGKILL)
        let end = try process.wait()
        guard end == .exited(0) else {
            throw Failure(
                description: """
                    \(program) of \(module) \(end): \(try String(contentsOfFile: messages, encoding: .utf8))\
                    build all targets with the toolchain of that program, and run again
                    """)
        }
        return try FileManager.default.contentsOfDirectory(atPath: output.path)
            .filter { $0.hasSuffix(".symbols.json") }.sorted()
            .map { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(filePath: output.file($0)))) }
    }

    /// The symbol graphs of a module could not be made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The files that declare the modules in C, without which no module that is built on them can be read: our own
    /// libraries, our own shims, and that of the database.
    private static func moduleMaps(_ products: URL) -> [URL] {
        let own = Repository.modules.filter { $0.value.contains(/^Sources\/(System|Platform)\//) }
            .sorted { $0.key < $1.key }
            .flatMap { name, folder in
                [Project.file(folder), products.appending(path: "\(name).build")]
            }
        let database = products.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite")
        return (own + [database]).map { $0.appending(path: "module.modulemap") }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }
}
