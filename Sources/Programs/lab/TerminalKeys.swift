import Glibc
import Synchronization

/// The terminal at standard input, giving each key at once and without echo.
///
/// Thread rule: any thread; one at a time switches it.
enum TerminalKeys {
    /// The settings to go back to.
    private static let saved = Mutex<termios?>(nil)

    /// Does something while each key comes at once; Ctrl-C stays a signal.
    ///
    /// - Parameter body: Gets the descriptor; nil when standard input is not a terminal.
    static func whileRead<Value>(_ body: (Int32?) throws -> Value) throws -> Value {
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { return try body(nil) }
        saved.withLock { [settings] in $0 = settings }
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(0, TCSANOW, &settings)
        defer { restore() }
        return try body(0)
    }

    /// Goes back to lines and echo; also for a command that ends in the middle.
    static func restore() {
        saved.withLock { saved in
            guard var settings = saved else { return }
            tcsetattr(0, TCSANOW, &settings)
            saved = nil
        }
    }
}
