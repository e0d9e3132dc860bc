import Foundation

/// Runs other programs.
enum Program {
    /// How a program ended.
    enum Outcome: Equatable, CustomStringConvertible {
        case ended(status: Int32)
        case killed(signal: Int32)
        /// It was ended because its time was over.
        case timedOut

        var description: String {
            switch self {
            case .ended(let status): "exit status \(status)"
            case .killed(let signal): "signal \(signal)"
            case .timedOut: "its time was over"
            }
        }
    }

    /// Runs a program found by PATH, and waits for its end.
    ///
    /// - Parameters:
    ///   - environment: put over this program's own.
    ///   - output: the file that gets what it prints; nil shows it. A file, because a program that is ended may leave
    ///     children that keep a pipe open.
    ///   - limit: seconds after which it is ended; nil waits for ever.
    static func run(
        _ words: [String], in directory: URL, environment: [String: String] = [:], output: URL? = nil,
        limit: Double? = nil
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = directory
        var variables = ProcessInfo.processInfo.environment
        // Set for one run only, whoever called this program.
        variables["LAB_MUTANT"] = nil
        process.environment = variables.merging(environment) { $1 }
        if let output {
            try Data().write(to: output)
            let file = try FileHandle(forWritingTo: output)
            process.standardOutput = file
            process.standardError = file
        }
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        if let limit, ended.wait(timeout: .now() + limit) == .timedOut {
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
            return .timedOut
        } else if limit == nil {
            ended.wait()
        }
        return process.terminationReason == .exit
            ? .ended(status: process.terminationStatus) : .killed(signal: process.terminationStatus)
    }
}
