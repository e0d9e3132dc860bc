// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// Standard output and standard error.
enum Console {
    /// Writes a line to standard output. Nothing in it commands a terminal; a program gets it as it is.
    static func print(_ line: String) { write((isatty(1) == 1 ? line.withVisibleControls : line) + "\n", to: 1) }

    /// Writes a line to standard error. Nothing in it commands the terminal.
    static func error(_ line: String) { write(line.withVisibleControls + "\n", to: 2) }

    /// Writes text as it is. A closed pipe ends the output, not the program.
    static func write(_ text: String, to descriptor: Int32) {
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).writeQuietly(Data(text.utf8))
    }

    /// How one of the standard outputs looks.
    static func look(of descriptor: Int32) -> OutputStyle {
        OutputStyle(isTerminal: isatty(descriptor) == 1, environment: ProcessInfo.processInfo.environment)
    }

    /// A printer of a run's progress to standard output or standard error, as that is able to show it.
    static func progress(isQuiet: Bool = false, to descriptor: Int32 = 1) -> ProgressPrinter {
        var look = look(of: descriptor)
        look.isQuiet = isQuiet
        return ProgressPrinter(look: look, columns: { Terminal.columns(of: descriptor) ?? 80 }) {
            write($0, to: descriptor)
        }
    }

    /// A value from standard input: a line typed without echo on a terminal, otherwise everything to the end.
    /// - Parameter name: What the terminal asks for.
    static func readInput(_ name: String) throws -> String {
        guard isatty(0) == 1 else { return try readAll("`\(name)`") }
        // Asked for without echo already: what is typed at once is not shown either.
        let line = try TerminalEcho.off {
            write("\(name): ", to: 2)
            return readLine()
        }
        guard let line else { throw BadUsage(sentence: "nothing was typed for `\(name)`") }
        return line
    }

    /// Everything from standard input to its end, which is Ctrl-D on a terminal.
    /// - Parameter what: What a terminal asks for.
    static func readText(_ what: String) throws -> String {
        if isatty(0) == 1 { write("\(what), then Ctrl-D:\n", to: 2) }
        return try readAll(what)
    }

    private static func readAll(_ what: String) throws -> String {
        guard let text = String(validating: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) else {
            throw BadUsage(sentence: "standard input, which \(what) is read from, is not UTF-8")
        }
        return text
    }
}

extension FileHandle {
    fileprivate func writeQuietly(_ data: Data) { try? write(contentsOf: data) }
}
