// SPDX-License-Identifier: Apache-2.0

import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("Output adapts to its destination", .endsInTime)
struct OutputTests {
    @Test(
        arguments: [
            (true, [:], true, true),
            (false, [:], false, false),
            (true, ["TERM": "dumb"], false, false),
            (true, ["NO_COLOR": "1"], true, false),
            (true, ["NO_COLOR": ""], true, true),
            (false, ["CLICOLOR_FORCE": "1"], false, true),
            (false, ["CLICOLOR_FORCE": "0"], false, false),
            (false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false, false),
        ] as [(Bool, [String: String], Bool, Bool)])
    func `Colours and progress follow the terminal, NO_COLOR and CLICOLOR_FORCE`(
        isTerminal: Bool, environment: [String: String], showsProgress: Bool, isColoured: Bool
    ) {
        let look = OutputStyle(isTerminal: isTerminal, environment: environment)
        #expect(look == OutputStyle(showsProgress: showsProgress, isColoured: isColoured))
    }

    @Test(arguments: [1, 8, 20, 40, 80])
    func `The progress line is narrower than the terminal for any name`(columns: Int) {
        for name in [
            "Short", "A second app is refused while an activation is pending and much more", "日本語のとても長い名前です、本当に長い",
        ] {
            let line = ProgressPrinter.line(ended: 12, of: 53, seconds: 83, name: name, others: 1, columns: columns)
            #expect(Terminal.width(of: line) < max(columns, 1), "\(line)")
        }
    }

    @Test func `At 40 columns the progress line shows the number finished, the time, and the running scenario`() {
        let line = ProgressPrinter.line(
            ended: 12, of: 53, seconds: 8, name: "A second app is refused while it lasts", others: 1, columns: 40)
        #expect(line == "12/53  8 s  A second app is refus… +1")
    }

    @Test func `Without a known end, progress shows the number finished`() {
        let line = ProgressPrinter.line(ended: 12, of: nil, seconds: 8, name: "A second app", others: 0, columns: 40)
        #expect(line == "12  8 s  A second app")
    }

    @Test func `Without a terminal, results are printed in the order of the suite`() {
        let text = Text()
        let printer = ProgressPrinter(look: .plain) { text.append($0) }
        printer.start(total: 4)
        for name in ["a", "b", "c", "d"] { printer.began(name) }
        printer.ended("c", at: 2, "c\n")
        #expect(text.all == "")
        printer.ended("a", at: 0, "a\n")
        #expect(text.all == "a\n")
        printer.ended("b", at: 1, "b\n")
        #expect(text.all == "a\nb\nc\n")
        printer.finish()
        #expect(text.all == "a\nb\nc\n")
    }

    @Test func `Results after a missing one are not lost`() {
        let text = Text()
        let printer = ProgressPrinter(look: .plain) { text.append($0) }
        printer.start(total: 3)
        printer.ended("c", at: 2, "c\n")
        printer.ended("b", at: 1, "b\n")
        printer.finish()
        #expect(text.all == "b\nc\n")
    }

    @Test func `On a terminal, the progress line is removed before other output and shown again behind it`() {
        let text = Text()
        func taken() -> String {
            // How long the run takes is of no interest.
            text.take().replacing("\r\u{1B}[K", with: "|").replacing(#/([0-9]+ min )?[0-9]+ s/#, with: "T")
        }
        // Without a start it has no thread that shows the line anew each second.
        let printer = ProgressPrinter(look: OutputStyle(showsProgress: true, isColoured: false)) { text.append($0) }
        printer.began("a")
        #expect(taken() == "|0  T  a")
        printer.aside { text.append("other\n") }
        #expect(taken() == "|other\n|0  T  a")
        printer.print("more\n")
        #expect(taken() == "|more\n|0  T  a")
        printer.began("b")
        #expect(taken() == "|0  T  a +1")
        printer.ended("a", at: 1, "a ended\n")
        #expect(taken() == "|a ended\n|1  T  b", "not in the order of the suite")
        printer.whileAsking {
            #expect(taken() == "|")
            printer.began("c")
            #expect(taken() == "", "no line comes between the typed characters")
        }
        #expect(taken() == "|1  T  b +1")
        printer.finish()
        #expect(taken() == "|")
        printer.print("end\n")
        #expect(taken() == "end\n")
    }

    /// What the thread that shows the time holds.
    private struct Ticking: LeakTracker, @unchecked Sendable {
        // Safe: a weak reference is read atomically, and nothing is written after the initialiser.
        weak var bell: EventDescriptor?

        var left: [String] { bell == nil ? [] : ["the bell of the thread"] }
    }

    /// What is left of a printer after its run.
    private static func remains() throws -> Ticking {
        let printer = ProgressPrinter(look: OutputStyle(showsProgress: true, isColoured: false)) { _ in }
        printer.start(total: 1)
        printer.finish()
        let bell: EventDescriptor = try #require(printer.bell)
        return Ticking(bell: bell)
    }

    @Test func `The thread that shows the time on a terminal ends with the run`() async throws {
        let left = try await onThread { try Self.remains().leftAfterWaiting() }
        #expect(left == [])
    }

    @Test func `A quiet terminal shows results without a progress line`() {
        let text = Text()
        let look = OutputStyle(showsProgress: true, isColoured: false, isQuiet: true)
        let printer = ProgressPrinter(look: look) { text.append($0) }
        printer.began("a")
        printer.ended("a", at: 0, "a failed\n")
        printer.finish()
        #expect(text.all == "a failed\n")
    }

    @Test(arguments: [(59, "59 s"), (60, "1 min 0 s"), (3_725, "62 min 5 s")] as [(UInt64, String)])
    func `The elapsed time has minutes from 60 s on`(seconds: UInt64, shown: String) {
        let line = ProgressPrinter.line(ended: 1, of: 2, seconds: seconds, name: "a", others: 0, columns: 80)
        #expect(line == "1/2  \(shown)  a")
    }

    @Test func `Terminal control characters are escaped`() {
        #expect("a\tb\nc é 日 👍".withVisibleControls == "a\tb\nc é 日 👍")
        #expect("\u{1B}[31m\r\u{7}\u{7F}\u{9B}".withVisibleControls == "\\u001B[31m\\u000D\\u0007\\u007F\\u009B")
        #expect("a\u{202E}b".withVisibleControls == "a\\u202Eb")
    }

    private final class Text: Sendable {
        private let text = Mutex("")
        func append(_ more: String) { text.withLock { $0 += more } }
        var all: String { text.withLock { $0 } }
        func take() -> String {
            text.withLock { text in
                defer { text = "" }
                return text
            }
        }
    }
}
