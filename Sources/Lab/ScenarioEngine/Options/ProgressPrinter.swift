// SPDX-License-Identifier: Apache-2.0

package import LabSystem
import Synchronization

/// Shows the progress of a run. On a terminal, results are printed as they arrive, above a progress line; elsewhere
/// they are printed in the order of the suite, so that two runs can be compared.
///
/// Thread rule: any thread.
public final class ProgressPrinter: Sendable {
    /// The capabilities of the output.
    public let look: OutputStyle
    private let columns: @Sendable () -> Int
    private let write: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Ends the thread that shows the line anew each second.
    package let bell = try? EventDescriptor()

    private struct State {
        var begin: UInt64 = 0
        var total: Int?
        var ended = 0
        var running: [String] = []
        /// Results that wait for earlier ones, by their index in the suite.
        var waiting: [Int: String] = [:]
        var nextPlace = 0
        var isLineShown = false
        /// No line may interrupt a person's typing.
        var isHeld = false
        var ticker: ThreadHandle?
    }

    /// A printer.
    /// - Parameters:
    ///   - columns: The width of the terminal, read before each progress line.
    ///   - write: Takes pieces of text, in order.
    public init(
        look: OutputStyle, columns: @escaping @Sendable () -> Int = { 80 }, write: @escaping @Sendable (String) -> Void
    ) {
        self.look = look
        self.columns = columns
        self.write = write
    }

    /// The run begins, of so many scenarios; nil if their number is known only at the end.
    package func start(total: Int?) {
        let isShown = look.showsProgress && !look.isQuiet
        state.withLock { state in
            state.begin = MonotonicClock.nanoseconds()
            state.total = total
            state.ended = 0
            state.nextPlace = 0
            guard isShown, let bell else { return }
            // The elapsed time changes even when nothing else happens.
            state.ticker = runOnThread(name: "progress") { [weak self] in
                while (try? bell.wait(timeoutNanoseconds: 1_000_000_000)) == false { self?.refresh() }
            }
        }
    }

    /// A scenario has begun.
    package func began(_ name: String) {
        state.withLock { state in
            state.running.append(name)
            show(&state)
        }
    }

    /// A scenario has ended.
    /// - Parameters:
    ///   - place: Its index in the suite, from 0.
    ///   - text: Its complete lines; empty if nothing is to be shown.
    package func ended(_ name: String, at place: Int, _ text: String) {
        state.withLock { state in
            if let index = state.running.firstIndex(of: name) { state.running.remove(at: index) }
            state.ended += 1
            if look.showsProgress {
                clear(&state)
                write(text)
                show(&state)
            } else {
                state.waiting[place] = text
                while let text = state.waiting.removeValue(forKey: state.nextPlace) {
                    write(text)
                    state.nextPlace += 1
                }
            }
        }
    }

    /// The run is over: prints the results that waited for a scenario that never ran, and removes the progress line.
    package func finish() {
        let ticker = state.withLock { state in
            clear(&state)
            for (_, text) in state.waiting.sorted(by: { $0.key < $1.key }) { write(text) }
            state.waiting = [:]
            state.running = []
            defer { state.ticker = nil }
            return state.ticker
        }
        guard let ticker else { return }
        bell?.signal()
        ticker.join()
    }

    /// Complete lines about the whole run.
    package func print(_ text: String) { aside { write(text) } }

    /// Lets other code write to the terminal without the progress line.
    public func aside(_ write: () -> Void) {
        state.withLock { state in
            clear(&state)
            write()
            show(&state)
        }
    }

    /// Hides the progress line while a person is asked for input.
    func whileAsking<Value>(_ body: () throws -> Value) rethrows -> Value {
        state.withLock { state in
            clear(&state)
            state.isHeld = true
        }
        defer {
            state.withLock { state in
                state.isHeld = false
                show(&state)
            }
        }
        return try body()
    }

    private func refresh() { state.withLock { show(&$0) } }

    private func clear(_ state: inout State) {
        guard state.isLineShown else { return }
        write("\r\u{1B}[K")
        state.isLineShown = false
    }

    private func show(_ state: inout State) {
        guard look.showsProgress, !look.isQuiet, !state.isHeld, let name = state.running.first else { return }
        let seconds = (MonotonicClock.nanoseconds() - state.begin) / 1_000_000_000
        let line = Self.line(
            ended: state.ended, of: state.total, seconds: seconds, name: name, others: state.running.count - 1,
            columns: columns())
        write("\r\u{1B}[K\(line)")
        state.isLineShown = true
    }

    /// `12/53  8 s  A wrong password is counted +1`, in fewer columns than the terminal has: a line that reached the
    /// edge would continue in the next one, which is never cleared. Leaves room for the `^C` that a terminal shows.
    package static func line(ended: Int, of total: Int?, seconds: UInt64, name: String, others: Int, columns: Int)
        -> String
    {
        let head = "\(total.map { "\(ended)/\($0)" } ?? "\(ended)")  \(elapsed(seconds))"
        let tail = others > 0 ? " +\(others)" : ""
        let width = max(0, columns - 3)
        let room = width - head.count - 2 - tail.count
        // A name cut to a few characters is useless.
        guard room >= 8 else { return Terminal.fitting(head + tail, columns: width) }
        return "\(head)  \(Terminal.fitting(name.onOneVisibleLine, columns: room))\(tail)"
    }

    private static func elapsed(_ seconds: UInt64) -> String {
        seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}

/// The style of a run's output, decided once from its destination and the user's environment.
public struct OutputStyle: Sendable, Equatable {
    /// Whether lines can be overwritten, so that the progress line is shown.
    public var showsProgress: Bool
    /// Whether verdicts have colours.
    public var isColoured: Bool
    /// Whether only failures and the total are shown.
    public var isQuiet = false

    /// A style that is decided already.
    public init(showsProgress: Bool, isColoured: Bool, isQuiet: Bool = false) {
        self.showsProgress = showsProgress
        self.isColoured = isColoured
        self.isQuiet = isQuiet
    }

    /// Decides by the environment: `NO_COLOR` disables colours (<https://no-color.org>), `CLICOLOR_FORCE` enables them
    /// for files and pipes too (<https://bixense.com/clicolors>), and with `TERM=dumb` the terminal supports neither.
    /// - Parameter isTerminal: Whether the output goes to a terminal.
    public init(isTerminal: Bool, environment: [String: String]) {
        let isCapable = isTerminal && environment["TERM"] != "dumb"
        let isForced = environment["CLICOLOR_FORCE"].map { !$0.isEmpty && $0 != "0" } ?? false
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        showsProgress = isCapable
        isColoured = !isForbidden && (isForced || isCapable)
    }

    /// Plain lines.
    public static let plain = OutputStyle(showsProgress: false, isColoured: false)
}
