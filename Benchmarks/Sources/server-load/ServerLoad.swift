import Foundation

/// Drives a real lab server and its baseline over HTTP on loopback, and prints what they reach.
@main
struct ServerLoad {
    static let connectionCounts = [1, 16, 64]
    /// What the server must reach of the baseline's rate with the most connections.
    static let rateGoal = 0.5
    /// KiB that the server may hold, however many requests it has answered.
    static let memoryGoal = 64 * 1024
    /// After how many answered requests the memory is looked at.
    static let memoryRequests = [10_000, 50_000, 100_000, 200_000, 300_000]

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == BaselineServer.argument, arguments.count == 2 {
            return try await BaselineServer(directory: arguments[1]).run()
        }
        guard let program = arguments.first, arguments.count <= 3,
            let rounds = arguments.count == 1 ? 5 : Int(arguments[1]), rounds > 0
        else {
            print(
                """
                usage: server-load LAB-SERVER [ROUNDS [PART]]
                  LAB-SERVER  the program to measure
                  ROUNDS      samples for each figure (5)
                  PART        only tasks with this part in their name; the last one is called memory
                """)
            exit(2)
        }
        try measure(program: program, rounds: rounds, part: arguments.count == 3 ? arguments[2] : "")
    }

    private static func measure(program: String, rounds: Int, part: String) throws {
        func isWanted(_ name: String) -> Bool { part.isEmpty || name.contains(part) }
        printNow(
            "Requests answered in a second over kept connections, \(rounds) interleaved samples; "
                + "load of the machine \(MachineLoad.text).\n")
        let directory = try ScratchDirectory()
        let fleet = try Fleet(
            program: program, directory: directory.path + "/server", devices: connectionCounts.max() ?? 1)
        let tasks = LoadTask.allCases.filter { isWanted($0.name) }
        if !tasks.isEmpty {
            let baseline = try ServerProcess.baseline(directory: directory.path + "/baseline")
            let table = LoadTable()
            table.printHeader()
            func compare(_ comparison: LoadComparison) throws {
                table.printRow(comparison, try comparison.measure(fleet: fleet, baseline: baseline, rounds: rounds))
            }
            for task in tasks where task != .list {
                for connections in task.connectionCounts {
                    try compare(LoadComparison(task: task, connections: connections))
                }
            }
            if let task = tasks.first, task == .status {
                try compare(
                    LoadComparison(task: task, connections: connectionCounts.max() ?? 1, baseline: .constant))
            }
            if tasks.contains(.list) {
                let bytes = try fleet.createOperations(1000)
                try compare(LoadComparison(task: .list, connections: 1, baseline: .long(bytes: bytes)))
            }
        }
        if isWanted("memory") { try printMemory(fleet) }
        printNow("\nLoad of the machine at the end \(MachineLoad.text). How to read this: docs/benchmarks.md")
    }

    /// The memory of a server that has just started, was warmed up, and has answered many requests.
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
                        path: task.path, requests: try fleet.requests(of: task, connections: fleet.devices.count),
                        expected: task.expected)
                    answered += try load.run(port: fleet.server.port).latencies.count
                }
            }
            report(try fleet.server.residentKibibytes())
        }
    }
}

/// Prints a line that is there at once, also in a file: the whole run takes minutes.
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

/// A directory that goes away with the last reference.
final class ScratchDirectory {
    let path = NSTemporaryDirectory() + "server-load-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
