import Foundation
import LabSystem

/// Standard output and standard error.
enum Console {
    /// Writes a line to standard output.
    static func print(_ line: String) { write(line + "\n", to: 1) }

    /// Writes a line to standard error.
    static func error(_ line: String) { write(line + "\n", to: 2) }

    /// Writes text as it is. A closed pipe ends the output, not the program.
    static func write(_ text: String, to descriptor: Int32) {
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).writeQuietly(Data(text.utf8))
    }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(1) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb" }

    /// Standard input to its end.
    static func readInput() -> String {
        String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    }
}

extension FileHandle {
    fileprivate func writeQuietly(_ data: Data) {
        try? write(contentsOf: data)
    }
}
