import Glibc
import LabSystem
import Synchronization

/// The echo of the terminal at standard input, switched off while a secret is typed.
///
/// Thread rule: any thread; one at a time switches it off.
enum TerminalEcho {
    /// The settings to go back to while the echo is off.
    private static let saved = Mutex<termios?>(nil)

    /// Switches the echo off during some work.
    static func off<Value>(during body: () throws -> Value) throws -> Value {
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { return try body() }
        saved.withLock { [settings] in $0 = settings }
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &settings)
        defer { restore() }
        return try body()
    }

    /// Switches the echo on again if it was switched off here; also for a command that ends in the middle.
    static func restore() {
        saved.withLock { saved in
            guard var settings = saved else { return }
            tcsetattr(0, TCSAFLUSH, &settings)
            saved = nil
            // The line's own end was not echoed.
            Console.write("\n", to: 2)
        }
    }
}
