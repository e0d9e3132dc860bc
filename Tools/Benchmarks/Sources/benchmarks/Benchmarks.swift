// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs every comparison and prints one line for each.
@main
struct Benchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == SigningProcess.argument { return try SigningProcess.run(Array(arguments.dropFirst())) }
        guard let rounds = arguments.isEmpty ? 31 : arguments.first.flatMap({ Int($0) }), rounds > 0 else {
            print("usage: benchmarks [ROUNDS [NAME]]   pairs of samples for each line (31), only lines with NAME")
            exit(2)
        }
        let name = arguments.dropFirst().first ?? ""
        var load = [Double](repeating: 0, count: 3)
        getloadavg(&load, 3)
        print(
            "Processor time of one thread, median of \(rounds) interleaved samples;",
            "load of the machine \(load.map { String(format: "%.1f", $0) }.joined(separator: ", "))",
            "on \(ProcessInfo.processInfo.activeProcessorCount) processors.\n")
        let table = ResultTable()
        table.printHeader()
        for comparison in try signatureComparisons() + eciesComparisons() + keyExchangeComparisons()
            + version4Comparisons() + sharingComparisons()
        where name.isEmpty || comparison.name.contains(name) {
            table.printRow(comparison, try comparison.measure(rounds: rounds))
        }
        if name.isEmpty || SigningTogether.name.contains(name) { try SigningTogether.run(rounds: min(rounds, 9)) }
        print("\nHow to read this: docs/benchmarks.md")
    }
}

/// Turns the line number a baseline failed at into an error.
func checked(_ failedLine: Int32) throws {
    if failedLine != 0 { throw BaselineFailure(line: failedLine) }
}

struct BaselineFailure: Error, CustomStringConvertible {
    let line: Int32
    var description: String { "EVPBaseline.c: OpenSSL refused the operation in line \(line)" }
}
