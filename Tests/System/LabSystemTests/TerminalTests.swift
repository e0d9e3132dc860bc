// SPDX-License-Identifier: Apache-2.0

import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Terminals", .endsInTime)
struct TerminalTests {
    @Test(
        arguments: [
            ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("👍", 2), ("👩‍👩‍👧", 2), ("→…✓", 3), ("", 0),
        ])
    func `A text has the columns that it takes in a terminal`(text: String, columns: Int) {
        #expect(Terminal.width(of: text) == columns)
    }

    @Test func `A text that does not fit ends in an ellipsis, and never in half of a wide character`() {
        #expect(Terminal.fitting("abc", columns: 3) == "abc")
        #expect(Terminal.fitting("abcd", columns: 3) == "ab…")
        #expect(Terminal.fitting("日本語", columns: 6) == "日本語")
        #expect(Terminal.fitting("日本語", columns: 5) == "日本…")
        #expect(Terminal.fitting("日本語", columns: 4) == "日…")
        #expect(Terminal.fitting("abc", columns: 1) == "…")
        #expect(Terminal.fitting("abc", columns: 0) == "")
    }

    @Test func `A terminal has the columns that it reports, and none before it reports any`() throws {
        let terminal = try FileDescriptor.open("/dev/ptmx", flags: O_RDWR | O_NOCTTY)
        #expect(Terminal.columns(of: terminal.rawValue) == nil)
        for columns in [1, 80] as [UInt16] {
            var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            try #require(ioctl(terminal.rawValue, UInt(TIOCSWINSZ), &size) == 0)
            #expect(Terminal.columns(of: terminal.rawValue) == Int(columns))
        }
    }

    @Test func `A descriptor without a terminal has no columns`() throws {
        #expect(Terminal.columns(of: try FileDescriptor.open("/dev/null").rawValue) == nil)
    }
}
