// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Type-checks blocks against the built modules, as an application in the Swift 5 mode sees them.
struct Compiler {
    /// The package's `.build`, after a debug build.
    let build: URL
    /// `Sources/System` of the package, with the module maps of the C libraries.
    let sources: URL
    /// The folder `Surroundings`.
    let surroundings: URL

    /// Checks all blocks of one manual in one run of the compiler; each is a file of its own, so an error in one does
    /// not hide another's.
    ///
    /// - Returns: the errors by block number.
    func check(_ blocks: [(block: Block, source: String)], of manual: Manual) throws -> [Int: [String]] {
        let directory = FileManager.default.temporaryDirectory.appending(path: "check-manuals-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var files = manual.surroundings.map { surroundings.appending(path: $0).path }
        for (block, source) in blocks {
            let file = directory.appending(path: "Block\(block.number).swift")
            try Data(source.utf8).write(to: file)
            files.append(file.path)
        }
        let (status, output) = try run(arguments + files)
        let errors = errors(in: output, manual: manual, blocks: blocks.map(\.block))
        if status != 0 && errors.isEmpty { throw ManualError.compilerFailed(status: status, output: output) }
        return errors
    }

    private var arguments: [String] {
        let modules = build.appending(path: "debug/Modules")
        // The SDKs' modules name those of C libraries, whose module maps are with their headers.
        let systemLibraries =
            ["COpenSSL", "CZeroMQ"].map { sources.appending(path: $0) }
            + [build.appending(path: "checkouts/GRDB.swift/Sources/GRDBSQLite")]
        let moduleMaps =
            ["CCurl", "CLabSystem", "CSimulatedDevice"].map {
                build.appending(path: "debug/\($0).build/module.modulemap")
            }
            + [build.appending(path: "checkouts/Yams/Sources/CYaml/include/module.modulemap")]
        // The flags that samples ask for, so that nothing is skipped.
        let flags = ["-D", "DEBUG", "-D", "YOUR_APPSTORE_BUILD_FLAG"]
        return ["swiftc", "-typecheck", "-parse-as-library", "-whole-module-optimization", "-swift-version", "5"]
            + ["-module-name", "Samples", "-suppress-warnings", "-diagnostic-style", "llvm"]
            + flags
            + ([modules] + systemLibraries).flatMap { ["-I", $0.path] }
            + moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// Errors are reported at the manual's own lines, which identify the block.
    private func errors(in output: String, manual: Manual, blocks: [Block]) -> [Int: [String]] {
        var errors: [Int: [String]] = [:]
        for line in output.split(separator: "\n") {
            guard let match = line.firstMatch(of: /([^\/\s:]+):(\d+):\d+: error: (.*)/), match.1 == manual.fileName,
                let number = Int(match.2), let block = blocks.first(where: { $0.range.contains(number) })
            else { continue }
            errors[block.number, default: []].append("line \(number): \(match.3)")
        }
        return errors
    }
}
