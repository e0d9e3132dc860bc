import Foundation

/// Drives a real lab server and its baseline over HTTP on loopback, and prints what they reach.
@main
struct ServerLoad {
    static let connectionCounts = [1, 16, 64]
    /// What the server must reach of the baseline's rate with the most connections.
    static let rateGoal = 0.5
    /// What the server may hold after ``memoryRequests``.
    static let memoryGoal = 64 * 1024
    static let memoryRequests = 100_000

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == BaselineServer.argument, arguments.count == 2 {
            return try await BaselineServer(directory: arguments[1]).run()
        }
        guard let program = arguments.first, arguments.count <= 2,
            let rounds = arguments.count == 1 ? 5 : Int(arguments[1]), rounds > 0
        else {
            print("usage: server-load LAB-SERVER [ROUNDS]   the program to measure, samples for each figure (5)")
            exit(2)
        }
        try measure(program: program, rounds: rounds)
    }

    private static func measure(program: String, rounds: Int) throws {
        print(
            "Requests answered in a second over kept connections, \(rounds) interleaved samples;",
            "load of the machine \(MachineLoad.text).\n")
        let directory = try ScratchDirectory()
        let fleet = try Fleet(
            program: program, directory: directory.path + "/server", devices: connectionCounts.max() ?? 1)
        let baseline = try ServerProcess.baseline(directory: directory.path + "/baseline")
        let table = LoadTable()
        table.printHeader()
        for task in LoadTask.allCases {
            for connections in connectionCounts {
                let comparison = LoadComparison(task: task, connections: connections)
                table.printRow(comparison, try comparison.measure(fleet: fleet, baseline: baseline, rounds: rounds))
            }
        }
        let constant = LoadComparison(task: .status, connections: connectionCounts.max() ?? 1, baseline: .constant)
        table.printRow(constant, try constant.measure(fleet: fleet, baseline: baseline, rounds: rounds))
        try printMemory(fleet)
        print("\nHow to read this: docs/benchmarks.md")
    }

    /// The memory of a server that has just started, was warmed up, and has answered many requests.
    private static func printMemory(_ fleet: Fleet) throws {
        try fleet.restart()
        print(
            "\nMemory of the server with \(fleet.devices.count) connections (goal: \(memoryGoal / 1024) MiB, no growth)"
        )
        var answered = 0
        func report(_ kibibytes: Int) {
            print(
                "  after \(String(format: "%6d", answered)) requests  \(String(format: "%5.1f", Double(kibibytes) / 1024)) MiB"
            )
        }
        report(try fleet.server.residentKibibytes())
        for target in [memoryRequests / 10, memoryRequests / 2, memoryRequests] {
            while answered < target {
                for task in LoadTask.allCases {
                    let load = LoadGenerator(
                        path: task.path, bodies: try fleet.bodies(of: task, connections: fleet.devices.count),
                        expected: task.expected)
                    answered += try load.run(port: fleet.server.port).latencies.count
                }
            }
            report(try fleet.server.residentKibibytes())
        }
    }
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

/// A directory that goes away with the last reference.
final class ScratchDirectory {
    let path = NSTemporaryDirectory() + "server-load-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
