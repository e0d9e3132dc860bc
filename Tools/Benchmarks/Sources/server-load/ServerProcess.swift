// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A server in its own process, ended with the last reference.
final class ServerProcess {
    private let process = Process()
    let address: ServerAddress
    /// The server's output when it started to listen.
    let announcement: String

    /// Starts a program and waits until it has printed its address.
    /// - Parameter last: how the last line of the announcement begins.
    init(program: String, arguments: [String], last: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        // The request log is written as usual, but discarded.
        process.standardError = FileHandle.nullDevice
        try process.run()
        Interruption.willEnd(process.processIdentifier)
        var text = ""
        while !text.split(separator: "\n").contains(where: { $0.hasPrefix(last) }) || !text.hasSuffix("\n") {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw LoadFailure("\(program) ended before it listened") }
            text += String(decoding: piece, as: UTF8.self)
        }
        announcement = text
        address = try ServerAddress(Self.value("listening on", in: text))
    }

    deinit { stop() }

    /// Ends the process and waits for it.
    func stop() {
        process.terminate()
        process.waitUntilExit()
        Interruption.hasEnded(process.processIdentifier)
    }

    /// The baseline: this program again.
    static func baseline(directory: String) throws -> ServerProcess {
        let program = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return try ServerProcess(
            program: program, arguments: [BaselineServer.argument, directory], last: "listening on")
    }

    /// A value of the announcement.
    func value(_ name: String) throws -> String { try Self.value(name, in: announcement) }

    private static func value(_ name: String, in text: String) throws -> String {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else {
            throw LoadFailure("the server does not announce its \(name)")
        }
        return line.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
    }

    /// The current memory of the process, in KiB.
    func residentKibibytes() throws -> Int {
        let ps = Process()
        let output = Pipe()
        ps.executableURL = URL(fileURLWithPath: "/bin/ps")
        ps.arguments = ["-o", "rss=", "-p", "\(process.processIdentifier)"]
        ps.standardOutput = output
        try ps.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        ps.waitUntilExit()
        guard let size = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw LoadFailure("the server has ended")
        }
        return size
    }
}

/// Why a measurement cannot continue.
struct LoadFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
