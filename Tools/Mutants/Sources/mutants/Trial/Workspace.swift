// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The place where mistakes are made, built and tried.
struct Workspace {
    /// The lab's package.
    let root: URL
    /// The output folder of a run.
    let directory: URL
    let sources: any MutantSources
    let tests: TestProgram

    /// The workspace of the package in the current directory.
    ///
    /// - Parameter isCheckout: whether the mistakes are made in the checkout and not in a copy of it.
    init(isCheckout: Bool = false) throws {
        let environment = ProcessInfo.processInfo.environment
        root = URL(filePath: FileManager.default.currentDirectoryPath)
        directory = root.appending(path: ".build-mutants")
        let logs = directory.appending(path: "logs")
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        sources =
            isCheckout
            ? try Checkout(root: root, workspace: directory) : SourceCopy(root: root, workspace: directory)
        let swift = environment["SWIFT"] ?? "swift"
        tests = TestProgram(
            directory: sources.directory,
            scratch: isCheckout ? root.appending(path: ".build") : directory.appending(path: "build"), logs: logs,
            swift: swift, compiler: isCheckout ? nil : try LenientCompiler(directory: directory, swift: swift),
            timeFactor: max(1, environment["LAB_TIME_FACTOR"].flatMap(Double.init) ?? 1))
    }
}
