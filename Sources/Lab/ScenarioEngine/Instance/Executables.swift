// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabSystem

/// Finds the lab's programs: in `$LAB_BIN`, beside the running program, or beside a test bundle.
///
/// A directory with links to them, such as the `bin` of an installation, is resolved to the programs' own directory.
public struct Executables: Sendable {
    /// The programs of an instance.
    package static let names = ["lab-server", "device-agent", "main-app", "app-extension", "watch-companion"]

    /// The directory that holds all of them.
    public let directory: String

    /// The programs of a known directory.
    public init(directory: String) { self.directory = directory }

    /// Finds the directory.
    /// - Parameter environment: Variables; `LAB_BIN` wins.
    /// - Throws: ``LabFailure`` when no directory with a `lab-server` is found.
    public static func find(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Executables {
        if let named = environment["LAB_BIN"], !named.isEmpty {
            guard let found = first(of: [Files.absolute(named)]) else {
                throw LabFailure(
                    "LAB_BIN names \(named), but there is no `lab-server`. Build the package, or correct LAB_BIN.")
            }
            return found
        }
        var candidates: [String] = []
        if let own = try? ProcessTable.executablePath() { candidates.append(Files.directory(of: own)) }
        // A test runner is not beside the test bundle that it loads; the path of the bundle is among its arguments.
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            candidates.append(Files.directory(of: argument))
        }
        if let found = first(of: candidates) { return found }
        throw LabFailure(
            "The lab's programs were not found in \(candidates.joined(separator: ", ")). Build them, or set LAB_BIN to the directory that holds `lab-server`."
        )
    }

    /// The first directory with all programs, or else with the server at least, so that the missing ones can be named.
    private static func first(of directories: [String]) -> Executables? {
        let found = directories.flatMap { directory in
            let server = "\(directory)/lab-server"
            return [directory, Files.directory(of: URL(filePath: server).resolvingSymlinksInPath().path)]
        }.filter { Files.exists("\($0)/lab-server") }.map(Executables.init)
        return found.first(where: \.missing.isEmpty) ?? found.first
    }

    /// The programs that are missing or not executable.
    package var missing: [String] { Self.names.filter { access(path($0), X_OK) != 0 } }

    /// The path of a program.
    public func path(_ name: String) -> String { "\(directory)/\(name)" }
}
