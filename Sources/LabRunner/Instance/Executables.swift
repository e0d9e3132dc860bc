public import Foundation
internal import LabSystem

/// Finds the lab's programs: in `$LAB_BIN`, beside the running program, or beside a test bundle.
public struct Executables: Sendable {
    /// The directory that holds all of them.
    public let directory: String

    /// Uses a known directory.
    public init(directory: String) {
        self.directory = directory
    }

    /// Finds the directory.
    ///
    /// - Parameter environment: Variables; `LAB_BIN` wins.
    /// - Throws: ``LabFailure`` when no directory with a `lab-server` is found.
    public static func find(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> Executables {
        if let named = environment["LAB_BIN"], !named.isEmpty {
            guard Files.exists("\(named)/lab-server") else {
                throw LabFailure(
                    "LAB_BIN names \(named), but there is no `lab-server`. Build the package, or correct LAB_BIN.")
            }
            return Executables(directory: named)
        }
        var candidates: [String] = []
        if let own = try? ProcessTable.executablePath() {
            candidates.append(Files.directory(of: own))
        }
        // A test runner is not beside the test bundle it loads; the bundle is among its arguments.
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            candidates.append(Files.directory(of: argument))
        }
        for candidate in candidates where Files.exists("\(candidate)/lab-server") {
            return Executables(directory: candidate)
        }
        throw LabFailure(
            "The lab's programs were not found in \(candidates.joined(separator: ", ")). Build them, or set LAB_BIN to the directory that holds `lab-server`."
        )
    }

    /// The path of a program.
    public func path(_ name: String) -> String { "\(directory)/\(name)" }
}
