// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Loads a real lab server and its baseline over HTTP on loopback, and prints the results.
@main
struct ServerLoad {
    static let connectionCounts = [1, 16, 64]
    /// The required share of the baseline's rate with the most connections.
    static let rateGoal = 0.6
    /// The server's memory limit in KiB, for any number of answered requests.
    static let memoryGoal = 64 * 1024
    /// The numbers of answered requests after which the memory is measured.
    static let memoryRequests = [10_000, 50_000, 100_000, 200_000, 300_000]

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == BaselineServer.argument, arguments.count == 2 {
            return try await BaselineServer(directory: arguments[1]).run()
        }
        guard let options = LoadOptions(arguments) else {
            print(LoadOptions.usage)
            exit(2)
        }
        try Interruption.watch()
        do {
            try measure(options)
        } catch let failure as LoadFailure {
            FileHandle.standardError.write(Data("server-load: \(failure)\n".utf8))
            exit(1)
        }
    }

    private static func measure(_ options: LoadOptions) throws {
        let directory = try ScratchDirectory()
        Interruption.willRemove(directory.path)
        printNow(
            "Requests answered in a second over kept connections, \(options.rounds) interleaved samples; "
                + "load of the machine \(MachineLoad.text).\n")
        let fleet = try Fleet(
            program: options.program, directory: directory.path + "/server", devices: connectionCounts.max() ?? 1)
        let tasks = LoadTask.allCases.filter { options.wants($0.name) && (options.other == nil || $0 != .list) }
        if !tasks.isEmpty {
            if let other = options.other {
                try compare(tasks, fleet, other, options)
            } else {
                try compareWithBaseline(tasks, fleet, directory, options)
            }
        }
        if options.wants("memory"), options.other == nil { try printMemory(fleet) }
        printNow("\nLoad of the machine at the end \(MachineLoad.text). How to read this: docs/benchmarks.md")
    }

    private static func compare(
        _ tasks: [LoadTask], _ fleet: Fleet, _ address: ServerAddress, _ options: LoadOptions
    ) throws {
        let other = try OtherServer(address, devices: fleet.devices.count)
        let table = LoadTable()
        table.printHeader("other")
        for task in tasks {
            for connections in task.connectionCounts {
                let comparison = LoadComparison(task: task, connections: connections, other: .powerAuth(other))
                table.printRow(comparison, try comparison.measure(fleet, rounds: options.rounds))
            }
        }
    }

    private static func compareWithBaseline(
        _ tasks: [LoadTask], _ fleet: Fleet, _ directory: ScratchDirectory, _ options: LoadOptions
    ) throws {
        let baseline = try ServerProcess.baseline(directory: directory.path + "/baseline")
        let table = LoadTable()
        table.printHeader("baseline")
        func compare(_ task: LoadTask, _ connections: Int, _ work: BaselineServer.Work) throws {
            let comparison = LoadComparison(task: task, connections: connections, other: .baseline(baseline, work))
            table.printRow(comparison, try comparison.measure(fleet, rounds: options.rounds))
        }
        for task in tasks where task != .list {
            for connections in task.connectionCounts { try compare(task, connections, .update) }
        }
        if tasks.contains(.status) { try compare(.status, connectionCounts.max() ?? 1, .constant) }
        if tasks.contains(.list) {
            try compare(.list, 1, .long(bytes: fleet.createOperations(1000)))
        }
    }

    /// The memory of a server after its start, after warming up, and after many requests.
    private static func printMemory(_ fleet: Fleet) throws {
        try fleet.restart()
        printNow(
            "\nMemory of the server with \(fleet.devices.count) connections "
                + "(goal: \(memoryGoal / 1024) MiB, no growth)")
        var answered = 0
        func report(_ kibibytes: Int) {
            let mebibytes = String(format: "%5.1f", Double(kibibytes) / 1024)
            printNow("  after \(String(format: "%6d", answered)) requests  \(mebibytes) MiB")
        }
        report(try fleet.server.residentKibibytes())
        for target in memoryRequests {
            while answered < target {
                for task in LoadTask.allCases where task != .list {
                    let load = LoadGenerator(
                        fleet.server.address, path: task.path,
                        requests: try fleet.devices.requests(of: task, connections: fleet.devices.count),
                        expected: task.expected)
                    answered += try load.run().latencies.count
                }
            }
            report(try fleet.server.residentKibibytes())
        }
    }
}

/// Prints a line without buffering, even to a file: the whole run takes minutes.
func printNow(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// How busy the machine is with other work.
enum MachineLoad {
    static var text: String {
        var load = [Double](repeating: 0, count: 3)
        getloadavg(&load, 3)
        return load.map { String(format: "%.1f", $0) }.joined(separator: ", ")
            + " on \(ProcessInfo.processInfo.activeProcessorCount) processors"
    }
}

/// A directory that is removed with the last reference.
final class ScratchDirectory {
    let path = NSTemporaryDirectory() + "server-load-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
