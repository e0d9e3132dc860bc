// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Makes mistakes in a copy of the lab's code and reports those that no test detects.
@main
enum Mutants {
    private static let usage = """
        usage: mutants [MODULE | MUTANT]                   known mistakes, described in Tools/Mutants/*.yaml
               mutants random COUNT SEED[,SEED…] [MODULE]  mistakes drawn from all modules
               mutants quick COUNT SEED[,SEED…] [MODULE]   drawn from one module, nearest tests only, in this checkout
        Run it in the root of the package.
        """

    static func main() {
        do {
            exit(try run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("mutants: \(error)\n".utf8))
            exit(2)
        }
    }

    /// - Returns: whether the tests detect what they must.
    private static func run(_ arguments: [String]) throws -> Bool {
        guard arguments.first?.hasPrefix("-") != true else { throw Failure(usage) }
        if let first = arguments.first, ["random", "quick"].contains(first) {
            guard let request = RandomRequest(arguments.dropFirst(), isQuick: first == "quick") else {
                throw Failure(usage)
            }
            try RandomMutants(request, workspace: Workspace(isCheckout: request.isQuick)).run()
            return true
        }
        guard arguments.count <= 1 else { throw Failure(usage) }
        return try KnownMutants(arguments.first, workspace: Workspace()).run()
    }
}

/// How many mistakes to draw, and from what.
struct RandomRequest {
    /// Mistakes of each seed.
    let count: Int
    let seeds: [UInt64]
    /// The only module to draw from; nil for all.
    let module: String?
    /// Whether only the nearest tests are run, without a copy.
    let isQuick: Bool

    /// Reads the words of a command; nil if they are invalid.
    init?(_ words: ArraySlice<String>, isQuick: Bool) {
        let words = Array(words)
        guard (2...3).contains(words.count), let count = Int(words[0]), count > 0 else { return nil }
        let seeds = words[1].split(separator: ",", omittingEmptySubsequences: false).map { UInt64($0) }
        guard !seeds.contains(nil), Set(seeds).count == seeds.count else { return nil }
        self.count = count
        self.isQuick = isQuick
        self.seeds = seeds.compactMap(\.self)
        module = words.count > 2 ? words[2] : nil
    }
}
