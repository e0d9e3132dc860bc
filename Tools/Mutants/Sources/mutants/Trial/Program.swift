// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs other programs.
enum Program {
    /// How a program ended.
    enum Outcome: Equatable, CustomStringConvertible {
        case ended(status: Int32)
        case killed(signal: Int32)
        /// It was ended at its time limit.
        case timedOut
        /// It was ended because it had printed the awaited text.
        case endedAtText

        var description: String {
            switch self {
            case .ended(let status): "exit status \(status)"
            case .killed(let signal): "signal \(signal)"
            case .timedOut: "its time was over"
            case .endedAtText: "what it printed"
            }
        }
    }

    /// Runs a program found by PATH, and waits for its end.
    ///
    /// - Parameters:
    ///   - environment: put over this program's own.
    ///   - output: the file that gets what it prints; nil shows it. A file, because a program that is ended may leave
    ///     children that keep a pipe open.
    ///   - errors: the file that gets its standard error; nil puts it where the output goes.
    ///   - limit: seconds after which it is ended; nil waits forever.
    ///   - endsAt: a text at which it is ended as soon as it has printed it; it needs an `output`.
    static func run(
        _ words: [String], in directory: URL, environment: [String: String] = [:], output: URL? = nil,
        errors: URL? = nil, limit: Double? = nil, endsAt text: String? = nil
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = directory
        var variables = ProcessInfo.processInfo.environment
        // Set for one run only, for any caller of this program.
        variables["LAB_MUTANT"] = nil
        // The reporter of crashes keeps a process that is ended meanwhile from ever ending.
        variables["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = variables.merging(environment) { $1 }
        if let output {
            process.standardOutput = try emptyFile(output)
            process.standardError = process.standardOutput
        }
        if let errors { process.standardError = try emptyFile(errors) }
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        let deadline = limit.map { DispatchTime.now() + $0 } ?? .distantFuture
        var printed = text.flatMap { text in output.map { PrintedText(text, in: $0) } }
        while ended.wait(timeout: printed == nil ? deadline : min(deadline, .now() + 0.1)) == .timedOut {
            let isOver = DispatchTime.now() >= deadline
            guard isOver || printed?.hasAppeared() == true else { continue }
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
            return isOver ? .timedOut : .endedAtText
        }
        return process.terminationReason == .exit
            ? .ended(status: process.terminationStatus) : .killed(signal: process.terminationStatus)
    }

    private static func emptyFile(_ file: URL) throws -> FileHandle {
        try Data().write(to: file)
        return try FileHandle(forWritingTo: file)
    }
}

/// Looks for a text in a file that grows.
private struct PrintedText {
    private let text: Data
    private let file: FileHandle?
    /// The end of what was read, as long as the text could have begun in it.
    private var tail = Data()

    init(_ text: String, in file: URL) {
        self.text = Data(text.utf8)
        self.file = try? FileHandle(forReadingFrom: file)
    }

    mutating func hasAppeared() -> Bool {
        guard let new = try? file?.readToEnd() else { return false }
        tail += new
        defer { tail = Data(tail.suffix(text.count - 1)) }
        return tail.range(of: text) != nil
    }
}
