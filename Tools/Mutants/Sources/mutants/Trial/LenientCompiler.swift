// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A `swiftc` that reports success even for a module whose code is wrong.
///
/// The package manager ends a build at the first module with an error. Mistakes stand in function bodies, so the
/// interface of a module with an error is right, and what depends on it can be compiled: one build then finds the errors
/// of all modules.
struct LenientCompiler {
    /// The script that is the compiler.
    private let script: URL
    /// A line for each module with errors since the last successful build.
    private let failures: URL

    /// Writes the script.
    ///
    /// - Parameters:
    ///   - directory: where it is written.
    ///   - swift: the `swift` whose neighbour `swiftc` compiles.
    init(directory: URL, swift: String) throws {
        // The package manager looks for the toolchain's libraries beside the compiler's folder.
        let toolchain = directory.appending(path: "toolchain")
        let programs = toolchain.appending(path: "bin")
        script = programs.appending(path: "swiftc")
        failures = directory.appending(path: "failed-modules")
        let compiler = swift + "c"
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        let libraries = toolchain.appending(path: "lib")
        if !FileManager.default.fileExists(atPath: libraries.path) {
            let goal = try Self.libraries(of: compiler, output: directory.appending(path: "target.json"))
            try FileManager.default.createSymbolicLink(atPath: libraries.path, withDestinationPath: goal)
        }
        let text = """
            #!/bin/bash
            case " $* " in *' -module-name '*) ;; *) exec '\(compiler)' "$@" ;; esac
            '\(compiler)' -continue-building-after-errors "$@" && exit
            while [ "$1" != -module-name ]; do shift; done
            echo "$2" >> '\(failures.path)'
            """
        if (try? String(contentsOf: script, encoding: .utf8)) != text {
            try Data(text.utf8).write(to: script)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        }
    }

    /// The folder of a compiler's libraries.
    private static func libraries(of compiler: String, output: URL) throws -> String {
        struct Target: Decodable {
            struct Paths: Decodable { let runtimeResourcePath: String }
            let paths: Paths
        }
        let command = [compiler, "-print-target-info"]
        let outcome = try Program.run(
            command, in: output.deletingLastPathComponent(), output: output,
            errors: output.appendingPathExtension("errors"))
        guard outcome == .ended(status: 0) else {
            throw Failure("`\(command.joined(separator: " "))` ended with \(outcome).")
        }
        let target = try JSONDecoder().decode(Target.self, from: Data(contentsOf: output))
        return URL(filePath: target.paths.runtimeResourcePath).deletingLastPathComponent().path
    }

    /// Makes the package manager use this compiler.
    var environment: [String: String] { ["SWIFT_EXEC": script.path] }

    /// Removes the objects of the modules with errors, which the package manager takes for complete.
    ///
    /// - Parameter products: the folder of a build's products.
    func forgetFailures(in products: URL) throws {
        let files = FileManager.default
        for module in failedModules {
            let folder = products.appending(path: "\(module).build")
            for name in (try? files.contentsOfDirectory(atPath: folder.path)) ?? [] where name.hasSuffix(".o") {
                try files.removeItem(at: folder.appending(path: name))
            }
        }
        if files.fileExists(atPath: failures.path) { try files.removeItem(at: failures) }
    }

    /// The modules with errors in the last build.
    var failedModules: Set<String> {
        let text = (try? String(contentsOf: failures, encoding: .utf8)) ?? ""
        return Set(text.split(separator: "\n").map(String.init))
    }
}
