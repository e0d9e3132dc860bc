import Foundation
import LabRunner
import LabSystem

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

    /// How standard output looks.
    static var look: OutputLook {
        OutputLook(isTerminal: isatty(1) == 1, environment: ProcessInfo.processInfo.environment)
    }

    /// A printer of a run's progress to standard output, as that is able to show it.
    static func progress(isQuiet: Bool = false) -> ProgressPrinter {
        var look = look
        look.isQuiet = isQuiet
        return ProgressPrinter(look: look, columns: { Terminal.columns(of: 1) ?? 80 }) { write($0, to: 1) }
    }

    /// A value from standard input: a line typed without echo on a terminal, otherwise everything to the end.
    ///
    /// - Parameter name: What the terminal asks for.
    static func readInput(_ name: String) throws -> String {
        guard isatty(0) == 1 else {
            guard let text = String(validating: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) else {
                throw BadUsage(sentence: "standard input, which `\(name)` is read from, is not UTF-8")
            }
            return text
        }
        write("\(name): ", to: 2)
        let line = try TerminalEcho.off { readLine() }
        guard let line else { throw BadUsage(sentence: "nothing was typed for `\(name)`") }
        return line
    }
}

extension FileHandle {
    fileprivate func writeQuietly(_ data: Data) {
        try? write(contentsOf: data)
    }
}
