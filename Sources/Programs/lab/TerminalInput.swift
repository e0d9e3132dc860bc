// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabSystem
import ScenarioEngine
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

/// The terminal at standard input, giving each key at once and without echo.
///
/// Thread rule: any thread; one at a time switches it.
enum TerminalKeys {
    /// The settings to go back to.
    private static let saved = Mutex<termios?>(nil)

    /// Does something while each key comes at once; Ctrl-C stays a signal.
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

/// Ctrl-C in `lab run`: once to stop in order, twice to stop immediately, three times to kill the runner.
enum InterruptingSignals {
    private static let count = Atomic(0)

    /// An interruption that SIGINT, SIGTERM and SIGHUP set.
    static func interruption(telling printer: ProgressPrinter) throws -> Interruption {
        let interruption = Interruption()
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in
            switch count.add(1, ordering: .relaxed).newValue {
            case 1:
                interruption.set()
                tell("stopping: running tear-downs, writing reports; Ctrl-C again stops immediately", through: printer)
            case 2:
                interruption.force()
                tell("stopping immediately", through: printer)
            // The kernel notifies the instances, which end themselves.
            default:
                TerminalKeys.restore()
                Signals.killSelf()
            }
        }
        return interruption
    }

    /// On a thread of its own: blocked output must not delay the next signal.
    private static func tell(_ notice: String, through printer: ProgressPrinter) {
        runOnThread(name: "notice") { printer.aside { Console.error(notice) } }
    }
}

/// Ctrl-C in commands that own nothing: they end where they are.
enum ImmediateEnd {
    /// Ends this process at SIGINT, SIGTERM or SIGHUP, with the exit code of an interruption.
    static func onSignals() throws {
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in
            TerminalEcho.restore()
            // Without exit handlers: other threads are in the middle of their work.
            _exit(RunOutcome.interrupted.rawValue)
        }
    }
}
