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
        script = directory.appending(path: "lenient-swiftc")
        failures = directory.appending(path: "failed-modules")
        let compiler = swift + "c"
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

    /// Makes the package manager use this compiler.
    var environment: [String: String] { ["SWIFT_EXEC": script.path] }

    /// Removes what was compiled of the modules with errors: the package manager takes it for complete.
    ///
    /// - Parameter products: the folder of a build's products.
    func forgetFailures(in products: URL) throws {
        for module in failedModules {
            let folder = products.appending(path: "\(module).build")
            if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
        }
        if FileManager.default.fileExists(atPath: failures.path) { try FileManager.default.removeItem(at: failures) }
    }

    /// The modules with errors in the last build.
    var failedModules: Set<String> {
        let text = (try? String(contentsOf: failures, encoding: .utf8)) ?? ""
        return Set(text.split(separator: "\n").map(String.init))
    }
}
