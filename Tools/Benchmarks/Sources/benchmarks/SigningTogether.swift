// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import PowerAuthProtocol
import SharingSubject

/// Four processes that sign with one activation at the same time, compared with one that signs alone.
///
/// Real time, because it measures mutual waiting. The processes are always the same: when one signs alone, the others
/// are idle.
struct SigningTogether {
    /// How a signature is made.
    enum Kind: String, CaseIterable {
        /// With the password, as users sign: its derivation takes most of the time.
        case password
        /// With possession alone: nearly nothing but the shared session.
        case possession
    }

    static let name = "4 processes signing on one activation"
    private static let processes = 4
    private static let goal = 0.85
    private static let seconds = 1.0

    /// Prints a line for each kind of signature.
    static func run(rounds: Int) throws {
        let activation = try SharedActivation()
        let signers = try (1...processes).map {
            try Signer(
                name: "app\($0)", instance: activation.app.instance, configuration: activation.client.configuration)
        }
        var counter = activation.client.counter
        print("\n\(name), signatures/s in real time, \(rounds) pairs of \(seconds) s:")
        for kind in Kind.allCases {
            var together: [Double] = []
            var alone: [Double] = []
            var signed = 0
            for round in 0..<rounds {
                let one = try measure([signers[round % processes]], kind)
                let all = try measure(signers, kind)
                signed += one + all
                alone.append(Double(one) / seconds)
                together.append(Double(all) / seconds)
            }
            // Each signature moves the counter once: a value used twice or skipped would show.
            for _ in 0..<signed { counter = counter.next() }
            let isExact = activation.app.read({
                $0.serializedState().range(of: counter.rawData) != nil
            })
            let ratios = zip(together, alone).map { $0 / $1 }.sorted()
            let ratio = ratios[ratios.count / 2]
            print(
                "  \(kind.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0))",
                "together \(Int(together.reduce(0, +) / Double(rounds)))",
                "alone \(Int(alone.reduce(0, +) / Double(rounds)))",
                String(format: "ratio %.2f (goal %.2f%@)", ratio, goal, ratio < goal ? " !" : ""),
                isExact ? "each of \(signed) counter values used once" : "COUNTER VALUES LOST OR REPEATED")
            guard isExact else { throw ClientFailure() }
        }
    }

    /// Lets the processes sign at the same time, and returns the sum of their signatures.
    private static func measure(_ signers: [Signer], _ kind: Kind) throws -> Int {
        let end = Date().timeIntervalSince1970 + seconds
        for signer in signers { try signer.begin(kind, until: end) }
        return try signers.reduce(0) { try $0 + $1.result() }
    }
}

/// One of the processes: this program again.
private final class Signer {
    private let process = Process()
    private let orders = Pipe()
    private let answers = Pipe()

    init(name: String, instance: String, configuration: String) throws {
        process.executableURL = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        process.arguments = [SigningProcess.argument, name, instance, configuration]
        process.standardInput = orders
        process.standardOutput = answers
        try process.run()
        _ = try line()
    }

    deinit {
        // The process ends at the end of its input.
        try? orders.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func begin(_ kind: SigningTogether.Kind, until end: TimeInterval) throws {
        try orders.fileHandleForWriting.write(contentsOf: Data("\(kind.rawValue) \(end)\n".utf8))
    }

    func result() throws -> Int {
        guard let count = Int(try line()) else { throw ClientFailure() }
        return count
    }

    private func line() throws -> String {
        var text = ""
        while !text.hasSuffix("\n") {
            let piece = answers.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw ClientFailure() }
            text += String(decoding: piece, as: UTF8.self)
        }
        return String(text.dropLast())
    }
}

/// The loop of a signing process: it reads orders, each a kind and an end time, and answers with the number of its
/// signatures.
enum SigningProcess {
    static let argument = "--sign"

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3 else { throw ClientFailure() }
        let app = try SharingApp(named: arguments[0], instance: arguments[1], configuration: arguments[2])
        let request = PowerAuthCoreHTTPRequestData(
            method: "POST", uri: "/pa/signature/validate", body: Data(count: 100))
        tell("ready")
        while let order = readLine()?.split(separator: " ") {
            guard order.count == 2, let kind = SigningTogether.Kind(rawValue: String(order[0])),
                let end = TimeInterval(order[1])
            else { throw ClientFailure() }
            let factor: PowerAuthCoreSignatureFactor = kind == .password ? .possession_Knowledge : .possession
            var count = 0
            while Date().timeIntervalSince1970 < end {
                let isSigned = app.write({
                    $0.signHttpRequestData(request, keys: Client.keys, factor: factor) != nil
                })
                guard isSigned else { throw ClientFailure() }
                count += 1
            }
            tell(String(count))
        }
    }

    private static func tell(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
