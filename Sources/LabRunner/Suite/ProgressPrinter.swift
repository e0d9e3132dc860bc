internal import Foundation
internal import LabSystem
internal import Synchronization

/// Shows how a run goes on: a changing line on a terminal, complete lines otherwise.
///
/// Thread rule: any thread.
public final class ProgressPrinter: Sendable {
    /// Whether the output is a terminal.
    public let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private let running = Mutex<[String]>([])

    /// A printer.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether lines can be overwritten and coloured.
    ///   - write: Takes pieces of text, in order.
    public init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    /// A scenario has begun.
    func began(_ name: String) {
        running.withLock { running in
            running.append(name)
            show(running)
        }
    }

    /// A scenario has ended.
    ///
    /// - Parameter text: Its complete lines.
    func ended(_ name: String, _ text: String) {
        running.withLock { running in
            if let index = running.firstIndex(of: name) { running.remove(at: index) }
            if isTerminal { write("\r\u{1B}[K") }
            write(text)
            show(running)
        }
    }

    /// Complete lines of the run as a whole.
    func print(_ text: String) { write(text) }

    private func show(_ running: [String]) {
        guard isTerminal, let first = running.first else { return }
        let more = running.count > 1 ? " and \(running.count - 1) more" : ""
        write("\r\u{1B}[K… \(first.prefix(70))\(more)")
    }
}
